import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService } from '../acceptance/support/service.ts'
import { parseScrape, readValue } from '../support/scrape.ts'
import { connectDeaf, largeCall, startLargeNode } from '../support/unread.ts'

const ANSWER_BYTES = 6_300_000
const CONNECTIONS = 100
/** The last of the answers may begin so late. */
const FROM_MS = 30_000
const WATCHED_MS = 90_000

const chain = await startChain(t)
const url = await startLargeNode(t, chain.url, ANSWER_BYTES)

for (const [title, env, perConnection] of [
  ['a hundred connections, one answer each', { RATE_LIMITS: 'on' }, 1],
  ['a hundred connections, limits of an address off', { RATE_LIMITS: 'off' }, 1],
  ['ten connections, ten pipelined answers each', { RATE_LIMITS: 'off' }, 10],
] as const)
  t.test(`${title}: memory stays bounded while no client reads, and responses are dropped`, async (t) => {
    const databaseUrl = await createDatabase(t)
    const service = await startService(t, {
      optimize: true,
      env: { ...chain.env, RPC_URL: url, ...env },
      ...(databaseUrl && { databaseUrl }),
    })
    const port = Number(new URL(service.url).port)
    const read = async () => {
      const metrics = parseScrape(await (await fetch(`${service.url}/metrics`)).text())
      const rss = readValue(metrics, 'slipway_process_resident_memory_bytes') ?? 0
      return { rss: Math.round(rss / 2 ** 20), unread: readValue(metrics, 'slipway_unread_bytes') }
    }
    const before = (await read()).rss
    const requests = largeCall().repeat(perConnection)
    const count = CONNECTIONS / perConnection
    const clients = await Promise.all(Array.from({ length: count }, () => connectDeaf(t, port, requests)))
    const start = performance.now()
    let most = 0
    let gone = false
    while (performance.now() - start < WATCHED_MS && !gone) {
      await pause(500)
      const { rss, unread } = await read()
      most = Math.max(most, rss)
      gone = unread === 0 && performance.now() - start > FROM_MS
    }
    const seconds = Math.round((performance.now() - start) / 1000)
    t.comment(`RSS: ${before} MB before, ${most} MB at most, ${(await read()).rss} MB after ${seconds} s`)
    for (const { socket } of clients) socket.destroy()
    t.ok(gone, 'nothing is held for them any more')
    t.ok(most - before < 500, 'memory stays bounded')
  })
