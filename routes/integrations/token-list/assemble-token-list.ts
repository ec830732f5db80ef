import type { Config } from '../../../config/config.ts'
import type { ListedRow } from '../../../db/queries/integrations/published-list.ts'
import { toImageUri } from '../../../records/integrations/format.ts'
import { toListedToken } from '../../../records/integrations/to-listed-token.ts'
import { tokenListLimits } from '../../../schemas/integrations/token-list.ts'

type Settings = Pick<Config, 'chainId' | 'publicUrl' | 'brand'>
type Which = { include: 'graduated' | 'all'; part: number }

/** The token list of the rows that are not hidden; null if there are none, because the format requires one token. */
export function assembleTokenList(rows: readonly ListedRow[], which: Which, settings: Settings) {
  const tokens = rows.filter(({ hidden }) => !hidden).map((row) => toListedToken(row, settings))
  if (tokens.length === 0) return null
  const logoURI = toImageUri(settings.brand.logoUrl, settings.publicUrl)
  return {
    name: makeTitle(settings.brand.name, which),
    timestamp: new Date(timeOf(rows)).toISOString(),
    version: versionOf(rows),
    ...(logoURI !== null && { logoURI }),
    keywords: ['launchpad', ...(which.include === 'graduated' ? ['graduated'] : [])],
    tokens,
  }
}

/**
 * Counts of changes, including those of hidden tokens. Invariant: no count decreases, and each change of the list increases
 * one, so a later list has a higher version. An increase without a change of the list is allowed.
 */
function versionOf(rows: readonly ListedRow[]) {
  const sum = (count: (row: ListedRow) => number) => rows.reduce((total, row) => total + count(row), 0)
  return {
    major: sum(({ hides }) => hides),
    minor: sum(({ shows }) => 1 + shows),
    patch: sum(({ image_changes }) => image_changes),
  }
}

/** Time of the latest change, in milliseconds. */
function timeOf(rows: readonly ListedRow[]): number {
  return rows.reduce(
    (latest, { since, visibility_changed_at: seen, image_changed_at: image }) =>
      Math.max(latest, since * 1000, seen?.getTime() ?? 0, image?.getTime() ?? 0),
    0,
  )
}

/** The format allows only word characters and spaces in a title. */
function makeTitle(brand: string, { include, part }: Which): string {
  const suffix = `${include === 'all' ? ' all' : ''}${part > 1 ? ` ${part}` : ''}`
  const plain =
    brand
      .normalize('NFKD')
      .replace(/[^\w ]/g, '')
      .trim() || 'Launchpad'
  return `${plain.slice(0, tokenListLimits.title - suffix.length).trim()}${suffix}`
}
