import { createHash } from 'node:crypto'
import t from 'tap'
import { type Abi, decodeEventLog, type Hex } from 'viem'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { decodeLaunchpadLog, decodePoolSwap, decodePoolSync, decodeTransfer, topics } from '../../chain/events.ts'
import { type Log, parseLog, type RpcLog } from '../../chain/logs.ts'
import { packAhead, packLogs, unpackLogs } from '../../indexer/pack.ts'
import { startChain } from '../support/chain-fixture.ts'
import { playMarket } from './fixtures/market.ts'

type Fields = Record<string, unknown>

/** The hand-made decoding of a log, and the names under which the ABI has the same values. */
function decodeByHand(log: Log): { abi: Abi; fields: Fields } | undefined {
  const [topic] = log.topics
  if (topic === topics.transfer) {
    const { from, to, value } = decodeTransfer(log)
    return { abi: launchTokenAbi, fields: { from, to, value } }
  }
  if (topic === topics.sync) {
    const { reserve0, reserve1 } = decodePoolSync(log)
    return { abi: uniswapV2PairAbi, fields: { reserve0, reserve1 } }
  }
  if (topic === topics.swap) {
    const { kind: _, pool: __, ...fields } = decodePoolSwap(log)
    return { abi: uniswapV2PairAbi, fields }
  }
  const event = decodeLaunchpadLog(log)
  if (!event) return undefined
  if (event.kind !== 'curve-trade') {
    const { kind: _, ...rest } = event as unknown as Fields
    delete rest.launchpad
    if ('metadataUri' in rest) {
      rest.contractURI = rest.metadataUri
      delete rest.metadataUri
    }
    return { abi: launchpadAbi, fields: rest }
  }
  const { kind: _, side, launchpad: __, quoteAmount, tokenAmount, ...rest } = event
  const amounts =
    side === 'buy' ? { quoteIn: quoteAmount, tokenOut: tokenAmount } : { tokenIn: tokenAmount, quoteOut: quoteAmount }
  return { abi: launchpadAbi, fields: { ...rest, ...amounts } }
}

t.test('logs of a real market', async (t) => {
  const test = await startChain(t)
  await playMarket(test)
  const logs = await test.node.call<RpcLog[]>('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })

  await t.test('are decoded by hand to what the general decoder says', async (t) => {
    const seen = new Set<string>()
    for (const log of logs) {
      const byHand = decodeByHand(parseLog(log))
      if (!byHand) continue
      const general = decodeEventLog({ abi: byHand.abi, topics: log.topics as [Hex, ...Hex[]], data: log.data })
      const args = (general.args ?? {}) as Fields
      for (const [name, value] of Object.entries(byHand.fields)) {
        const expected = args[name]
        t.equal(
          value,
          typeof expected === 'string' && expected.startsWith('0x') ? expected.toLowerCase() : expected,
          name,
        )
      }
      seen.add(String(general.eventName))
    }
    t.strictSame(
      [...seen].sort(),
      [
        'CreatorFeeClaimed',
        'CurveBuy',
        'CurveCompleted',
        'CurveCreate',
        'CurveGraduate',
        'CurveSell',
        'Swap',
        'Sync',
        'Transfer',
      ],
      'every kind was there',
    )
  })

  await t.test('come out of a packed block as they went in', async (t) => {
    const parsed = logs.map(parseLog)
    t.strictSame(unpackLogs(packLogs(parsed)), parsed)
    t.ok(packLogs(parsed).length * 4 < JSON.stringify(parsed).length, 'and are small in between')
  })
})

t.test('packed logs: the edges', async (t) => {
  const log = { logIndex: 0, txHash: `0x${'ab'.repeat(32)}`, address: `0x${'01'.repeat(20)}`, topics: [], data: '0x' }
  for (const logs of [[], [log], [{ ...log, logIndex: 2 ** 31, data: `0x${'ff'.repeat(70_000)}` }]]) {
    t.strictSame(unpackLogs(packLogs(logs)), logs)
  }
  t.throws(() => packLogs([{ ...log, address: '0x01' }]), RangeError)
  t.throws(() => packLogs([{ ...log, data: '0xzz' }]), RangeError)
})

t.test('logs that are packed ahead of their turn become the very same bytes', async (t) => {
  for (const count of [1, 50, 5_000]) {
    const logs = Array.from({ length: count }, (_, logIndex) => ({
      logIndex,
      txHash: `0x${createHash('sha256')
        .update(`${logIndex >> 3}`)
        .digest('hex')}`,
      address: `0x${'01'.repeat(20)}`,
      topics: [
        `0x${createHash('sha256')
          .update(`${logIndex % 7}`)
          .digest('hex')}`,
      ],
      data: `0x${logIndex.toString(16).padStart(64, '0').repeat(8)}`,
    }))
    const packed = packLogs(logs)
    const ahead = logs.slice()
    await packAhead([{ logs: ahead }])
    t.ok(packLogs(ahead).equals(packed), `${count} logs`)
    t.equal(packLogs(ahead), packLogs(ahead), 'and are not packed again')
  }
})
