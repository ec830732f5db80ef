/** Shorter names have too many of other programs near them. */
const MIN_LENGTH = 5
/** From this length on, two edits are allowed. */
const LONG = 8

export interface Misspelled {
  name: string
  /** The variable that was probably meant. */
  nearest: string
}

/**
 * The variables of an environment that are none of the known ones, but look like one: by a letter or two, or by one of three or more
 * words (DATABASE_REPLICA_URL for DATABASE_READ_URL). Those of other programs differ by more, or begin with another word.
 */
export function findMisspelled(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): Misspelled[] {
  const isKnown = new Set(known)
  return Object.keys(env)
    .filter((name) => !isKnown.has(name) && env[name]?.trim())
    .flatMap((name) => {
      const nearest = findNearest(name.toUpperCase(), known)
      // What is set already is not missing: the other name may be one of another program.
      return nearest === undefined || (env[nearest]?.trim() && name.toUpperCase() !== nearest)
        ? []
        : [{ name, nearest }]
    })
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of known) {
    if (!looksAlike(name, candidate)) continue
    const distance = editDistance(name, candidate)
    if (best === undefined || distance < best.distance) best = { candidate, distance }
  }
  return best?.candidate
}

function looksAlike(name: string, candidate: string): boolean {
  if (name.length < MIN_LENGTH) return false
  const allowed = candidate.length < LONG ? 1 : 2
  if (Math.abs(name.length - candidate.length) <= allowed && editDistance(name, candidate) <= allowed) return true
  // Libraries read many more variables with this prefix.
  return !name.startsWith('OTEL_') && differsByOneWord(name.split('_'), candidate.split('_'))
}

/** One word replaced, added or left out, but not the first; two or more are equal. */
function differsByOneWord(words: readonly string[], others: readonly string[]): boolean {
  let start = 0
  while (start < words.length && words[start] === others[start]) start++
  let end = 0
  const rest = Math.min(words.length, others.length) - start
  while (end < rest && words.at(-1 - end) === others.at(-1 - end)) end++
  const longer = Math.max(words.length, others.length)
  return start >= 1 && start + end >= 2 && longer - start - end <= 1
}

/** Levenshtein, where two letters in the wrong order count as one edit. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : replaced
      row.push(Math.min(replaced, swapped, row[j - 1]! + 1, rows[i - 1]![j]! + 1))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
