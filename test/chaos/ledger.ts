/**
 * What was written, as its writer knows it: the values that each key may have now. A write without a 2xx may have been
 * applied, or be applied later, when a paused server goes on.
 */
export class Ledger<V> {
  readonly #accepted = new Map<string, V>()
  readonly #doubted = new Map<string, Set<V>>()

  /** Answered with 2xx: it replaces every value accepted before. */
  accept(key: string, value: V): void {
    this.#accepted.set(key, value)
  }

  /** Not answered, or with a failure after which it is not known whether it was applied. */
  doubt(key: string, value: V): void {
    const doubted = this.#doubted.get(key) ?? new Set()
    this.#doubted.set(key, doubted.add(value))
  }

  get keys(): ReadonlySet<string> {
    return new Set([...this.#accepted.keys(), ...this.#doubted.keys()])
  }

  /** How many keys have a value that is certain. */
  get certain(): number {
    return [...this.#accepted.keys()].filter((key) => !this.#doubted.has(key)).length
  }

  /** One line for each key whose value is none that it may have. `initial` is the value of a key that was never written. */
  compare(name: string, actual: ReadonlyMap<string, V>, initial: V): string[] {
    const lines: string[] = []
    for (const key of this.keys) {
      const allowed = new Set([
        this.#accepted.has(key) ? this.#accepted.get(key) : initial,
        ...(this.#doubted.get(key) ?? []),
      ])
      const value = actual.has(key) ? actual.get(key) : initial
      if (!allowed.has(value)) lines.push(`${name} ${key}: ${value}, expected ${[...allowed].join(' or ')}`)
    }
    for (const [key, value] of actual)
      if (!this.keys.has(key) && value !== initial) lines.push(`${name} ${key}: ${value}, which nobody wrote`)
    return lines
  }
}
