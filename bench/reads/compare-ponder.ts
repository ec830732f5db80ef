// The same questions about the same trades, asked of the service and of Ponder's API over HTTP.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { quantile } from '../children.ts'
import { createScratchDatabase } from '../indexer/databases.ts'
import { type Shape, startFilledChain } from '../indexer/fill.ts'
import { serveRecording } from '../indexer/node.ts'
import { installPonder, startPonder } from '../indexer/ponder.ts'
import { loadRecording, type Recording, record, saveRecording } from '../indexer/recording.ts'
import type { Job } from '../indexer/slipway.ts'
import { writeReadsProject } from './ponder-project.ts'
import { get, type Load, leaveLastCore, post, startLoad, startService } from './processes.ts'
import type { PeerFigures, Report } from './report.ts'

const CONNECTIONS = 64
const TARGET = 10
const LISTED = 20
const TRADES = 50
const CANDLES = 300

interface Place {
  serverUrl: string
  redisUrl: string | undefined
  /** Keeps the recorded chain and Ponder's installation, and reuses those of an earlier run. */
  keep: boolean
  trades: number
}

export async function comparePonder(
  { serverUrl, redisUrl, keep, trades }: Place,
  rounds: { rounds: number; ms: number },
  report: Report,
): Promise<void> {
  const kept = join(tmpdir(), 'slipway-bench')
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  const close: (() => unknown)[] = [() => rmSync(scratch, { recursive: true, force: true })]
  try {
    const recording = await openRecording({ trades, blocks: 60, tokens: 40, traders: 600, popularBps: 0 }, kept, keep)
    const { filled } = recording
    const node = await serveRecording(recording)
    close.push(() => node.close())
    const [own, peer] = [
      await createScratchDatabase(serverUrl, `slipway_reads_${process.pid}`),
      await createScratchDatabase(serverUrl, `slipway_reads_ponder_${process.pid}`),
    ]
    close.push(own.drop, peer.drop)
    console.log(`Indexing ${trades.toLocaleString('en')} trades with the service, then with Ponder`)
    await index({ rpcUrl: node.url, filled, databaseUrl: own.url, dataDir: scratch })
    const installed = join(keep ? kept : scratch, 'ponder')
    await installPonder(installed)
    const peerPort = await findPort()
    const ponder = await startPonder(installed, writeReadsProject(node.url, filled, peer.url), peerPort)
    close.push(() => ponder.stop())
    leaveLastCore(ponder.pid)
    const { chainId, deployment } = filled
    const service = await startService(own.url, redisUrl, { chainId, launchpad: deployment.launchpad })
    close.push(() => service.child.kill())

    const tokens = await requireSame(service.port, peerPort)
    const { load } = await startLoad()
    report.title(`The same questions about ${filled.trades.toLocaleString('en')} trades of ${tokens.length} tokens`)
    for (const { name, ours, graphql, sql } of listQuestions(tokens)) {
      const sides = [
        { port: service.port, requests: ours.map((path) => get(path)) },
        { port: peerPort, requests: graphql.map(askGraphql) },
        { port: peerPort, requests: sql.map(askSql) },
      ]
      const figures = await measure(load, sides, rounds)
      const [own, viaGraphql, viaSql] = figures as [PeerFigures, PeerFigures, PeerFigures]
      report.peer(`${name}, GraphQL`, own, viaGraphql, TARGET)
      report.peer(`${name}, SQL`, own, viaSql, TARGET)
    }
  } finally {
    for (const one of close.reverse()) await one()
  }
}

async function openRecording(shape: Shape, kept: string, keep: boolean): Promise<Recording> {
  const path = join(kept, `chain-${Object.values(shape).join('-')}.zst`)
  const known = keep ? loadRecording(path) : undefined
  if (known) return known
  const { anvil, filled } = await startFilledChain(shape, console.log)
  try {
    const recording = await record(anvil.url, filled)
    mkdirSync(kept, { recursive: true })
    if (keep) saveRecording(path, recording)
    return recording
  } finally {
    anvil.kill()
  }
}

