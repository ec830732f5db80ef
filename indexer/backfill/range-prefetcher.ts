// Saves a tenth of a backfill (`npm run bench:indexer`), which would request nothing while a range is decoded.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, OpenDatabase } from '../../db/client.ts'
import { type FetchedRange, findComparedHeights, isLinkedTo, makeRange } from '../engine/backfill.ts'
import type { Block } from '../engine/batch.ts'
import type { Contracts } from '../engine/contracts.ts'
import { detachCreations } from '../engine/creations.ts'
import type { Fetcher, RangeLogs } from '../engine/fetch.ts'
import { precompressLogs } from '../engine/pack-logs.ts'
import { decodeAhead, joinDecoded } from './decode-ahead.ts'

/** The first range is small, because a chain may be dense from its first block on. */
const FIRST_SPAN = 4
const MAX_SPAN = 10_000
/** Bounds the overshoot where a chain becomes dense. */
const MAX_GROWTH = 1.5

export interface BatchSizes {
  /** Target number of logs in a range: few, so that one is decoded while the next one is requested and parsed. */
  range: number
  /** A batch has at least this many logs if more follow. */
  least: number
  /** take() joins no range to a batch with this many logs, which cost memory, about 2 KB each. */
  most: number
  /**
   * takeMore() adds no range to a batch with this many logs. A transaction writes each wallet, token and candle once, so longer
   * ones are less work; but a crash loses more.
   */
  total: number
  /** No range is requested while the ranges ahead of a batch have this many logs. */
  ahead: number
  /** The most ranges ahead of a batch. */
  rangesAhead: number
}

/**
 * PGlite has one connection. While a batch is applied, which takes it a second or two, requests wait, and nothing is decoded
 * ahead, so no range can be added to it.
 */
const SIZES: Record<OpenDatabase['kind'], BatchSizes> = {
  postgres: { range: 40_000, least: 10_000, most: 120_000, total: 400_000, ahead: 120_000, rangesAhead: 8 },
  pglite: { range: 40_000, least: 40_000, most: 60_000, total: 0, ahead: 80_000, rangesAhead: 2 },
}
/** Bounds the time until a batch where a chain has few logs. */
const MAX_RANGES = 8
/** A transaction waits this long for the next range. If it takes longer, applying is not what limits the indexer. */
const MORE_WAIT_MS = 1_000

interface Options {
  db: Db
  contracts: Contracts
  databaseKind: OpenDatabase['kind']
  /** Default: those of the database. */
  sizes?: BatchSizes | undefined
  /** A fetcher that continues after a height. */
  openFetcher: (after: number) => Promise<RangeFetcher>
}

export type RangeFetcher = Pick<Fetcher, 'requestRange' | 'makeBlocks' | 'reached'>

interface Range {
  after: number
  to: number
  fetcher: Promise<RangeFetcher>
  /** Number of its logs; undefined until they have arrived. */
  count: number | undefined
  /** Its logs that create something: what decoding later ranges depends on. */
  creations: Promise<Block[]>
  /** Null once it was taken. */
  fetched: Promise<FetchedRange> | null
  /** Whether `fetched` has resolved. */
  isReady: boolean
}

/**
 * The consecutive ranges of a backfill, sized by what they hold, and joined to batches. While a batch is applied, the next
 * ranges are requested, made into blocks and decoded. Requests run one after another, and so does each later step: a range is
 * requested while the one before is being decoded.
 */
export class RangePrefetcher {
  readonly #options: Options
  readonly #sizes: BatchSizes
  /** Those not taken yet, lowest first. */
  #ranges: Range[] = []
  /** Those of the batch being applied. */
  #taken: Range[] = []
  #takenLogs = 0
  #span = FIRST_SPAN
  #limit = 0
  #fetcher: RangeFetcher | undefined

  constructor(options: Options) {
    this.#options = options
    this.#sizes = options.sizes ?? SIZES[options.databaseKind]
  }

