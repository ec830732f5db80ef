import t from 'tap'
import {
  type Abi,
  type AbiEvent,
  type AbiParameter,
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbi,
  toEventSelector,
  toHex,
} from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { type Log, parseLog, type RpcLog } from '../../chain/logs/log.ts'
import { launchpads } from '../../launchpads/index.ts'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import { venues } from '../../venues/index.ts'
import * as abis from '../support/launchpads/abi.ts'

/*
 * The audit reads logs by their ABI, which rejects those with fewer topics or words than the event has. An adapter that reads such a
 * log has figures that the audit has not.
 */
const pancakeSwap = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
])
const ofLaunchpads: Readonly<Record<LaunchpadKind, Abi>> = {
  slipway: launchpadAbi,
  'nad-fun': abis.nadFunEvents,
  'clanker-v31': abis.clankerV31Events,
  'four-meme': abis.fourMemeV2Events,
  flap: abis.flapEvents,
  'clanker-v4': abis.clankerV4Events,
}
const ofVenues: Readonly<Record<string, Abi>> = {
  'uniswap-v2': uniswapV2PairAbi,
  'uniswap-v3': [...abis.venueEvents, ...pancakeSwap],
  'uniswap-v4': abis.poolManagerEvents,
}

type RawLog = Pick<RpcLog, 'topics' | 'data'>

function makeValue({ type, name = '' }: AbiParameter): unknown {
  if (type === 'string') return 'text'
  if (type === 'address') return toHex(5, { size: 20 })
  if (type === 'bytes32') return toHex(9, { size: 32 })
  if (type.endsWith('[]')) return []
  if (name.startsWith('sqrt')) return 2n ** 96n
  return Number(/\d+$/.exec(type)) > 48 ? 3n : 3
}

function encode(event: AbiEvent): RawLog {
  const args = Object.fromEntries(event.inputs.map((input) => [input.name, makeValue(input)]))
  const words = event.inputs.filter(({ indexed }) => !indexed)
  return {
    topics: encodeEventTopics({ abi: [event], eventName: event.name, args }) as Hex[],
    data: encodeAbiParameters(words, words.map(makeValue)),
  }
}

const parse = (raw: RawLog): Log =>
  parseLog({
    ...{ ...raw, address: toHex(7, { size: 20 }), blockNumber: '0x1', logIndex: '0x0' },
    ...{ blockHash: toHex(0, { size: 32 }), transactionHash: toHex(0, { size: 32 }) },
  } as RpcLog)

const eventsOf = (abi: Abi, topics: readonly string[]) =>
  abi.filter((item): item is AbiEvent => item.type === 'event' && topics.includes(toEventSelector(item)))

/** The log without its last topics or words, in every length. */
const shorten = ({ topics, data }: RawLog): RawLog[] => [
  ...topics.slice(1).map((_, index) => ({ topics: topics.slice(0, index + 1), data })),
  ...Array.from({ length: (data.length - 2) / 64 }, (_, words) => ({
    topics,
    data: data.slice(0, 2 + 64 * words) as Hex,
  })),
]

function isValid(event: AbiEvent, { topics, data }: RawLog): boolean {
  try {
    decodeEventLog({ abi: [event], topics: topics as [Hex, ...Hex[]], data })
    return true
  } catch {
    return false
  }
}

function has(read: () => boolean): boolean {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

for (const launchpad of launchpads) {
  t.test(`${launchpad.kind}: an event without all of its arguments is rejected`, async (t) => {
    const events = eventsOf(ofLaunchpads[launchpad.kind], launchpad.topics)
    const others = [...events, ...eventsOf(abis.venueEvents, launchpad.venue.shared?.topics ?? [])]
    const logs = others.map((event) => parse(encode(event)))
    t.ok(events.length > 0)
    for (const event of events) {
      for (const raw of shorten(encode(event)).filter((raw) => !isValid(event, raw))) {
        const fact = has(() => launchpad.decode(parse(raw), () => logs, toHex(0, { size: 96 })) !== undefined)
        t.notOk(fact, `${event.name} with ${raw.topics.length} topics and ${(raw.data.length - 2) / 64} words`)
      }
    }
  })
}

for (const venue of venues) {
  t.test(`${venue.name}: an event without all of its arguments is rejected`, async (t) => {
    const pool = { address: toHex(7, { size: 20 }), token: toHex(8, { size: 20 }), tokenFirst: true, manager: null }
    const read = (raw: RawLog) => {
      let facts = 0
      const reader = venue.open(pool, () => facts++)
      reader.add(parse(raw), () => [])
      const isPriced = reader.firstPrice !== undefined
      reader.finish()
      return isPriced || facts > 0
    }
    const events = eventsOf(ofVenues[venue.name]!, venue.topics)
    t.ok(events.some((event) => has(() => read(encode(event)))))
    for (const event of events) {
      for (const raw of shorten(encode(event)).filter((raw) => !isValid(event, raw)))
        t.notOk(
          has(() => read(raw)),
          `${event.name} with ${raw.topics.length} topics and ${(raw.data.length - 2) / 64} words`,
        )
    }
  })
}
