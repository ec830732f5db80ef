import type { TokenRow } from '../../db/queries/tokens.ts'
import { formatCompact } from '../../lib/text/format-number.ts'
import { readReserves } from '../../records/launchpad.ts'
import { toMarketCapUsd } from '../../records/quote.ts'

export interface HeadContext {
  brand: { name: string }
  /** Absolute URL of the service, without a trailing slash. */
  publicUrl: string
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML, in elements and in quoted attributes. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (found) => escapes[found] as string)

const DESCRIPTION_LENGTH = 200

/** The head of any page. */
export function renderHead({ brand }: HeadContext): string {
  const name = escapeHtml(brand.name)
  return `<title>${name}</title>\n    ${renderTags({ 'og:site_name': brand.name, 'og:type': 'website', 'og:title': brand.name })}`
}

/** The head of a token's page, with Open Graph tags, so that links to it unfurl with the token's card. */
export function renderTokenHead(row: TokenRow, { brand, publicUrl }: HeadContext): string {
  const title = `${row.name} (${row.symbol})`
  const marketCap = toMarketCapUsd(row, readReserves(row))
  const state = describeState(row)
  const facts = [...(marketCap === null ? [] : [`Market cap $${formatCompact(marketCap)}`]), state].join(' · ')
  const text = row.description?.replace(/\s+/g, ' ').trim()
  const description = cut(text ? `${facts}. ${text}` : facts)
  const card = `${publicUrl}/og/token/${row.address}`
  const tags = renderTags({
    'og:site_name': brand.name,
    'og:type': 'website',
    'og:title': title,
    'og:description': description,
    'og:url': `${publicUrl}/app/token/${row.address}`,
    'og:image': card,
    'og:image:type': 'image/png',
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': `Price card of ${title}`,
  })
  const twitter = renderTags({ 'twitter:card': 'summary_large_image', 'twitter:image': card }, 'name')
  return `<title>${escapeHtml(`${title} · ${brand.name}`)}</title>
    <meta name="description" content="${escapeHtml(description)}">
    ${tags}
    ${twitter}`
}

function describeState({ status, lifecycle, progress }: TokenRow): string {
  if (status !== 'graduated') return `${Math.floor(Number(progress))} % of the curve sold`
  return lifecycle === 'curve' ? 'Graduated' : 'Trades in its pool'
}

const renderTags = (tags: Record<string, string>, attribute = 'property') =>
  Object.entries(tags)
    .map(([name, content]) => `<meta ${attribute}="${name}" content="${escapeHtml(content)}">`)
    .join('\n    ')

/** Cuts between characters, not inside a surrogate pair. */
function cut(text: string): string {
  const characters = [...text]
  return characters.length <= DESCRIPTION_LENGTH ? text : `${characters.slice(0, DESCRIPTION_LENGTH - 1).join('')}…`
}