  /**
   * The batch after a height, up to `limit` at most. Call it after the batch before was applied: the next ranges are fetched
   * meanwhile. Rejects with the first error of fetching or decoding; clear then.
   */
  async take(after: number, limit: number): Promise<FetchedRange> {
    this.#limit = limit
    this.#taken = []
    this.#takenLogs = 0
    if (this.#ranges[0]?.after !== after) {
      this.#ranges = []
      this.#start(after)
    }
    const { least, most } = this.#sizes
    const joined = [await this.#takeNext()]
    for (let logs = countLogs(joined); logs < most && joined.length < MAX_RANGES; logs = countLogs(joined)) {
      const next = this.#ranges[0]
      if (!next || (logs >= least && !next.isReady)) break
      // The batch ends before a range that fails or is of another branch, so that the next batch reports it.
      const range = await next.fetched!.catch(ignore)
      if (!range || this.#ranges[0] !== next || !isLinkedTo(range, joined.at(-1)!.to)) break
      joined.push(await this.#takeNext())
    }
    this.#takenLogs = countLogs(joined)
    return joinRanges(joined)
  }

  /**
   * Adds the next range to the batch being applied. Undefined, and the range stays, if the batch is large enough, or the range
   * fails, does not arrive in time, or is not accepted.
   */
  async takeMore(accepts: (range: FetchedRange) => boolean): Promise<FetchedRange | undefined> {
    const next = this.#ranges[0]
    if (!next || this.#takenLogs >= this.#sizes.total) return undefined
    const waiting = new AbortController()
    const late = sleep(MORE_WAIT_MS, undefined, { signal: waiting.signal }).catch(ignore)
    const range = (await Promise.race([next.fetched?.catch(ignore), late])) ?? undefined
    waiting.abort()
    if (!range || this.#ranges[0] !== next || !accepts(range)) return undefined
    this.#takenLogs += countLogs([range])
    return this.#takeNext()
  }

  #takeNext(): Promise<FetchedRange> {
    const range = this.#ranges.shift()!
    const fetched = range.fetched!
    // Its logs take much memory, and this batch may take many ranges.
    range.fetched = null
    this.#taken.push(range)
    this.#extend()
    return fetched
  }

  /** Drops the ranges ahead and the fetcher: they may be of an orphaned branch, or follow a former checkpoint. */
  clear(): void {
    this.#ranges = []
    this.#taken = []
    this.#fetcher = undefined
  }

  /** Starts the range after the newest one, unless its logs have not arrived yet. */
  #extend(): void {
    const newest = this.#ranges.at(-1) ?? this.#taken.at(-1)
    if (newest?.count === undefined || newest.to >= this.#limit) return
    const { ahead, rangesAhead } = this.#sizes
    const logs = this.#ranges.reduce((sum, { count = 0 }) => sum + count, 0)
    if (this.#ranges.length < rangesAhead && logs < ahead) this.#start(newest.to, newest)
  }

  #start(after: number, previous?: Range): void {
    const fetcher = previous?.fetcher ?? this.#openFetcher(after)
    const to = Math.min(after + this.#span, this.#limit)
    const logs = fetcher.then((opened) => opened.requestRange({ from: after + 1, to }))
    const made = this.#make({ after, to, fetcher, logs }, previous)
    // Those of the batch being applied may be committed or not when the decoders are opened.
    const uncommitted = [...this.#taken, ...this.#ranges].map((range) => range.creations)
    const fetched = this.#decode(made, uncommitted)
    const creations = made.then(({ blocks }) => detachCreations(this.#options.contracts, blocks))
    const range: Range = { after, to, fetcher, count: undefined, creations, fetched, isReady: false }
    this.#ranges.push(range)
    logs.then((requested) => {
      const { count } = requested
      range.to = requested.range.to
      // Cleared meanwhile.
      if (!this.#taken.includes(range) && !this.#ranges.includes(range)) return
      range.count = count
      // The last range is often too short to predict the density of longer ones.
      if (range.to < this.#limit) this.#adaptSpan(range.to - after, findDensity(requested))
      this.#extend()
    }, ignore)
    fetched.then(() => {
      range.isReady = true
    }, ignore)
    // take() returns the first error; until then nobody awaits these.
    for (const promise of [creations, fetched]) promise.catch(ignore)
  }

  /** The last one, if it ends at this height. */
  async #openFetcher(after: number): Promise<RangeFetcher> {
    if (this.#fetcher?.reached !== after) this.#fetcher = await this.#options.openFetcher(after)
    return this.#fetcher
  }

  async #make(
    { after, to, fetcher, logs }: Pick<Range, 'after' | 'to' | 'fetcher'> & { logs: Promise<RangeLogs> },
    previous: Range | undefined,
  ): Promise<FetchedRange> {
    const heights = findComparedHeights(this.#options.db, after, to)
    await Promise.all([logs, heights, previous?.creations])
    return makeRange(await fetcher, await logs, await heights)
  }

  /** uncommitted: the creations of earlier ranges that may not be committed yet. */
  async #decode(made: Promise<FetchedRange>, uncommitted: readonly Promise<Block[]>[]): Promise<FetchedRange> {
    const { contracts, databaseKind, db } = this.#options
    const range = await made
    precompressLogs(range.blocks)
    if (databaseKind !== 'postgres') return range
    const creations = (await Promise.all(uncommitted)).flat()
    return { ...range, decoded: await decodeAhead(db, contracts, range.blocks, creations) }
  }

  /** length: of a range in blocks; density: logs per block. */
  #adaptSpan(length: number, density: number): void {
    const wanted = this.#sizes.range / Math.max(density, Number.EPSILON)
    const span = Math.round(Math.min(length * MAX_GROWTH, Math.max(length / 4, wanted)))
    this.#span = Math.min(MAX_SPAN, Math.max(1, span))
  }
}

/**
 * Logs per block that the next range may have: those of this one, or of its last quarter if these are more, as where a chain
 * becomes dense.
 */
export function findDensity({
  range: { from, to },
  gathered,
  count,
}: Pick<RangeLogs, 'range' | 'count'> & {
  gathered: ReadonlyMap<number, { logs: { length: number } }>
}): number {
  const length = to - from + 1
  const quarter = Math.ceil(length / 4)
  let last = 0
  for (const [number, { logs }] of gathered) if (number > to - quarter) last += logs.length
  return Math.max(count / length, last / quarter)
}

const countLogs = (ranges: readonly FetchedRange[]) =>
  ranges.reduce((sum, { blocks }) => blocks.reduce((logs, block) => logs + block.logs.length, sum), 0)

function joinRanges(ranges: readonly FetchedRange[]): FetchedRange {
  const [first, last] = [ranges[0]!, ranges.at(-1)!]
  if (first === last) return first
  return {
    ...last,
    blocks: ranges.flatMap(({ blocks }) => blocks),
    decoded: joinDecoded(ranges.map(({ decoded }) => decoded)),
  }
}

const ignore = () => {}
