import { type Hex, toEventSelector } from 'viem'
import { type AuditedBlock, type AuditedLaunch, type AuditedPool, makeExpected } from '../../../audit/expected.ts'
import { expectBlock } from '../../../audit/oracle.ts'
import { BlockWorth } from '../../../audit/rates.ts'
import type { RpcLog } from '../../../chain/logs/log.ts'
import { encodeEvent, type RawLog, toData, toWord } from '../../support/hostile/logs.ts'

const address = (digit: string): Hex => `0x${digit.repeat(40)}`
export const launchpad = address('a')
export const token = address('b')
export const pair = address('c')
export const [ann, bob, carl, router] = ['1', '2', '3', '4'].map(address) as [Hex, Hex, Hex, Hex]
export const zero = address('0')
export const TX = `0x${'d'.repeat(64)}` as Hex

/** What emits a log, with what it says. */
export type Emitted = [emitter: Hex, log: RawLog, txHash?: Hex | undefined]

export const emitted = (name: string, args: Record<string, unknown>): Emitted => [
  launchpad,
  encodeEvent('launchpad', name, args),
]

export const transfer = (from: Hex, to: Hex, value: bigint, of = token): Emitted => [
  of,
  {
    topics: [toEventSelector('Transfer(address,address,uint256)'), toWord(from), toWord(to)],
    data: toData(value),
  },
]

export const sync = (reserve0: bigint, reserve1: bigint, txHash?: Hex): Emitted => [
  pair,
  { topics: [toEventSelector('Sync(uint112,uint112)')], data: toData(reserve0, reserve1) },
  txHash,
]

/** The amounts are in and out of the pair. */
export const swap = (
  { in0 = 0n, in1 = 0n, out0 = 0n, out1 = 0n }: Partial<Record<'in0' | 'in1' | 'out0' | 'out1', bigint>>,
  to: Hex,
): Emitted => [
  pair,
  {
    topics: [toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'), toWord(router), toWord(to)],
    data: toData(in0, in1, out0, out1),
  },
]

export const toLogs = (logs: readonly Emitted[], first = 5): RpcLog[] =>
  logs.map(([emitter, { topics, data }, txHash = TX], at) => ({
    address: emitter,
    topics: [...topics],
    data,
    logIndex: `0x${(first + at).toString(16)}`,
    blockNumber: '0x64',
    blockHash: TX,
    transactionHash: txHash,
    removed: false,
  })) as unknown as RpcLog[]

/** In block 90. */
export const LAUNCH: AuditedLaunch = { launchpad, creator: carl, soldOutAt: 0n, quote: null, block: 90, log: 7 }

/** A block without prices of quote assets. */
export function blockOf(
  logs: readonly RpcLog[],
  { number = 100, time = 1_790_000_000, nativeUsd = null }: Partial<AuditedBlock> = {},
): AuditedBlock {
  const read = new Map<string, bigint>()
  return { number, time, nativeUsd, read, worth: new BlockWorth(new Map(), { nativeUsd, read }), logs }
}

interface Options {
  nativeUsd?: bigint | null
  launch?: Partial<AuditedLaunch> | null
  pool?: Partial<AuditedPool>
  isFirst?: (makes: readonly string[], key: string) => boolean
}

/** The rows expected of block 100, whose first log has index 5. The token was launched in block 90, its pool opened in 95. */
export function expectRows(logs: readonly Emitted[], options: Options = {}) {
  const { nativeUsd = 2_000n * 10n ** 8n, launch = {}, pool = {}, isFirst = () => true } = options
  const block = blockOf(toLogs(logs), { nativeUsd })
  const out = makeExpected()
  const launched = { ...LAUNCH, ...launch }
  const opened = {
    token,
    venue: 'uniswap-v2',
    quote: null,
    isToken0: true,
    since: 95,
    sinceLog: 9,
    sinceTx: `0x${'e'.repeat(64)}`,
    isDirect: false,
    manager: null,
    ...pool,
  }
  expectBlock(out, block, new Map([[launchpad, 'launchpad']]), {
    tokens: new Map(launch === null ? [] : [[token, launched]]),
    pools: new Map([[pair, opened]]),
    isFirst,
    quoteOf: () => null,
    isShared: () => false,
    answerOf: () => null,
    managerOf: () => null,
  })
  return out
}
