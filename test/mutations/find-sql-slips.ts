interface SqlSlip {
  start: number
  end: number
  replacement: string
}

/** Words and operators of SQL, and what a slip makes of each. `$1` keeps what is around them. */
const SLIPS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(?<= )<=(?= )/g, '<'],
  [/(?<= )>=(?= )/g, '>'],
  [/(?<= )<(?= )/g, '<='],
  [/(?<= )>(?= )/g, '>='],
  [/(?<= )<>(?= )/g, '='],
  [/(?<= )\+(?= )/g, '-'],
  [/(?<= )-(?= )/g, '+'],
  [/\band\b/g, 'or'],
  [/\bor\b/g, 'and'],
  [/\bdesc\b/g, 'asc'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/\bnot exists\b/g, 'exists'],
  [/\bnot (?=[a-z_.]+\b(?! null| exists| materialized| in\b))/g, ''],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\bgreatest\(/g, 'least('],
  [/\bleast\(/g, 'greatest('],
  [/\bcount\(distinct /g, 'count('],
  [/\bleft join(?= lateral\b)/g, 'cross join'],
  [/\bunion all\b/g, 'union'],
  [/\bfilter \(where\b/g, 'filter (where true or'],
]
/** `between … and` and the frames of windows are no conditions. */
const BETWEEN = /\bbetween\b[^()]*?$/

/** The slips in a part of a SQL text. */
export function findSqlSlips(text: string): SqlSlip[] {
  const found: SqlSlip[] = []
  for (const [pattern, replacement] of SLIPS)
    for (const { 0: match, index } of text.matchAll(pattern)) {
      if (match === 'and' && BETWEEN.test(text.slice(0, index))) continue
      found.push({ start: index, end: index + match.length, replacement })
    }
  return found
}
