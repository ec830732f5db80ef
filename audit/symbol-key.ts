/** Latin capitals, and code points of Greek and Cyrillic capitals that look like them: from confusables.txt of Unicode TR39. */
const LATIN = new Map([
  ...letters('ABEZHIKMNOPTYXFJ', [913, 914, 917, 918, 919, 921, 922, 924, 925, 927, 929, 932, 933, 935, 988, 895]),
  ...letters('ABEKMHOPCTYX', [1040, 1042, 1045, 1050, 1052, 1053, 1054, 1056, 1057, 1058, 1059, 1061]),
  ...letters('SIJMVYIGW', [1029, 1030, 1032, 1018, 1140, 1198, 1216, 1292, 1308]),
])

function letters(latin: string, points: readonly number[]): [string, string][] {
  return points.map((point, at) => [String.fromCodePoint(point), latin.charAt(at)])
}

/** The key by which symbols are compared (see docs/data-model.md), one character after another. */
export function expectSymbolKey(symbol: string): string {
  let key = ''
  for (const character of symbol.normalize('NFKD')) {
    if (/^[\p{DI}\s\u0085\u2800]$/u.test(character)) continue
    for (const capital of character.toLowerCase().toUpperCase().normalize('NFKD')) key += LATIN.get(capital) ?? capital
  }
  return key.normalize('NFKD')
}
