/** Shorter names are one edit away from too many others, such as `sid` from `side`. */
const MIN_LENGTH = 4

/** The known name that was meant: it differs in its style alone (`min_quote`, `MinQuote`, `status[]`), or by one edit. */
export function findNearMiss(name: string, known: readonly string[]): string | undefined {
  const plain = normalize(name)
  return (
    known.find((each) => normalize(each) === plain) ??
    (plain.length < MIN_LENGTH
      ? undefined
      : known.find((each) => each.length >= MIN_LENGTH && isWithinOneEdit(plain, normalize(each))))
  )
}

const normalize = (name: string) => name.replace(/\[.*$/, '').toLowerCase().replace(/[-_]/g, '')

/** One letter is added, left out or replaced, or two neighbours are swapped. */
function isWithinOneEdit(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  const rest = Math.min(a.length, b.length) - start
  while (end < rest && a.at(-1 - end) === b.at(-1 - end)) end++
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  return Math.max(x.length, y.length) <= 1 || (x.length === 2 && y.length === 2 && x[0] === y[1] && x[1] === y[0])
}
