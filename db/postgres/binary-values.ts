/*
 * Values in PostgreSQL's binary format, for COPY and for arrays. Saves two fifths of the server's time of a COPY of trades
 * (`npm run bench:indexer`), because it parses no decimal digits.
 */

/**
 * numeric8 is a numeric with eight decimals, as a bigint in units of the last one; hex a bytea, as 0x text; char
 * PostgreSQL's "char", as an ASCII letter.
 */
export type ValueType =
  | 'text'
  | 'numeric'
  | 'numeric8'
  | 'bigint'
  | 'integer'
  | 'smallint'
  | 'float8'
  | 'boolean'
  | 'bytea'
  | 'hex'
  | 'char'
  | 'jsonb'

/** A numeric is an integer, or a string of decimal digits with an optional sign and fraction. */
export type Value = string | number | bigint | boolean | Buffer | null

/** Object identifiers in pg_type. */
const OIDS: Record<ValueType, number> = {
  boolean: 16,
  bytea: 17,
  hex: 17,
  char: 18,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  float8: 701,
  numeric: 1700,
  numeric8: 1700,
  jsonb: 3802,
}

const NULL_LENGTH = -1
const JSONB_VERSION = 1
const [MINUS, ZERO] = [0x2d, 0x30]
const NEGATIVE = 0x4000
/** A numeric is a sequence of digits to base 10,000, each of four decimal ones. */
const GROUP = 4
const BASE = 10_000
const GROUPS_OF_NUMERIC8 = 8 / GROUP
const MAX_UINT64 = (1n << 64n) - 1n
/** Larger integers are rare. */
const MAX_SIZE = (1n << 128n) - 1n

const EMPTY = Buffer.alloc(0)

/** Appends values to a growing buffer, each after its length in bytes. */
export class BinaryWriter {
  readonly #capacity: number
  #bytes = EMPTY
  #view = viewOf(EMPTY)
  #end = 0

  /** capacity: of a new buffer, in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get length(): number {
    return this.#end
  }

  /** The bytes so far. The writer continues in a new buffer. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#end)
    this.#bytes = EMPTY
    this.#view = viewOf(EMPTY)
    this.#end = 0
    return taken
  }

  raw(bytes: Buffer): void {
    this.#reserve(bytes.length)
    this.#end += bytes.copy(this.#bytes, this.#end)
  }

  int16(value: number): void {
    this.#reserve(2)
    this.#view.setInt16(this.#end, value)
    this.#end += 2
  }

  int32(value: number): void {
    this.#reserve(4)
    this.#view.setInt32(this.#end, value)
    this.#end += 4
  }

  /** Throws TypeError or RangeError if the value is not of the type. */
  value(type: ValueType, value: Value): void {
    if (value === null) {
      this.int32(NULL_LENGTH)
      return
    }
    switch (type) {
      case 'text':
        this.#text(value as string)
        break
      case 'numeric':
        if (typeof value === 'bigint') this.#integer(value, 0)
        else this.#decimal(String(value))
        break
      case 'numeric8':
        if (typeof value !== 'bigint') throw new TypeError(`${value} is no bigint`)
        this.#integer(value, GROUPS_OF_NUMERIC8)
        break
      case 'bigint':
        this.#int64(Number(value))
        break
      case 'integer':
        this.int32(4)
        this.int32(requireInteger(value, 0x7fffffff))
        break
      case 'smallint':
        this.int32(2)
        this.int16(requireInteger(value, 0x7fff))
        break
      case 'float8':
        if (typeof value !== 'number') throw new TypeError(`${value} is no number`)
        this.int32(8)
        this.#reserve(8)
        this.#view.setFloat64(this.#end, value)
        this.#end += 8
        break
      case 'boolean':
        if (typeof value !== 'boolean') throw new TypeError(`${value} is no boolean`)
        this.int32(1)
        this.#byte(value ? 1 : 0)
        break
      case 'bytea':
        this.int32((value as Buffer).length)
        this.raw(value as Buffer)
        break
      case 'hex':
        this.#hex(value as string)
        break
      case 'char':
        this.int32(1)
        this.#byte((value as string).charCodeAt(0))
        break
      case 'jsonb':
        this.#jsonb(value as string)
    }
  }

  /** Appends the elements of an array and their count. */
  array<Row>(type: ValueType, rows: readonly Row[], read: (row: Row) => Value): void {
    const isEmpty = rows.length === 0
    this.int32(isEmpty ? 0 : 1)
    // Elements may be null: the server counts them.
    this.int32(1)
    this.int32(OIDS[type])
    if (isEmpty) return
    this.int32(rows.length)
    this.int32(1)
    for (const row of rows) this.value(type, read(row))
  }

