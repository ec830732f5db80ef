import { toChangePercent } from '../../chain/price.ts'
import type { ScreenedToken } from '../../db/queries/screener.ts'
import { launchpadKinds } from '../../launchpads/kinds.ts'
import { roundDown } from './usd-bounds.ts'

/** Bits of a token's flags. */
export const FLAGS = { hidden: 1, featured: 2, hasLinks: 4, curve: 8, completed: 16, graduated: 32 } as const
export const FLAG_VALUES = 64

/** Words of an address, 32 bits each. */
const CREATOR_WORDS = 5

/** Columns of eight bytes. Null is NaN, which is within no range. */
const FLOATS = [
  'createdAt',
  'createdBlock',
  'graduatedBlock',
  'trend',
  'progress',
  'marketCap',
  'liquidity',
  'volumeH24',
  'volumeUsdM5',
  'volumeUsdH1',
  'volumeUsdH6',
  'volumeUsdH24',
  'top10Pct',
  'creatorHeldPct',
  'sniperPct',
  'bundlerPct',
  'changeM5',
  'changeH1',
  'changeH6',
  'changeH24',
  'since',
  'until',
] as const

/** Columns of four bytes. */
const INTEGERS = [
  'id',
  'createdLog',
  'graduatedLog',
  'buysM5',
  'sellsM5',
  'buysH1',
  'sellsH1',
  'buysH6',
  'sellsH6',
  'makersM5',
  'makersH1',
  'makersH6',
  'tradesM5',
  'tradesH1',
  'tradesH6',
  'buysH24',
  'sellsH24',
  'tradesH24',
  'makersH24',
  'holders',
  'launchpad',
  'quote',
] as const

export type FloatColumn = (typeof FLOATS)[number]
export type IntegerColumn = (typeof INTEGERS)[number]

/** Of a text besides its characters: its place, and what V8 stores with a string. */
const TEXT_BYTES = 28

/** Space is added by this share, so that a filled store wastes little. */
const GROWTH = 1.25
/** A load reserves this much more than it needs. */
const SPARE = 1.02
const FIRST_CAPACITY = 1_024
const MAX_INTEGER = 2_147_483_647

/**
 * What the token list can be filtered and sorted by: a typed array for each column, and a row for each token. Rows are in no
 * order; removing one moves the last row to its place.
 */
export class TokenColumns {
  /** The number of rows. */
  size = 0
  floats = makeColumns(FLOATS, (length) => new Float64Array(length), 0)
  integers = makeColumns(INTEGERS, (length) => new Int32Array(length), 0)
  flags = new Uint8Array(0)
  creators = new Uint32Array(0)
  /** Name and symbol in lower case. */
  texts: string[] = []
  /** One more than the row, by the number of the token; 0 for a token that has none. */
  #places = new Int32Array(0)
  #textLength = 0
  /** In which pass of a load the row was read last. */
  #passes = new Uint8Array(0)

  get bytes(): number {
    const columns = [...Object.values(this.floats), ...Object.values(this.integers)]
    return [...columns, this.flags, this.creators, this.#places, this.#passes].reduce(
      (sum, { byteLength }) => sum + byteLength,
      this.#textLength + this.size * TEXT_BYTES,
    )
  }