async function index(job: Job): Promise<void> {
  const script = fileURLToPath(new URL('../indexer/slipway.ts', import.meta.url))
  await promisify(execFile)(process.execPath, [script, JSON.stringify(job)], { maxBuffer: 1 << 26 })
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

interface Question {
  name: string
  ours: string[]
  graphql: string[]
  sql: string[]
}

const TOKEN_FIELDS =
  'address name symbol creator createdAt virtualQuote virtualToken realQuote volume buys sells lastTradeAt'
const TRADE_FIELDS =
  'position blockTime txHash token trader recipient side tokenAmount quoteAmount protocolFee creatorFee virtualQuote virtualToken'

const listed = {
  graphql: `{ tokens(orderBy: "volume", orderDirection: "desc", limit: ${LISTED}) { items { ${TOKEN_FIELDS} } } }`,
  sql: `select * from "token" order by "volume" desc limit ${LISTED}`,
}
const tradesOf = (token: string) => ({
  graphql: `{ trades(where: { token: "${token}" }, orderBy: "position", orderDirection: "desc", limit: ${TRADES}) { items { ${TRADE_FIELDS} } } }`,
  sql: `select * from "trade" where "token" = '${token}' order by "position" desc limit ${TRADES}`,
})

/** One URL, or one for each token, which all connections request in turn. */
function listQuestions(tokens: readonly string[]): Question[] {
  return [
    {
      name: `${LISTED} tokens by volume`,
      ours: [`/tokens?sort=volume&limit=${LISTED}`],
      graphql: [listed.graphql],
      sql: [listed.sql],
    },
    {
      name: 'a token',
      ours: tokens.map((token) => `/tokens/${token}`),
      graphql: tokens.map((token) => `{ token(address: "${token}") { ${TOKEN_FIELDS} } }`),
      sql: tokens.map((token) => `select * from "token" where "address" = '${token}'`),
    },
    {
      name: `its last ${TRADES} trades`,
      ours: tokens.map((token) => `/tokens/${token}/trades?limit=${TRADES}`),
      graphql: tokens.map((token) => tradesOf(token).graphql),
      sql: tokens.map((token) => tradesOf(token).sql),
    },
    {
      name: 'its candles',
      ours: tokens.map((token) => `/tokens/${token}/chart?interval=1m&limit=${CANDLES}`),
      graphql: tokens.map(
        (token) =>
          `{ candles(where: { token: "${token}" }, orderBy: "bucket", orderDirection: "desc", limit: ${CANDLES}) { items { bucket open high low close volume trades } } }`,
      ),
      sql: tokens.map(
        (token) => `select * from "candle" where "token" = '${token}' order by "bucket" desc limit ${CANDLES}`,
      ),
    },
  ]
}

const askGraphql = (query: string) => post('/graphql', { query })
/** The path of a query, as @ponder/client sends it. */
const sqlPath = (sql: string) => `/sql/db?sql=${encodeURIComponent(JSON.stringify({ json: { sql, params: [] } }))}`
const askSql = (sql: string) => get(sqlPath(sql))

/** Sides alternate, so that other load affects all; the first round is a warm-up. Returns the medians. */
async function measure(
  load: Load,
  sides: readonly { port: number; requests: string[] }[],
  { rounds, ms }: { rounds: number; ms: number },
): Promise<PeerFigures[]> {
  const figures = sides.map(() => [] as PeerFigures[])
  for (let round = -1; round < rounds; round++) {
    for (const [at, side] of sides.entries()) {
      const outcome = await load({ ...side, connections: CONNECTIONS, ms, timed: true })
      if (round < 0) continue
      figures[at]?.push({ rate: (outcome.answers / outcome.ms) * 1000, p99: quantile(outcome.latencies, 0.99) })
    }
  }
  return figures.map((one) => ({
    rate: quantile(
      one.map(({ rate }) => rate),
      0.5,
    ),
    p99: quantile(
      one.map(({ p99 }) => p99),
      0.5,
    ),
  }))
}

/** Compares the answers of all APIs, and returns the tokens. */
async function requireSame(port: number, peerPort: number): Promise<string[]> {
  const ask = async (url: string, options?: RequestInit) => {
    const response = await fetch(url, options)
    const text = await response.text()
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }
  const peer = `http://127.0.0.1:${peerPort}`
  const viaGraphql = async (query: string) => {
    const headers = { 'content-type': 'application/json' }
    const { data } = await ask(`${peer}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    return data
  }
  const own = (path: string) => ask(`http://127.0.0.1:${port}${path}`)
  const requireEqual = (what: string, ...answers: string[]) => {
    if (new Set(answers).size > 1)
      throw new Error(`The answers differ in ${what}: ${answers.join(' | ').slice(0, 600)}`)
  }
  const all = await own('/tokens?sort=volume&limit=100')
  const tokens = (all.data.items as { address: string }[]).map(({ address }) => address)
  const { tokens: listedTokens } = await viaGraphql(listed.graphql)
  const volumes = (items: { volume: string }[]) => items.map(({ volume }) => volume).join()
  requireEqual(
    'the volumes of tokens',
    volumes(
      all.data.items.slice(0, LISTED).map(({ volume }: { volume: { total: string } }) => ({ volume: volume.total })),
    ),
    volumes(listedTokens.items),
    volumes((await ask(`${peer}${sqlPath(listed.sql)}`)).rows),
  )
  const [token] = tokens as [string]
  const amounts = (items: { quoteAmount?: string; quote_amount?: string }[]) =>
    items.map(({ quoteAmount, quote_amount }) => quoteAmount ?? quote_amount).join()
  requireEqual(
    'the trades of a token',
    amounts((await own(`/tokens/${token}/trades?limit=${TRADES}`)).data.items),
    amounts((await viaGraphql(tradesOf(token).graphql)).trades.items),
    amounts((await ask(`${peer}${sqlPath(tradesOf(token).sql)}`)).rows),
  )
  return tokens
}
