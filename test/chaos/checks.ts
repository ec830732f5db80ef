import { isDeepStrictEqual } from 'node:util'
import { audit } from '../../audit/audit.ts'
import { openDatabase } from '../../db/client.ts'
import type { RoomFollower } from '../acceptance/support/follower.ts'
import { indexToHead } from '../indexer/fixtures/indexing.ts'
import type { RandomClients } from '../indexer/fixtures/random-clients.ts'
import { findLostClaims } from '../indexer/fixtures/random-test.ts'
import { diffTables, readTables } from '../indexer/fixtures/tables.ts'
import { runOn } from '../support/prepared-database.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import type { Clients } from './clients.ts'
import type { ListFollower } from './list-follower.ts'
import type { Supervised } from './supervised.ts'
import { type World, withClient } from './world.ts'
import type { Written } from './written.ts'

const SETTLE_MS = 180_000
const SOCKETS_MS = 60_000
const FRESH = 'slipway_chaos_fresh'

export interface Check {
  name: string
  /** One line for each contradiction. */
  problems: readonly string[]
  /** What was looked at. */
  note?: string
}

/** Waits until all processes are well and the index has the head. Returns what is not so after three minutes. */
export async function waitUntilSettled({ chain, processes, database }: World): Promise<string[]> {
  const apis = Object.values(processes).filter(({ role }) => role === 'api')
  const height = await chain.node.height()
  let last = 'nothing was read'
  const isSettled = async () => {
    for (const { name, url } of apis) {
      const health = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
      last = `${name}: /health ${health?.status ?? 'does not answer'} ${await health?.text()}`
      if (health?.status !== 200) return false
    }
    const rows = await withClient(
      database.url,
      async (client) => (await client.query('select checkpoint_number as number, halted from chain_state')).rows,
    ).catch(() => [])
    last = `the index is at block ${rows[0]?.number} of ${height}, halted: ${rows[0]?.halted}`
    return Number(rows[0]?.number) >= height
  }
  return waitUntil('the service settles', isSettled, { timeoutMs: SETTLE_MS, pauseMs: 200 }).then(
    () => [],
    () => [last],
  )
}

export interface Subjects {
  world: World
  clients: Clients
  syncs: RandomClients
  written: Written
  rooms: readonly RoomFollower[]
  lists: readonly { follower: ListFollower; path: string }[]
}

/** Everything that must hold after the faults. */
export async function* runChecks({ world, clients, syncs, written, rooms, lists }: Subjects): AsyncGenerator<Check> {
  const {
    chain,
    database: { url: databaseUrl },
  } = world
  const { db, close } = await openDatabase({ databaseUrl, dataDir: '' })
  try {
    const differences: string[] = []
    const summary = await audit({ ...chain, db, onDifference: (line) => differences.push(line) })
    yield { name: 'the audit finds no difference', problems: differences, note: JSON.stringify(summary) }

    await runOn(databaseUrl, `create database ${FRESH}`)
    const fresh = await openDatabase({ databaseUrl: databaseUrl.replace(/[^/]+$/, FRESH), dataDir: '' })
    await indexToHead(fresh.db, chain)
    const expected = await readTables(fresh.db)
    await fresh.close()
    const rows = [...expected.values()].reduce((sum, { size }) => sum + size, 0)
    const problems = diffTables(await readTables(db), expected)
    yield { name: 'the tables are those of a fresh index', problems, note: `${rows} rows of ${expected.size} tables` }

    yield {
      name: 'every accepted social write is stored, once',
      problems: await withClient(databaseUrl, (client) => written.compare(client)),
      note: describeWritten(written),
    }
    yield {
      name: 'every accepted upload is served',
      problems: await written.compareUploads(world.processes['api-2'].url),
      note: `${written.uploads.size} of them`,
    }
    const lost = await findLostClaims(db, syncs.accepted)
    yield {
      name: 'every accepted receipt sync is stored',
      problems: lost.map((claim) => JSON.stringify(claim)),
      note: `${syncs.accepted.length} of them`,
    }
    yield {
      name: 'receipt syncs were answered as they may be',
      problems: syncs.problems,
      note: JSON.stringify(Object.fromEntries(syncs.answers)),
    }
    const trades = (await expected.get('readable_trades')) ?? new Map()
    yield await checkRooms(rooms, [...trades.values()])
    yield await checkLists(lists, world)
    yield {
      name: 'no response was a 5xx other than 503 with the envelope during faults',
      problems: clients.problems,
      note: JSON.stringify(Object.fromEntries(clients.statuses)),
    }
    yield checkEnds(Object.values(world.processes))
  } finally {
    await close()
  }
}

