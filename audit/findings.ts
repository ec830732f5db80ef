/** A value from the database or the chain. */
export type Value = string | number | bigint | boolean | null
export type Row = Record<string, Value>

/** A contract does not implement a view function, so there is nothing to compare with. */
export class SilentContractError extends Error {
  override name = 'SilentContractError'
}

/** Floats are ratios of integers, rounded once or twice; a larger difference is an error. */
const RELATIVE_TOLERANCE = 1e-9
/** The sort key of the trending list is a logarithm; the score itself is exact. */
const TREND_TOLERANCE = 1e-9

/** Counts the comparisons of an audit, and reports each difference as a line for operators. */
export class Findings {
  compared = 0
  differences = 0
  readonly #onDifference: (line: string) => void

  constructor(onDifference: (line: string) => void) {
    this.#onDifference = onDifference
  }

  /** subject: the entity and the name of the value. */
  compare(subject: string, stored: Value | undefined, expected: Value): void {
    this.compared += 1
    if (!isSame(subject, stored ?? null, expected)) {
      this.report(`${subject}: stored ${stored ?? 'nothing'}, should be ${expected ?? 'nothing'}`)
    }
  }

  /** Compares each column of `expected`. A row missing on one side is one difference. */
  compareRows(subject: string, stored: Row | undefined, expected: Row | undefined): void {
    if (!stored || !expected) {
      this.compared += 1
      if (expected) this.report(`${subject}: missing; should be ${describe(expected)}`)
      else if (stored) this.report(`${subject}: stored, but should not be: ${describe(stored)}`)
      return
    }
    for (const [column, value] of Object.entries(expected)) this.compare(`${subject} ${column}`, stored[column], value)
  }

  /** Compares all rows of both sides, by key. */
  compareMaps(name: string, stored: ReadonlyMap<string, Row>, expected: ReadonlyMap<string, Row>): void {
    for (const key of new Set([...stored.keys(), ...expected.keys()])) {
      this.compareRows(`${name} ${key}`, stored.get(key), expected.get(key))
    }
  }

  /** Runs comparisons with a contract's state. A contract that does not implement a function is one difference. */
  async attempt(subject: string, compare: () => Promise<void>): Promise<void> {
    try {
      await compare()
    } catch (error) {
      if (!(error instanceof SilentContractError)) throw error
      this.report(`${subject}: ${error.message}`)
    }
  }

  report(line: string): void {
    this.differences += 1
    this.#onDifference(line)
  }
}

function isSame(subject: string, stored: Value, expected: Value): boolean {
  if (stored === null || expected === null) return stored === expected
  if (String(stored) === String(expected)) return true
  if (typeof stored !== 'number' || typeof expected !== 'number') return false
  if (subject.endsWith(' trend')) return Math.abs(stored - expected) <= TREND_TOLERANCE
  if (Number.isSafeInteger(stored) && Number.isSafeInteger(expected)) return false
  return Math.abs(stored - expected) <= RELATIVE_TOLERANCE * Math.max(Math.abs(stored), Math.abs(expected))
}

function describe(row: Row): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
}
