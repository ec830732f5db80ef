import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import t from 'tap'
import { type Abi, type AbiParameter, decodeEventLog, encodeAbiParameters, type Hex, toBytes, toHex } from 'viem'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { dropLongUri, MAX_NAME, MAX_SYMBOL, requireAmounts, requireBps, truncateText } from '../../chain/bounds.ts'
import { dataAddress, dataHex, dataWord, type Log, parseLog, type RpcLog } from '../../chain/logs/log.ts'
import { decodeTransfer } from '../../chain/token-events.ts'
import { finishCompression, packLogs, precompressLogs, unpackLogs } from '../../indexer/engine/pack-logs.ts'
import type { LaunchFact } from '../../launchpads/launchpad.ts'
import { decodeLog } from '../../launchpads/slipway/decode.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { decodeSwap, decodeSync } from '../../venues/uniswap-v2/decode.ts'
import { startChain } from '../support/chain-fixture.ts'
import { topics } from '../support/launchpads/topics.ts'
import { createRandom } from '../support/seeded-random.ts'
import { playMarket } from './fixtures/market.ts'

type Fields = Record<string, unknown>

/** What a log says, wherever its bytes are. */
const toPlain = (log: Log) => ({
  logIndex: log.logIndex,
  txHash: log.txHash,
  address: log.address,
  topics: log.topics,
  data: dataHex(log),
})

