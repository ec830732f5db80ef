import t from 'tap'
import type { Address, Hex } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { parseReceipt } from '../../chain/rpc/parse-responses.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { Node } from '../support/chain-fixture.ts'
import { failure, on, result, startHostileNode } from '../support/hostile/node.ts'

const anvil = await startAnvil()
t.teardown(() => anvil.stop())
const node = new Node(anvil.url)
const hostile = await startHostileNode(t, anvil.url)
t.afterEach(() => hostile.follow())
/** A contract that emits a log whose only topic is 7. */
const emitter = '0x00000000000000000000000000000000000106e6'
await node.call('anvil_setCode', emitter, '0x600760006000a1')
const [from] = await node.call<Address[]>('eth_accounts')
const send = () => node.call<Hex>('eth_sendTransaction', { from, to: emitter, gas: '0x186a0' })
await send()

const topics = new Set([`0x${'7'.padStart(64, '0')}`])
const connect = (options = {}) => new Chain([hostile.url], { retries: 0, ...options })
const noReceipts = on('eth_getBlockReceipts', () => failure(-32_601, 'The method does not exist'))
const count = (method: string) => hostile.calls.get(method) ?? 0

t.test('without proofs, blooms and receipts are not trusted, and logs are read twice', async (t) => {
  const trusting = connect()
  t.same([await trusting.trustsBlooms(), await trusting.canProveLogs()], [true, true])
  const chain = connect({ proofs: false })
  t.same([await chain.trustsBlooms(), await chain.canProveLogs()], [false, false])
  const header = (await chain.getHeader('latest'))!
  const { logs, isProven } = await chain.readBlockLogs(header, topics)
  t.same([logs.length, isProven], [1, false])
  t.match(await trusting.readBlockLogs(header, topics), { logs, isProven: true })
})

t.test('a node proves its receipts by a block that has logs', async (t) => {
  await node.call('evm_mine')
  t.teardown(() => send())
  hostile.follow(
    on('eth_getBlockReceipts', async (call, ask) => {
      const answer = (await ask(call)) as { result: { logs: { data: string }[] }[] }
      const receipts = answer.result.map((receipt) => ({
        ...receipt,
        logs: receipt.logs.map((log) => ({ ...log, data: '0x01' })),
      }))
      return result(receipts)
    }),
  )
  t.equal(await connect().canProveLogs(), false, 'an empty block, whose receipts are right, proves nothing')
  hostile.follow()
  t.equal(await connect().canProveLogs(), true)
})

t.test('the logs of a block are read once for the same topics, and again after a failure', async (t) => {
  const chain = connect()
  await chain.trustsBlooms()
  const header = (await chain.getHeader('latest'))!
  hostile.follow(
    noReceipts,
    on('eth_getLogs', () => failure(-32_000, 'header not found')),
  )
  await t.rejects(chain.readBlockLogs(header, topics), { name: 'UncertainLogsError' })
  hostile.follow()
  const first = await chain.readBlockLogs(header, topics)
  t.equal(first.logs.length, 1, 'a failed read is not kept')
  const asked = count('eth_getBlockReceipts') + count('eth_getLogs')
  t.equal(await chain.readBlockLogs(header, topics), first)
  t.equal(count('eth_getBlockReceipts') + count('eth_getLogs'), asked)
  t.same((await chain.readBlockLogs(header, new Set())).logs, [], 'other topics are read on their own')
})

t.test('the error of logs that cannot be read names the node that lacks the block', async (t) => {
  const chain = connect()
  const header = (await chain.getHeader('latest'))!
  hostile.follow(
    noReceipts,
    on('eth_getBlockByHash', () => result(null)),
  )
  await t.rejects(chain.readBlockLogs(header, topics), {
    name: 'UncertainLogsError',
    cause: { name: 'UnknownBlockError', message: /^Node 1 of RPC_URL has no block 0x/ },
  })
})

t.test('a log of another block, or one whose index another log has, is a contradiction', async (t) => {
  type Answer = { result: { blockHash: string; logIndex: string }[] }
  const change = (edit: (logs: Answer['result']) => object[]) =>
    hostile.follow(
      noReceipts,
      on('eth_getLogs', async (call, ask) => result(edit(((await ask(call)) as Answer).result))),
    )
  const header = (await connect().getHeader('latest'))!
  const read = () => connect().readBlockLogs(header, topics)
  const contradicts = (message: RegExp) => ({
    name: 'UncertainLogsError',
    cause: { name: 'ContradictionError', message },
  })
  change((logs) => [...logs, ...logs.map((log) => ({ ...log, logIndex: '0xff', blockHash: `0x${'1'.repeat(64)}` }))])
  await t.rejects(read(), contradicts(/a log of block \d+ is not in its logsBloom/))
  change((logs) => [...logs, ...logs])
  await t.rejects(read(), contradicts(/two logs of block \d+ have the same index/))
})

t.test(
  'a receipt whose block has a hash or a number, but not both, is invalid, and one without either is pending',
  (t) => {
    const txHash = `0x${'1'.repeat(64)}`
    const block = { blockNumber: '0x1', blockHash: `0x${'2'.repeat(64)}` }
    const receipt = { transactionHash: txHash, status: '0x1', ...block }
    t.match(parseReceipt(receipt, txHash), { txHash, blockNumber: 1, status: 'success' })
    t.equal(parseReceipt({ ...receipt, blockNumber: null, blockHash: null }, txHash), null)
    for (const missing of ['blockNumber', 'blockHash'])
      t.throws(() => parseReceipt({ ...receipt, [missing]: null }, txHash), { name: 'InvalidResponseError' }, missing)
    t.end()
  },
)