  /** The row of a token; -1 if it has none. */
  rowOf(id: number): number {
    return (this.#places[id] ?? 0) - 1
  }

  /** Makes room for so many rows: without it, the arrays of a load would be copied again and again. */
  reserve(rows: number): void {
    if (rows > this.flags.length) this.#grow(Math.ceil(rows * SPARE))
  }

  put(token: ScreenedToken, pass: number): void {
    const known = this.rowOf(token.id)
    const row = known === -1 ? this.#append(token.id) : known
    this.#passes[row] = pass
    writeRow(this, row, token)
    const text = toText(token.name, token.symbol)
    this.#textLength += text.length - (this.texts[row]?.length ?? 0)
    this.texts[row] = text
  }

  remove(id: number): void {
    const row = this.rowOf(id)
    if (row === -1) return
    this.#places[id] = 0
    const last = --this.size
    this.#textLength -= this.texts[row]!.length
    const text = this.texts.pop()!
    if (row === last) return
    this.texts[row] = text
    for (const column of [...Object.values(this.floats), ...Object.values(this.integers), this.flags, this.#passes])
      column[row] = column[last]!
    this.creators.copyWithin(row * CREATOR_WORDS, last * CREATOR_WORDS, (last + 1) * CREATOR_WORDS)
    this.#places[this.integers.id[row]!] = row + 1
  }

  /** Removes the rows that were not read in a pass. */
  removeOthers(pass: number): void {
    for (let row = this.size - 1; row >= 0; row--) if (this.#passes[row] !== pass) this.remove(this.integers.id[row]!)
  }

  /** Tokens whose prices at the start of a window are others at a clock in unix seconds than when they were read. */
  findOutdated(clock: number): number[] {
    const { since, until } = this.floats
    const found: number[] = []
    for (let row = 0; row < this.size; row++)
      if (clock >= until[row]! || clock < since[row]!) found.push(this.integers.id[row]!)
    return found
  }

  /** Tokens that were created after a time and up to another one, in unix seconds. */
  findCreated(after: number, until: number): number[] {
    const { createdAt } = this.floats
    const found: number[] = []
    for (let row = 0; row < this.size; row++)
      if (createdAt[row]! > after && createdAt[row]! <= until) found.push(this.integers.id[row]!)
    return found
  }

  #append(id: number): number {
    if (this.size === this.flags.length) this.#grow(Math.max(FIRST_CAPACITY, Math.ceil(this.size * GROWTH)))
    if (id >= this.#places.length) {
      const places = new Int32Array(Math.max(FIRST_CAPACITY, Math.ceil((id + 1) * GROWTH)))
      places.set(this.#places)
      this.#places = places
    }
    const row = this.size++
    this.#places[id] = row + 1
    return row
  }

  #grow(capacity: number): void {
    const grown = <Column extends Float64Array | Int32Array | Uint8Array | Uint32Array>(from: Column, to: Column) => {
      to.set(from)
      return to
    }
    const { floats, integers } = this
    this.floats = makeColumns(FLOATS, (length, name) => grown(floats[name], new Float64Array(length)), capacity)
    this.integers = makeColumns(INTEGERS, (length, name) => grown(integers[name], new Int32Array(length)), capacity)
    this.flags = grown(this.flags, new Uint8Array(capacity))
    this.#passes = grown(this.#passes, new Uint8Array(capacity))
    this.creators = grown(this.creators, new Uint32Array(capacity * CREATOR_WORDS))
  }
}

function makeColumns<Name extends string, Column>(
  names: readonly Name[],
  make: (length: number, name: Name) => Column,
  length: number,
): Record<Name, Column> {
  return Object.fromEntries(names.map((name) => [name, make(length, name)])) as Record<Name, Column>
}

function writeRow({ floats, integers, flags, creators }: TokenColumns, row: number, token: ScreenedToken): void {
  const { price } = token
  floats.createdAt[row] = token.created_at
  floats.createdBlock[row] = token.created_block
  floats.graduatedBlock[row] = token.graduated_block ?? Number.NaN
  floats.trend[row] = token.trend
  floats.progress[row] = token.progress
  floats.marketCap[row] = roundDown(BigInt(token.market_cap))
  floats.liquidity[row] = token.liquidity === null ? Number.NaN : roundDown(BigInt(token.liquidity))
  floats.volumeH24[row] = token.volume_h24
  floats.volumeUsdM5[row] = token.volume_usd_m5
  floats.volumeUsdH1[row] = token.volume_usd_h1
  floats.volumeUsdH6[row] = token.volume_usd_h6
  floats.volumeUsdH24[row] = token.volume_usd_h24
  floats.top10Pct[row] = token.top10_pct ?? Number.NaN
  floats.creatorHeldPct[row] = token.creator_pct ?? Number.NaN
  floats.sniperPct[row] = token.sniper_pct ?? Number.NaN
  floats.bundlerPct[row] = token.bundler_pct ?? Number.NaN
  floats.changeM5[row] = toChangePercent(price, token.price_m5) ?? Number.NaN
  floats.changeH1[row] = toChangePercent(price, token.price_h1) ?? Number.NaN
  floats.changeH6[row] = toChangePercent(price, token.price_h6) ?? Number.NaN
  floats.changeH24[row] = toChangePercent(price, token.price_h24) ?? Number.NaN
  floats.since[row] = token.since ?? Number.NEGATIVE_INFINITY
  floats.until[row] = token.until ?? Number.POSITIVE_INFINITY
  integers.id[row] = token.id
  integers.createdLog[row] = token.created_log
  integers.graduatedLog[row] = token.graduated_log ?? 0
  integers.buysM5[row] = capped(token.buys_m5)
  integers.sellsM5[row] = capped(token.sells_m5)
  integers.buysH6[row] = capped(token.buys_h6)
  integers.sellsH6[row] = capped(token.sells_h6)
  integers.makersM5[row] = capped(token.makers_m5)
  integers.makersH1[row] = capped(token.makers_h1)
  integers.makersH6[row] = capped(token.makers_h6)
  integers.buysH1[row] = capped(token.buys_h1)
  integers.sellsH1[row] = capped(token.sells_h1)
  integers.tradesM5[row] = capped(token.trades_m5)
  integers.tradesH6[row] = capped(token.trades_h6)
  integers.tradesH1[row] = capped(token.buys_h1 + token.sells_h1)
  integers.buysH24[row] = capped(token.buys_h24)
  integers.sellsH24[row] = capped(token.sells_h24)
  integers.tradesH24[row] = capped(token.buys_h24 + token.sells_h24)
  integers.makersH24[row] = capped(token.traders_h24)
  integers.holders[row] = capped(token.holder_count)
  integers.launchpad[row] = KINDS.indexOf(token.launchpad_kind)
  integers.quote[row] = token.quote_id
  flags[row] =
    FLAGS[token.status] |
    (token.hidden ? FLAGS.hidden : 0) |
    (token.featured ? FLAGS.featured : 0) |
    (token.has_links ? FLAGS.hasLinks : 0)
  creators.set(toWords(token.creator), row * CREATOR_WORDS)
}

/** A column has their numbers. */
export const KINDS = Object.keys(launchpadKinds)

const capped = (count: number): number => Math.min(count, MAX_INTEGER)

/** A word that spans both is found in neither. */
const toText = (name: string, symbol: string): string => `${name}\n${symbol}`.toLowerCase()

const WORD_DIGITS = 8

/** An address as numbers of 32 bits. */
export const toWords = (address: string): number[] =>
  Array.from({ length: CREATOR_WORDS }, (_, at) =>
    Number.parseInt(address.slice(2 + at * WORD_DIGITS, 2 + (at + 1) * WORD_DIGITS), 16),
  )
