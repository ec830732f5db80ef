import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { startService, until } from '../acceptance/support/service.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { on, type RpcAnswer, type Rule, raw, result, startHostileNode } from '../support/hostile/node.ts'

/* The service as a process, behind a node that keeps the index from moving: /health says so, and names node and method. */

t.setTimeout(300_000)

const { node, anvil, deployed, accounts, environment } = await startChain(t)
const [, ann, bob] = accounts as [Address, Address, Address]
const act = makeActions(deployed)
const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
const token = launchedToken(launch!)
for (let left = 20; left > 0; left--) await node.mine()

const neither = (rule: Rule): Rule[] => [on('eth_getBlockReceipts', rule), on('eth_getLogs', rule)]
const never = () => new Promise<RpcAnswer>(() => {})
/** Each height from there on belongs to another branch than the block before. */
const unlinked: Rule = async (call, ask) => {
  const answer = await ask(call)
  const block = 'result' in answer ? (answer.result as { parentHash: string } | null) : null
  if (typeof call.params[0] !== 'string' || !call.params[0].startsWith('0x') || !block) return answer
  return Number(call.params[0]) < 22 ? answer : result({ ...block, parentHash: `0x${'99'.repeat(32)}` })
}
const height = await node.height()
const pinned: Rule = (call, ask) =>
  call.params[0] === 'latest'
    ? ask({ ...call, params: [`0x${(height - 1).toString(16)}`, ...call.params.slice(1)] })
    : undefined

const stalls: Record<string, { rules: Rule[]; reason: RegExp }> = {
  'does not answer': {
    rules: neither(never),
    reason: /node 1 of RPC_URL fails eth_getBlockReceipts \(no response( in time| for \d+ s)\)/,
  },
  'answers with a page of HTML': {
    rules: neither(() => raw(200, '<html>')),
    reason: /node 1 of RPC_URL fails .*eth_getBlockReceipts \(an invalid response\)/,
  },
  'has blocks that are not linked': {
    rules: [on('eth_getBlockByNumber', unlinked)],
    reason: /its steps find nothing certain: /,
  },
  'has no block above an old one': {
    rules: [on('eth_getBlockByNumber', pinned)],
    reason: /the newest block of the nodes is below the last one that is indexed/,
  },
}

async function open(t: Test) {
  const hostile = await startHostileNode(t, anvil.url)
  const service = await startService(t, { env: { ...environment, POLL_INTERVAL_MS: '200', RPC_URL: hostile.url } })
  const readHealth = async () => (await service.request('GET', '/health')).body
  await until(readHealth, ({ data }) => data?.indexer.lagBlocks === 0, 'at the head')
  return { hostile, readHealth }
}

t.test('health fails when indexing stalls because a node', async (t) => {
  const opened = await Promise.all(
    Object.entries(stalls).map(async ([what, stall]) => ({ what, ...stall, ...(await open(t)) })),
  )
  for (const { hostile, rules } of opened) hostile.follow(...rules)
  for (let left = 3; left > 0; left--) await node.run(act.buy(bob, token, parseEther('0.01')))
  await Promise.all(
    opened.map(async ({ what, reason, hostile, readHealth }) => {
      const isStalled = ({ error = '' }) =>
        error.startsWith('Failed checks: indexer (cannot index for ') && reason.test(error)
      await until(readHealth, isStalled, what)
      hostile.follow()
      await until(readHealth, ({ success }) => success, `${what}, and recovers`)
      t.pass(what)
    }),
  )
})
