import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '../../db/client.ts'
import { enqueueEvents, toChangeEvent } from '../../db/queries/outbox.ts'
import { createRandom } from '../../test/support/seeded-random.ts'
import { quantile, receive, startChild } from '../children.ts'
import { openScratchMarket } from '../reads/market.ts'
import { get, type Load, startLoad, startService } from '../reads/processes.ts'
import { viewOf } from './view-filters.ts'

interface Values {
  sockets: number
  views: number
  tokens: number
  rounds: number
  databaseUrl: string
}

/** Tokens that a commit changes besides the one that is in all views. */
const CHANGED = 20
const WARM_UP = 3

/**
 * Measures the time from a commit until the last socket has its changes, first with one socket for each view, then with all
 * sockets. Also measures clients that request their lists after the commit instead.
 */
export async function measureViews({ sockets, views, tokens, rounds, databaseUrl }: Values): Promise<void> {
  const database = await openScratchMarket(databaseUrl, false, tokens)
  const { db, close } = await openDatabase({ databaseUrl: database.url, dataDir: '' })
  const { rows } = await sql<{ token_id: number; address: string }>`
    update token_figures f set market_cap = 1e30, volume_h24 = 1e30, trend = 1e9, holder_count = 1000000, buys_h24 = 1000000
    from tokens t where t.id = f.token_id and f.token_id = (select min(token_id) from token_figures where not hidden)
    returning f.token_id, t.address`.execute(db)
  const { token_id: everywhere, address } = rows[0]!
  const limits = { SOCKETS_PER_ADDRESS: '1000000', VIEWS_MAX: String(views * 5), ANSWER_CACHE_MB: '0' }
  const service = await startService(database.url, undefined, undefined, limits)
  try {
    const random = createRandom(1)
    const commit = () =>
      db.transaction().execute(async (trx) => {
        const ids = [everywhere, ...Array.from({ length: CHANGED }, () => 1 + random(tokens))]
        await sql`update token_figures set holder_count = holder_count + 1, volume_h24 = volume_h24 + 1e18, trend = trend + 0.1
          where token_id = any(${ids}::integer[])`.execute(trx)
        await enqueueEvents(trx, [toChangeEvent(['chain', 'market'], ids)])
      })
    const read = async (path: string) => await fetch(`http://127.0.0.1:${service.port}${path}`)
    while ((await read('/tokens?minHolders=1')).status !== 200) await pause(100)
    const cpu = async () => {
      // Scrapes of one second share their result.
      await pause(1_100)
      const metrics = await (await read('/metrics')).text()
      const found = [...metrics.matchAll(/^\w*process_cpu_seconds_total\S* (\S+)$/gm)]
      return found.reduce((sum, [, seconds]) => sum + Number(seconds), 0)
    }
    const results: { ms: number; cpuMs: number }[] = []
    for (const count of [views, sockets]) {
      const args = [service.port, count, views, address].map(String)
      const { child } = await startChild(new URL('view-clients.ts', import.meta.url), args)
      const times: number[] = []
      let [busy, messages] = [0, 0]
      for (let round = 0; round < WARM_UP + rounds; round++) {
        if (round === WARM_UP) busy = await cpu()
        const arrived = receive<{ last: string; messages: number }>(child)
        await commit()
        const start = process.hrtime.bigint()
        const { last, messages: received } = await arrived
        if (round < WARM_UP) continue
        times.push(Number(BigInt(last) - start) / 1e6)
        messages += received
      }
      const cpuMs = (((await cpu()) - busy) * 1_000) / rounds
      const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
      results.push({ ms: p50, cpuMs })
      console.log(
        `${count} sockets on ${views} views: the last has a commit after p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ` +
          `${cpuMs.toFixed(1)} ms of the service's processor and ${Math.round(messages / rounds)} messages for a commit`,
      )
      child.kill()
    }
    const [few, all] = results as [{ ms: number; cpuMs: number }, { ms: number; cpuMs: number }]
    console.log(
      `${(sockets / views).toFixed(0)} times the sockets take ${(all.cpuMs / few.cpuMs).toFixed(2)} times the processor`,
    )
    const { child, load } = await startLoad()
    const polledMs = await poll(load, service.port, sockets, views)
    child.kill()
    console.log(
      `${sockets} clients that request their lists instead have them after ${polledMs.toFixed(0)} ms, ` +
        `${(polledMs / all.ms).toFixed(1)} times as long`,
    )
  } finally {
    service.child.kill()
    await close()
    await database.drop()
  }
}

/** The time in which each of so many clients reads the list of its view. */
async function poll(load: Load, port: number, sockets: number, views: number): Promise<number> {
  const requests = Array.from({ length: views }, (_, number) => {
    const { filter, sort, limit } = viewOf(number)
    return get(`/tokens?${new URLSearchParams({ ...filter, sort, limit } as unknown as Record<string, string>)}`)
  })
  const connections = 20
  await load({ port, requests, connections, count: views })
  const { ms } = await load({ port, requests, connections, count: sockets })
  return ms
}
