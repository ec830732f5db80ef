/*
 * Greek and Cyrillic capitals whose skeleton in Unicode TR39 (confusables.txt) is that of a Latin capital, by the Latin one.
 * Capitals, because symbols are written in them: a Greek ν counts as N. Other scripts have look-alikes, too, but few keyboards
 * have them.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  A: '\u0391\u0410',
  B: '\u0392\u0412',
  C: '\u0421',
  E: '\u0395\u0415',
  F: '\u03dc',
  G: '\u050c',
  H: '\u0397\u041d',
  I: '\u0399\u0406\u04c0',
  J: '\u037f\u0408',
  K: '\u039a\u041a',
  M: '\u039c\u03fa\u041c',
  N: '\u039d',
  O: '\u039f\u041e',
  P: '\u03a1\u0420',
  S: '\u0405',
  T: '\u03a4\u0422',
  V: '\u0474',
  W: '\u051c',
  X: '\u03a7\u0425',
  Y: '\u03a5\u0423\u04ae',
  Z: '\u0396',
}
const LATIN = new Map(
  Object.entries(LOOKALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
)

/** What leaves no mark: zero-width characters, variation selectors, fillers, spaces of any width, and the blank of Braille. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/gu

/**
 * The key of a symbol, equal for symbols that look alike: in compatible characters (NFKD), without invisible ones, in capitals,
 * with Latin letters for their look-alikes. Accents stay. Empty for a symbol without a visible character. The migration 0032 has
 * the same rules for the rows of earlier versions.
 */
export function toSymbolKey(symbol: string): string {
  const visible = symbol.normalize('NFKD').replace(INVISIBLE, '')
  // Both ways, because some letters fold in one direction only, such as ẞ and ſ.
  const capitals = visible.toLowerCase().toUpperCase().normalize('NFKD')
  return capitals.replace(/[\u0370-\u052f]/g, (letter) => LATIN.get(letter) ?? letter)
}