/** The hand-made decoding of a log, and the names under which the ABI has the same values. */
function decodeByHand(log: Log): { abi: Abi; fields: Fields } | undefined {
  const [topic] = log.topics
  if (topic === topics.transfer) {
    const { from, to, value } = decodeTransfer(log)
    return { abi: launchTokenAbi, fields: { from, to, value } }
  }
  if (topic === topics.sync) {
    return { abi: uniswapV2PairAbi, fields: { ...decodeSync(log) } }
  }
  if (topic === topics.swap) {
    return { abi: uniswapV2PairAbi, fields: { ...decodeSwap(log) } }
  }
  const event = decodeLog(log)
  if (!event) return undefined
  if (event.kind !== 'curve-trade') {
    const { kind: _, ...rest } = event as unknown as Fields
    delete rest.launchpad
    if (event.kind === 'create') {
      Object.assign(rest, event.curve)
      for (const name of ['curve', 'pool', 'saleSupply']) delete rest[name]
    }
    if (event.kind === 'graduate') {
      delete rest.liquidity
      rest.quoteLiquidity = event.liquidity?.quote
      rest.tokenLiquidity = event.liquidity?.token
    }
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

  await t.test('decode to the same values as with decodeEventLog of viem', async (t) => {
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

  await t.test('are unchanged after packing and unpacking', async (t) => {
    const parsed = logs.map(parseLog)
    t.strictSame(unpackLogs(packLogs(parsed)).map(toPlain), parsed.map(toPlain))
    t.strictSame(
      parsed.map(toPlain),
      logs.map(({ logIndex, transactionHash: txHash, address, topics, data }) => ({
        logIndex: Number(logIndex),
        txHash,
        address: address.toLowerCase(),
        topics,
        data,
      })),
    )
    t.ok(packLogs(parsed).length * 4 < JSON.stringify(parsed.map(toPlain)).length, 'and are small in between')
  })
})

const hex = (text: string): Hex => `0x${text}`

function makeLog(fields: Partial<RpcLog>): RpcLog {
  return {
    logIndex: '0x0',
    transactionHash: hex('ab'.repeat(32)),
    address: hex('01'.repeat(20)),
    topics: [],
    data: '0x',
    blockNumber: '0x1',
    blockHash: hex('cd'.repeat(32)),
    ...fields,
  }
}

/** What a launch says by the general decoder; null if its data are not laid out as the event's, or out of bounds. */
function decodeLaunchGenerally({ topics: all, data }: RpcLog) {
  try {
    const { args } = decodeEventLog({
      abi: launchpadAbi,
      eventName: 'CurveCreate',
      topics: all as [Hex, ...Hex[]],
      data,
    })
    requireAmounts(args.totalSupply, args.virtualQuote, args.virtualToken, args.targetQuote)
    requireBps(args.protocolFeeBps, args.creatorFeeBps)
    const { name, symbol, contractURI, ...others } = args
    return {
      ...others,
      token: args.token.toLowerCase(),
      creator: args.creator.toLowerCase(),
      quoteToken: args.quoteToken.toLowerCase(),
      name: truncateText(cleanLine(name), MAX_NAME),
      symbol: truncateText(cleanLine(symbol), MAX_SYMBOL),
      metadataUri: dropLongUri(cleanLine(contractURI)),
    }
  } catch {
    return null
  }
}

t.test(
  'random data of a launch are decoded to the same values as by decodeEventLog, or rejected by both decoders',
  async (t) => {
    const random = createRandom(20_261_126)
    const texts = [
      '',
      'Cat',
      'ipfs://cat',
      '猫 🐱',
      '\0\0hidden\0',
      '\ufeffmark',
      'x'.repeat(70),
      '🐱'.repeat(600),
      'é'.repeat(40),
    ]
    const text = () => texts[random(texts.length)]!
    const inputs = launchpadAbi.find((item) => item.type === 'event' && item.name === 'CurveCreate')!.inputs
    const word = (value: number) => hex(value.toString(16).padStart(64, '0'))
    const seen = { decoded: 0, rejected: 0 }
    for (let round = 0; round < 3_000; round++) {
      const amounts = [10n ** 27n, BigInt(random(1_000)), 7n, 2n ** 128n - BigInt(random(10) > 0)]
      const values = [text(), text(), text(), ...amounts, random(60) * 100, random(60) * 100]
      const bytes = toBytes(encodeAbiParameters(inputs.slice(3) as AbiParameter[], values))
      // Half of the launches stay as they are; in others an offset of a text, any bytes and the end change.
      if (random(2) === 0) {
        if (random(2) === 0) bytes[random(3) * 32 + 31 - random(2)] = random(256)
        for (let left = random(3); left > 0; left--) bytes[random(bytes.length)] = random(256)
      }
      const data = toHex(bytes.subarray(0, random(8) === 0 ? random(bytes.length) : bytes.length))
      const log = makeLog({
        topics: [topics.create as Hex, ...[1, 2, 3].map(word)].slice(0, 4 - Number(random(20) === 0)),
        data,
      })
      const expected = decodeLaunchGenerally(log)
      seen[expected ? 'decoded' : 'rejected']++
      if (!expected) {
        t.throws(() => decodeLog(parseLog(log)), RangeError, data)
        continue
      }
      const { kind: _, launchpad: __, pool, curve, ...fields } = decodeLog(parseLog(log)) as LaunchFact
      const { saleSupply: ___, ...terms } = curve!
      t.strictSame({ ...fields, ...terms }, expected, data)
      t.equal(pool, null)
    }
    t.ok(Math.min(seen.decoded, seen.rejected) > 800, JSON.stringify(seen))
  },
)

t.test('empty and large lists of logs survive packing; truncated packs and invalid logs are rejected', async (t) => {
  const large = makeLog({ logIndex: hex((2 ** 31).toString(16)), data: hex('ff'.repeat(70_000)) })
  for (const logs of [[], [makeLog({})], [makeLog({}), large, makeLog({})]]) {
    const parsed = logs.map(parseLog)
    t.strictSame(unpackLogs(packLogs(parsed)).map(toPlain), parsed.map(toPlain))
  }
  t.equal(parseLog(large).logIndex, 2 ** 31)
  t.throws(() => parseLog(makeLog({ address: '0x01' })), RangeError)
  t.throws(() => parseLog(makeLog({ data: '0xzz' })), RangeError)
  const packed = packLogs([makeLog({ topics: [hex('01'.repeat(32))], data: hex('02'.repeat(64)) })].map(parseLog))
  const bytes = zstdDecompressSync(packed)
  for (let length = 1; length < bytes.length; length++) {
    t.throws(() => unpackLogs(zstdCompressSync(bytes.subarray(0, length))), RangeError, `cut at ${length}`)
  }
})

t.test('data words of any value are read, and reading beyond the end of the data is a RangeError', async (t) => {
  const values = [
    0n,
    1n,
    255n,
    2n ** 64n - 1n,
    2n ** 64n,
    2n ** 112n + 7n,
    2n ** 128n - 1n,
    2n ** 128n,
    2n ** 256n - 1n,
  ]
  const data = hex(values.map((value) => value.toString(16).padStart(64, '0')).join(''))
  // Between others, whose bytes are not its own.
  const [, log] = unpackLogs(packLogs([{}, { data }, {}].map((fields) => parseLog(makeLog(fields)))))
  t.strictSame(
    values.map((_, index) => dataWord(log!, index)),
    values,
  )
  t.throws(() => dataWord(log!, values.length), RangeError)
  t.equal(dataAddress(log!, 8), hex('ff'.repeat(20)))
  t.throws(() => dataAddress(log!, values.length), RangeError)
})

t.test('precompressed logs pack to the same bytes, and are not packed again', async (t) => {
  const digest = (text: string) => hex(createHash('sha256').update(text).digest('hex'))
  for (const count of [1, 50, 5_000]) {
    const logs = Array.from({ length: count }, (_, index) =>
      parseLog(
        makeLog({
          logIndex: hex(index.toString(16)),
          transactionHash: digest(`${index >> 3}`),
          topics: [digest(`${index % 7}`)],
          data: hex(index.toString(16).padStart(64, '0').repeat(8)),
        }),
      ),
    )
    const packed = packLogs(logs)
    const ahead = logs.slice()
    precompressLogs([{ logs: ahead }])
    await finishCompression([{ logs: ahead }])
    t.ok(packLogs(ahead).equals(packed), `${count} logs`)
    t.equal(packLogs(ahead), packLogs(ahead), 'and are not packed again')
  }
})
