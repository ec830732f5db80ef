import type { Config } from '../../../config.ts'
import type { ListedRow } from '../../../db/queries/integrations/published-list.ts'
import { tokenListLimits } from '../../../schemas/integrations/token-list.ts'
import { toChecksum, toImageUri } from '../format.ts'

type Settings = Pick<Config, 'chainId' | 'publicUrl' | 'brand'>
type Which = { include: 'graduated' | 'all'; part: number }

/** A list of the rows that are not hidden; null if there is none, because a list has one token at least. */
export function toTokenList(rows: readonly ListedRow[], which: Which, settings: Settings) {
  const tokens = rows.filter(({ hidden }) => !hidden).map((row) => toListedToken(row, settings))
  if (tokens.length === 0) return null
  const logoURI = toImageUri(settings.brand.logoUrl, settings.publicUrl)
  return {
    name: toTitle(settings.brand.name, which),
    timestamp: new Date(timeOf(rows)).toISOString(),
    version: versionOf(rows),
    ...(logoURI !== null && { logoURI }),
    keywords: ['launchpad', ...(which.include === 'graduated' ? ['graduated'] : [])],
    tokens,
  }
}

/**
 * Counts of what can change a list, hidden tokens included. Each only ever rises, and rises with every change of its kind, so
 * that of two lists the later has the higher version. It may rise where the list stays as it is, as when a token that was
 * hidden before graduates; that is allowed, and the other way round is not.
 */
function versionOf(rows: readonly ListedRow[]) {
  const sum = (count: (row: ListedRow) => number) => rows.reduce((total, row) => total + count(row), 0)
  return {
    major: sum(({ hides }) => hides),
    minor: sum(({ shows }) => 1 + shows),
    patch: sum(({ image_changes }) => image_changes),
  }
}

/** When the latest of those changes was made, in milliseconds. */
function timeOf(rows: readonly ListedRow[]): number {
  return rows.reduce(
    (latest, { since, visibility_changed_at: seen, image_changed_at: image }) =>
      Math.max(latest, since * 1000, seen?.getTime() ?? 0, image?.getTime() ?? 0),
    0,
  )
}

function toListedToken(row: ListedRow, { chainId, publicUrl }: Settings) {
  const logoURI = toImageUri(row.image_url, publicUrl)
  return {
    chainId,
    address: toChecksum(row.address),
    decimals: row.decimals,
    name: cut(row.name.replace(/\s+/g, ' ').trim(), tokenListLimits.name),
    symbol: cut(row.symbol.replace(/\s+/g, ''), tokenListLimits.symbol),
    ...(logoURI !== null && { logoURI }),
  }
}

/** The first so many characters: of the kind that a schema counts, so that none is cut in two. */
const cut = (text: string, length: number): string => [...text].slice(0, length).join('').trim()

/** Word characters and spaces are all that a title may have. */
function toTitle(brand: string, { include, part }: Which): string {
  const suffix = `${include === 'all' ? ' all' : ''}${part > 1 ? ` ${part}` : ''}`
  const plain =
    brand
      .normalize('NFKD')
      .replace(/[^\w ]/g, '')
      .trim() || 'Launchpad'
  return `${plain.slice(0, tokenListLimits.title - suffix.length).trim()}${suffix}`
}