const describeWritten = ({ comments, commentLikes, tokenLikes, follows, bios, answers }: Written) =>
  `${comments.size} comments; ${commentLikes.keys.size + tokenLikes.keys.size} likes, ${follows.keys.size} follows, ` +
  `${bios.keys.size} profiles (${commentLikes.certain + tokenLikes.certain + follows.certain + bios.certain} certain); ` +
  `answers ${JSON.stringify(Object.fromEntries(answers))}`

/** Of each client, the trades that were sent and not retracted are those of the list. */
async function checkRooms(rooms: readonly RoomFollower[], rows: readonly Record<string, unknown>[]): Promise<Check> {
  const listed = new Set(rows.map(({ tx_hash, log_index, block_number }) => `${tx_hash}-${log_index} ${block_number}`))
  const compare = (room: RoomFollower) => {
    const net = new Set<string>()
    const problems = [...room.problems]
    for (const { type, data } of room.events) {
      const key = `${data.id} ${data.blockNumber}`
      const held = [...net].filter((one) => type !== 'trade' && one.startsWith(`${data.id} `))
      if (type === 'trade' && net.has(key)) problems.push(`trade ${key} was sent twice`)
      if (type === 'trade') net.add(key)
      else if (held.length === 0) problems.push(`${type} of ${data.id}, which was not sent`)
      for (const one of held) net.delete(one)
    }
    for (const key of listed) if (!net.has(key)) problems.push(`trade ${key} was not sent`)
    for (const key of net) if (!listed.has(key)) problems.push(`trade ${key} was not retracted`)
    return problems
  }
  const isRight = () => rooms.every((room) => compare(room).length === 0)
  await waitUntil('sockets have all trades', isRight, { timeoutMs: SOCKETS_MS, pauseMs: 500 }).catch(() => {})
  return {
    name: 'the trades of each socket are those of the list',
    problems: rooms.flatMap(compare),
    note: `${listed.size} trades; events ${rooms.map(({ events }) => events.length)}, reconnections ${rooms.map(({ comebacks }) => comebacks)}`,
  }
}

interface Listed {
  address: string
  volume: { h24: string }
}

/**
 * Views compare amounts as floating-point numbers, and the list exactly: volumes that are equal in 15 digits may be in either order
 * (docs/screener.md). Here, such tokens are ordered by address.
 */
function orderEqual(tokens: readonly Listed[]): Listed[] {
  const keyOf = ({ volume }: Listed) => Number(volume.h24)
  const ordered = [...tokens]
  for (let from = 0, to = 1; from < tokens.length; from = to++) {
    while (to < tokens.length && keyOf(tokens[to]!) === keyOf(tokens[from]!)) to++
    const equal = tokens.slice(from, to).sort((a, b) => (a.address < b.address ? -1 : 1))
    ordered.splice(from, equal.length, ...equal)
  }
  return ordered
}

const describeOrder = (tokens: readonly Listed[]): string =>
  tokens.map(({ address, volume }) => `${address} (volume ${volume.h24})`).join(', ')

/** The list of each live view is that of the same request. */
async function checkLists(lists: Subjects['lists'], { processes }: World): Promise<Check> {
  const compare = async ({ follower, path }: Subjects['lists'][number]) => {
    const response = await fetch(`${processes['api-1'].url}${path}`)
    const { data } = (await response.json()) as { data: { items: Listed[] } | null }
    const order = path.includes('sort=volume') ? orderEqual : (tokens: readonly Listed[]) => tokens
    const [expected, found] = [order(data?.items ?? []), order(follower.list.tokens as Listed[])]
    const problems = [...follower.problems, ...follower.list.problems]
    const listAddresses = (tokens: readonly Listed[]) => tokens.map(({ address }) => address)
    if (!isDeepStrictEqual(listAddresses(found), listAddresses(expected)))
      problems.push(`${path}: the socket has ${describeOrder(found)}, the response ${describeOrder(expected)}`)
    else if (!isDeepStrictEqual(found, expected)) problems.push(`${path}: records differ`)
    return problems
  }
  let problems: string[] = []
  const isRight = async () => {
    problems = (await Promise.all(lists.map(compare))).flat()
    return problems.length === 0
  }
  await waitUntil('live views are those of requests', isRight, { timeoutMs: SOCKETS_MS, pauseMs: 500 }).catch(() => {})
  return {
    name: 'the list of each live view is that of the same request',
    problems,
    note: `${lists.map(({ follower }) => follower.list.tokens.length)} tokens; reconnections ${lists.map(({ follower }) => follower.comebacks())}`,
  }
}

const checkEnds = (processes: readonly Supervised[]): Check => ({
  name: 'no process ended by itself after its start',
  problems: processes.flatMap(({ ends }) => ends),
  note: `${processes.reduce((sum, { failedStarts }) => sum + failedStarts, 0)} starts failed during faults, and were repeated`,
})
