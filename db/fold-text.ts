/** Letters that Unicode does not decompose, and what people type instead. The SQL function fold_text has the same. */
const PLAIN: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ŧ: 't', ı: 'i' }

/**
 * The form in which texts are searched: in lower case, without accents, in compatible characters. `Café` and `ＣＡＦÉ` become
 * `cafe`.
 */
export function foldText(text: string): string {
  const bare = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
  return bare.toLowerCase().replace(/[øłđħŧı]/g, (letter) => PLAIN[letter] ?? letter)
}
