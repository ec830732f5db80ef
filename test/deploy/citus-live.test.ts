import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { type Account, type Hex, parseEther } from 'viem'
import { distribute } from '../../db/citus/distribute.ts'
import { openDatabase } from '../../db/client.ts'
import { account, calls, createdToken, startChain, type TestChain } from '../acceptance/support/chain.ts'
import { type Service, startService } from '../acceptance/support/service.ts'
import { signIn } from '../acceptance/support/sign-in.ts'
import { runOn } from '../support/prepared-database.ts'
import { findCitus } from './citus/find-citus.ts'
import { joinNodes, startCitusNodes } from './citus/start-nodes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const bin = await findCitus()
const skip = bin === undefined && 'skipped: no Citus'
const creator = account(1)
const traders = [2, 3, 4, 5].map(account)
t.setTimeout(600_000)

t.test('the service goes on while its database is distributed, and moved to a new worker', { skip }, async (t) => {
  const { url, workers } = await startCitusNodes(t, bin as string, 3)
  const servers = [url, ...workers.map((worker) => worker.url)]
  for (const server of servers) await runOn(server, 'create database live')
  const [databaseUrl = '', ...nodes] = servers.map((server) => server.replace(/postgres$/, 'live'))
  const chain = await startChain(t)
  const service = await startService(t, { env: chain.env, databaseUrl })
  const market = await openMarket(service, chain)

  await market.play('before')
  await joinNodes(databaseUrl, nodes.slice(0, 2))
  const { db, close } = await openDatabase({ databaseUrl, dataDir: '' })
  t.teardown(close)
  await market.play('while it is distributed', () => distribute(db, { shards: 4 }))
  await market.play('on two workers')
  await market.play('while shards move to a new worker', async () => {
    await joinNodes(databaseUrl, nodes.slice(2))
    await distribute(db, { shards: 4 })
    await runOn(databaseUrl, 'select citus_rebalance_start()')
    await runOn(databaseUrl, 'select citus_rebalance_wait()')
  })
  await market.play('on three workers')
  t.strictSame(market.failed, [])

  const env = { ...process.env, ...chain.env, DATABASE_URL: databaseUrl }
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/audit.ts'], { cwd: ROOT, env })
  t.match(stdout, new RegExp(`${market.tokens.length} tokens, \\d+ logs, \\d+ comparisons, 0 differences`))
})

/** Launches, trades, writes and reads, one round after another. */
async function openMarket(service: Service, { contracts, send }: TestChain) {
  const wallet = traders[0]!.address
  const token = await signIn(service, '', { wallet, account: traders[0]! })
  /** The newest first. */
  const tokens: Hex[] = []
  const failed: string[] = []

  const playRound = async (stage: string) => {
    const request = async (method: string, path: string, body?: object) => {
      const answer = await service.request(method, path, { token, ...(body && { body }) })
      if (answer.status !== 200) failed.push(`${stage}: ${method} ${path} ${answer.status} ${answer.body.error}`)
    }
    tokens.unshift(createdToken(await send(creator, calls.create(contracts, 'Cat', `CAT${tokens.length}`))))
    // Each of another token, so that a batch has rows for several nodes.
    const buy = (trader: Account, index: number) =>
      send(trader, calls.buy(contracts, tokens[index % tokens.length]!, trader.address, parseEther('0.01')))
    const [bought] = await Promise.all(traders.map(buy))
    await request('POST', '/buy', { txHash: bought!.transactionHash })
    await request('PUT', `/watchlists/${tokens[0]}`)
    const reads = [`/tokens/${tokens[0]}`, `/tokens/${tokens[0]}/trades`, '/tokens?sort=newest', '/watchlists/me']
    for (const path of [...reads, `/portfolio?wallet=${wallet}`]) await request('GET', path)
  }

  /** Five rounds, or as many as fit into `work`. */
  const play = async (stage: string, work: () => Promise<unknown> = async () => {}) => {
    let isDone = false
    const working = work().finally(() => {
      isDone = true
    })
    for (let rounds = 0; rounds < 5 || !isDone; rounds += 1) await playRound(stage)
    await working
  }
  return { tokens, failed, play }
}
