/** A wrong command line. The message names what is wrong with it. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** An option or an argument of a command. */
export interface Option<T> {
  /** Stands for the value in the help, such as <block>; without it the option takes no value. */
  readonly value?: string
  readonly help: string
  /** The value if it is not given. */
  readonly fallback: T
  readonly required?: true
  /** Converts what is given. Throws a UsageError that says what is expected. */
  read(given: string): T
}

export type Options = Readonly<Record<string, Option<unknown>>>
export type Values<O extends Options> = { [Name in keyof O]: O[Name] extends Option<infer T> ? T : never }

/** An optional value is undefined if it is not given. */
interface Builder<Rest extends unknown[], T> {
  (value: string, help: string, ...rest: Rest): Option<T | undefined>
  (value: string, help: string, ...rest: [...Rest, fallback: T]): Option<T>
}

/** The limits are inclusive. */
interface Limits {
  min: number
  max: number
}

type Protocol = 'http' | 'postgres' | 'redis'

export const flag = (help: string): Option<boolean> => ({ help, fallback: false, read: () => true })

export const text: Builder<[], string> = (value: string, help: string, fallback?: string) =>
  withFallback(value, help, fallback, (given) => given)

export const url: Builder<[protocol: Protocol], string> = (value: string, help: string, protocol, fallback?: string) =>
  withFallback(value, help, fallback, (given) => {
    // Such as https, postgresql and rediss.
    if (URL.canParse(given) && new RegExp(`^${protocol}(s|ql)?:$`).test(new URL(given).protocol)) return given
    throw new UsageError(`expected a URL that starts with ${protocol}://`)
  })

export const integer: Builder<[Limits], number> = (value: string, help: string, limits: Limits, fallback?: number) =>
  withFallback(value, help, fallback, (given) => readNumber(given, /^\d{1,15}$/, limits, 'an integer'))

export const decimal: Builder<[Limits], number> = (value: string, help: string, limits: Limits, fallback?: number) =>
  withFallback(value, help, fallback, (given) => readNumber(given, /^\d{1,15}(\.\d{1,9})?$/, limits, 'a number'))

/** The number of a block. */
export const block = (help: string): Option<number | undefined> =>
  withFallback('<block>', help, undefined, (given) => {
    if (/^\d{1,15}$/.test(given)) return Number(given)
    throw new UsageError('expected a block number')
  })

export function choice<const C extends string>(value: string, help: string, all: readonly C[]): Option<C | undefined>
export function choice<const C extends string>(
  value: string,
  help: string,
  all: readonly C[],
  fallback: NoInfer<C>,
): Option<C>
export function choice<C extends string>(value: string, help: string, all: readonly C[], fallback?: C) {
  return withFallback(value, help, fallback, (given) => readOneOf(given, all))
}

/** Some of several, separated by commas. */
export const choices = <C extends string>(value: string, help: string, all: readonly C[]): Option<readonly C[]> => ({
  value,
  help: `${help}: ${all.join(', ')}; default all`,
  fallback: all,
  read: (given) => given.split(',').map((one) => readOneOf(one, all)),
})

/** A command does not run without it. */
export const required = <T>(option: Option<T | undefined>): Option<T> =>
  ({ ...option, required: true }) as unknown as Option<T>

function withFallback<T>(value: string, help: string, fallback: T | undefined, read: (given: string) => T) {
  return { value, help: fallback === undefined ? help : `${help}; default ${fallback}`, fallback, read } as Option<T>
}

function readNumber(given: string, pattern: RegExp, { min, max }: Limits, expected: string): number {
  const number = pattern.test(given) ? Number(given) : Number.NaN
  if (number >= min && number <= max) return number
  throw new UsageError(`expected ${expected} from ${min} to ${max}`)
}

function readOneOf<C extends string>(given: string, all: readonly C[]): C {
  const found = all.find((one) => one === given)
  if (found !== undefined) return found
  throw new UsageError(`expected ${all.length > 1 ? 'one of ' : ''}${all.join(', ')}`)
}