  #text(text: string): void {
    this.#reserve(4 + text.length * 3)
    const size = this.#bytes.write(text, this.#end + 4)
    this.#view.setInt32(this.#end, size)
    this.#end += 4 + size
  }

  #hex(text: string): void {
    const size = text.length / 2 - 1
    this.#reserve(4 + size)
    const written = this.#bytes.write(text.slice(2), this.#end + 4, 'hex')
    if (written !== size || !text.startsWith('0x')) throw new RangeError(`"${text}" is no 0x text`)
    this.#view.setInt32(this.#end, size)
    this.#end += 4 + size
  }

  #jsonb(text: string): void {
    this.#reserve(5 + text.length * 3)
    const size = this.#bytes.write(text, this.#end + 5) + 1
    this.#view.setInt32(this.#end, size)
    this.#bytes[this.#end + 4] = JSONB_VERSION
    this.#end += 4 + size
  }

  #int64(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no integer`)
    this.#reserve(12)
    this.#view.setInt32(this.#end, 8)
    this.#view.setInt32(this.#end + 4, Math.floor(value / 0x100000000))
    this.#view.setInt32(this.#end + 8, value | 0)
    this.#end += 12
  }

  /** A numeric of `units`, of which the last `fraction` groups are decimals. */
  #integer(units: bigint, fraction: number): void {
    const size = units < 0n ? -units : units
    if (size > MAX_SIZE) {
      if (fraction > 0) throw new RangeError(`${units} is too large for a numeric with decimals`)
      this.#decimal(String(units))
      return
    }
    const used = splitIntoGroups(size)
    groups.fill(0, used, fraction)
    const count = Math.max(used, fraction)
    this.#numericHead(count, count - fraction, units < 0n, fraction * GROUP)
    for (let at = count - 1; at >= 0; at--) {
      this.#view.setInt16(this.#end, groups[at]!)
      this.#end += 2
    }
  }

  /** Length | number of groups, weight of the first one, sign, decimal places. Reserves space for the groups. */
  #numericHead(count: number, whole: number, isNegative: boolean, places: number): void {
    this.#reserve(12 + count * 2)
    const view = this.#view
    view.setInt32(this.#end, 8 + count * 2)
    view.setInt16(this.#end + 4, count)
    view.setInt16(this.#end + 6, whole - 1)
    view.setInt16(this.#end + 8, isNegative ? NEGATIVE : 0)
    view.setInt16(this.#end + 10, places)
    this.#end += 12
  }

  #decimal(text: string): void {
    const start = text.charCodeAt(0) === MINUS ? 1 : 0
    const point = text.indexOf('.', start)
    const wholeEnd = point === -1 ? text.length : point
    const places = point === -1 ? 0 : text.length - point - 1
    const whole = Math.ceil((wholeEnd - start) / GROUP)
    const count = whole + Math.ceil(places / GROUP)
    if (count === 0) throw new RangeError(`"${text}" is no decimal number`)
    this.#numericHead(count, whole, start === 1, places)
    // The first group of the whole part may be short on the left, the last one of the fraction on the right.
    let left = (wholeEnd - start) % GROUP || GROUP
    let group = 0
    for (let at = start; at < text.length; at++) {
      if (at === point) continue
      const digit = text.charCodeAt(at) - ZERO
      if (!(digit >= 0 && digit <= 9)) throw new RangeError(`"${text}" is no decimal number`)
      group = group * 10 + digit
      if (--left > 0) continue
      this.int16(group)
      group = 0
      left = GROUP
    }
    if (left < GROUP) this.int16(group * 10 ** left)
  }

  #byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#end++] = value
  }

  #reserve(size: number): void {
    if (this.#bytes.length - this.#end >= size) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#capacity, this.#bytes.length * 2, this.#end + size))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
    this.#view = viewOf(larger)
  }
}

/** The base 10,000 digits of the integer being written, the last one first. */
const groups = new Int16Array(10)
const limbs = new Float64Array(4)
const limbsView = new DataView(new ArrayBuffer(16))

/**
 * Splits an integer up to MAX_SIZE into `groups`, and returns their number. Short division of four 32-bit limbs takes half
 * the time of a conversion to a string.
 */
function splitIntoGroups(size: bigint): number {
  limbsView.setBigUint64(0, size > MAX_UINT64 ? size >> 64n : 0n)
  limbsView.setBigUint64(8, size)
  for (let at = 0; at < 4; at++) limbs[at] = limbsView.getUint32(at * 4)
  let count = 0
  let first = 0
  for (;;) {
    while (first < 4 && limbs[first] === 0) first++
    if (first === 4) return count
    let rest = 0
    for (let at = first; at < 4; at++) {
      const part = rest * 0x100000000 + limbs[at]!
      const quotient = Math.floor(part / BASE)
      limbs[at] = quotient
      rest = part - quotient * BASE
    }
    groups[count++] = rest
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length)
}

function requireInteger(value: Value, max: number): number {
  const number = Number(value)
  if (!Number.isInteger(number) || Math.abs(number) > max) throw new RangeError(`${value} is no integer up to ${max}`)
  return number
}
