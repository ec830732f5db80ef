import type { Header } from '../../chain/client.ts'
import type { Db, OpenDatabase } from '../../db/client.ts'
import type { Block } from './batch.ts'
import type { Contracts } from './contracts.ts'
import { type DecodedAhead, decodeAhead } from './decode.ts'
import { ChainMovedError, type Fetcher, type RangeLogs } from './fetch.ts'
import { precompressLogs } from './pack-logs.ts'

/** The first range is small, because a chain may be dense from its first block on. */
const FIRST_SPAN = 4
const MAX_SPAN = 10_000
/** Bounds the overshoot where a chain becomes dense. */
const MAX_GROWTH = 2
/**
 * Target number of logs in a range. Applying it writes each touched wallet, token and candle once, so fewer, larger ranges
 * are less work for PostgreSQL; more logs cost memory, about 2 KB each. PGlite blocks the event loop: its batches take a
 * second or two.
 */
const TARGET_LOGS = { postgres: 120_000, pglite: 20_000 } as const
/** Ranges ahead of the one being applied. PGlite has one connection, which the apply uses: nothing is decoded ahead. */
const DEPTH = { postgres: 2, pglite: 1 } as const

/** Final blocks, ready to be applied. */
export interface FetchedRange {
  blocks: Block[]
  decoded?: DecodedAhead
  /** Header of the last block. */
  to: Header
  /** The price after it. */
  quoteUsd: bigint | null
}

interface Options {
  db: Db
  contracts: Contracts
  databaseKind: OpenDatabase['kind']
  /** A fetcher that continues after a height. */
  openFetcher: (after: number) => Promise<Fetcher>
}

interface Range {
  after: number
  to: number
  fetcher: Promise<Fetcher>
  /** Whether its logs have arrived. */
  isRead: boolean
  logs: Promise<RangeLogs>
  blocks: Promise<Block[]>
  fetched: Promise<FetchedRange>
}

/**
 * The consecutive ranges of a backfill, sized by what they hold. While one is applied, the next ones are requested, made
 * into blocks and decoded. Requests run one after another, and so does each later step: a range is requested while the
 * one before is being decoded.
 */
export class RangesAhead {
  readonly #options: Options
  /** Those not taken yet, lowest first. */
  #ranges: Range[] = []
  /** The range being applied. */
  #taken: Range | undefined
  #span = FIRST_SPAN
  #limit = 0

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * The range after a height; a new one ends at `limit` at most. Call it after the range before was applied: the next ones
   * are fetched meanwhile. Rejects with the first error of fetching or decoding; clear then.
   */
  async take(after: number, limit: number): Promise<FetchedRange> {
    this.#limit = limit
    if (this.#ranges[0]?.after !== after) {
      this.clear()
      this.#start(after)
    }
    const taken = this.#ranges.shift()!
    // The last range is not kept, because none follows it.
    this.#taken = taken.to < limit ? taken : undefined
    this.#extend()
    return taken.fetched
  }

  /** Drops the ranges ahead, which may be of an orphaned branch or follow a former checkpoint. Returns whether there were any. */
  clear(): boolean {
    const hadAny = this.#ranges.length > 0
    this.#ranges = []
    this.#taken = undefined
    return hadAny
  }

  /** Starts the range after the newest one, unless its logs have not arrived yet. */
  #extend(): void {
    const newest = this.#ranges.at(-1) ?? this.#taken
    if (!newest?.isRead || newest.to >= this.#limit) return
    if (this.#ranges.length < DEPTH[this.#options.databaseKind]) this.#start(newest.to, newest)
  }

  #start(after: number, previous?: Range): void {
    const fetcher = previous?.fetcher ?? this.#options.openFetcher(after)
    const to = Math.min(after + this.#span, this.#limit)
    const logs = fetcher.then((opened) => opened.requestRange({ from: after + 1, to }))
    const blocks = this.#makeBlocks({ after, to, fetcher, logs }, previous)
    const preceding = [this.#taken, ...this.#ranges].flatMap((range) => range?.blocks ?? [])
    const range = { after, to, fetcher, logs, blocks, isRead: false, fetched: this.#finish(blocks, preceding) }
    this.#ranges.push(range)
    logs.then(({ count }) => {
      // Cleared meanwhile, or the last range, which is often short and tells nothing of longer ones.
      if (range !== this.#taken && !this.#ranges.includes(range)) return
      range.isRead = true
      this.#adaptSpan(to - after, count)
      this.#extend()
    }, ignore)
    // take() returns the first error; until then nobody awaits these.
    for (const promise of [blocks, range.fetched]) promise.catch(ignore)
  }

  async #makeBlocks(
    { after, to, fetcher, logs }: Pick<Range, 'after' | 'to' | 'fetcher' | 'logs'>,
    previous: Range | undefined,
  ): Promise<Block[]> {
    // A receipt sync may have stored a block of the range that was orphaned since: compare its header.
    const stored = this.#options.db
      .selectFrom('blocks')
      .select('number')
      .where('number', '>', after)
      .where('number', '<=', to)
      .execute()
    const [requested, rows] = await Promise.all([logs, stored, previous?.blocks])
    const heights = [after + 1, to, ...rows.map(({ number }) => number)]
    const blocks = await (await fetcher).makeBlocks(requested, heights)
    if (blocks.at(-1)?.number !== to) throw new ChainMovedError(`Block ${to} is gone`)
    return blocks
  }

  /** preceding: the blocks before these that may not be stored yet. */
  async #finish(made: Promise<Block[]>, preceding: readonly Promise<Block[]>[]): Promise<FetchedRange> {
    const { contracts, databaseKind, db } = this.#options
    const blocks = await made
    const last = blocks.at(-1)!
    await precompressLogs(blocks)
    const fetched = { blocks, to: { ...last, parentHash: last.parentHash ?? '' }, quoteUsd: last.quoteUsd }
    if (databaseKind !== 'postgres') return fetched
    const decoded = await decodeAhead(db, contracts, blocks, (await Promise.all(preceding)).flat())
    return { ...fetched, ...(decoded && { decoded }) }
  }

  /** length: of a range in blocks. */
  #adaptSpan(length: number, logs: number): void {
    const factor = TARGET_LOGS[this.#options.databaseKind] / Math.max(logs, 1)
    const span = Math.round(length * Math.min(MAX_GROWTH, Math.max(0.25, factor)))
    this.#span = Math.min(MAX_SPAN, Math.max(1, span))
  }
}

const ignore = () => {}
