import { createClient } from 'redis'
import t from 'tap'
import { checkNodes } from '../../preflight/check-node.ts'
import { checkRedis } from '../../preflight/check-stores.ts'
import { describe, type Finding } from '../../preflight/finding.ts'
import { startChain } from '../support/chain-fixture.ts'
import { failure, on, type Rule, result, startHostileNode } from '../support/hostile/node.ts'
import { startRedis } from '../support/servers/redis.ts'

const { anvil, config, node } = await startChain(t)
const hostile = await startHostileNode(t, anvil.url)
t.afterEach(() => hostile.follow())
/** A clock that is so many seconds past the newest block. */
async function clockAt(seconds: number): Promise<() => number> {
  const { timestamp } = await node.call<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  return () => (Number(timestamp) + seconds) * 1_000
}

/** The lines that are no pass, of checks of the node behind these rules. */
async function check(rules: readonly Rule[], changes: object, clock: () => number): Promise<string[]> {
  hostile.follow(...rules)
  return listProblems(await checkNodes({ ...config, ...changes, rpcUrls: [hostile.url] }, clock))
}

const listProblems = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== 'ok').map(describe)

/** Rejects ranges of more blocks. */
const cap = (blocks: number): Rule =>
  on('eth_getLogs', ({ params: [filter] }) => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
    return Number(toBlock) - Number(fromBlock) >= blocks ? failure(-32_602, 'range too large') : undefined
  })

t.test('a node without a fault has no line', async (t) => {
  t.same(await check([], {}, await clockAt(0)), [])
})

t.test('a limit of ranges, missing blooms, pruned state, and a syncing node are named', async (t) => {
  await node.call('anvil_mine', '0x100')
  const clock = await clockAt(0)
  t.match(await check([cap(100)], {}, clock), [
    /^WARN {2}RPC_URL: node 1 answers eth_getLogs over 100 blocks at most\. The/,
  ])
  t.match(await check([on('eth_getLogs', () => failure(-32_601, 'no such method'))], {}, clock), [
    /^FAIL {2}RPC_URL: node 1 does not answer eth_getLogs\. Use a node that does/,
    /^WARN {2}RPC_URL: node 1 failed a request/,
  ])
  t.match(await check([on('eth_syncing', () => result({ currentBlock: '0x1', highestBlock: '0x9' }))], {}, clock), [
    /^WARN {2}RPC_URL: node 1 is still syncing/,
  ])
  const pruned = (blocks: number): Rule =>
    on('eth_getBalance', async ({ params: [, block] }) =>
      Number(block) < (await node.height()) - blocks ? failure(-32_000, 'missing trie node') : undefined,
    )
  t.match(await check([pruned(100)], {}, clock), [
    /^WARN {2}RPC_URL: node 1 has no state of block \d+, only recent state\./,
  ])
  t.match(await check([pruned(10)], {}, clock), [
    /^FAIL {2}RPC_URL: node 1 has no state of block \d+, 64 below its head\./,
  ])
})

t.test('empty blooms are named while proofs are on', async (t) => {
  const clock = await clockAt(0)
  const head = await node.height()
  const log = {
    ...{ address: `0x${'ab'.repeat(20)}`, topics: [], data: '0x', blockNumber: `0x${head.toString(16)}` },
    ...{ transactionHash: `0x${'cd'.repeat(32)}`, transactionIndex: '0x0', logIndex: '0x0', removed: false },
    blockHash: (await node.call<{ hash: string }>('eth_getBlockByNumber', 'latest', false)).hash,
  }
  const logs = on('eth_getLogs', () => result([log]))
  t.match(await check([logs], {}, clock), [
    /^WARN {2}NODE_PROOFS: the blocks of node 1 have no valid log blooms\. Logs near/,
  ])
  t.same(await check([logs], { nodeProofs: false }, clock), [])
})

t.test('a wrong clock and an old head give different warnings', async (t) => {
  t.match(await check([], {}, await clockAt(-60)), [
    /^FAIL {2}MAX_BLOCK_AGE: the newest block of node 1 is 60 s ahead of this machine/,
  ])
  t.match(await check([], { maxBlockAge: 30 }, await clockAt(90)), [
    /^FAIL {2}MAX_BLOCK_AGE: block \d+, the newest of node 1, is 90 s old; the limit is 30/,
  ])
  t.same(await check([], { maxBlockAge: 120 }, await clockAt(90)), [])
})

t.test('a Redis that may drop nonces is named', async (t) => {
  const redis = await startRedis(t)
  if (!redis) return t.pass('redis-server is not installed')
  const client = createClient({ url: redis.url })
  await client.connect()
  t.teardown(() => client.destroy())
  const problems = async () => listProblems(await checkRedis({ redisUrl: redis.url, role: 'all' }))
  t.match(await problems(), [
    /^WARN {2}REDIS_URL: maxmemory is not set\. Set maxmemory, and maxmemory-policy volatile-lru\.$/,
  ])
  await client.configSet('maxmemory', '64mb')
  await client.configSet('maxmemory-policy', 'allkeys-lru')
  t.match(await problems(), [/^WARN {2}REDIS_URL: maxmemory-policy is allkeys-lru: a full Redis .* drops nonces\. Set/])
  await client.configSet('maxmemory-policy', 'volatile-lru')
  t.same(await problems(), [])
})
