import { findTextProblem } from '@slipway/sdk/texts'
import { toSafeLink } from '../lib/links.ts'

export const linkNames = ['website', 'twitter', 'telegram', 'discord'] as const

export type LinkName = (typeof linkNames)[number]

/** What is wrong with a link that was written into a form; null if nothing is, or it is empty. */
export function findLinkProblem(name: LinkName, text: string): string | null {
  if (text.trim() === '') return null
  const link = toSafeLink(text.trim())
  return link ? findTextProblem(name, link.href) : 'A link starts with https://.'
}

/** What people write for a link, as the URL that they mean: `x.com/cat` and `@cat`. */
export function completeLink(name: LinkName, text: string): string {
  const written = text.trim()
  const handle = /^@(\w+)$/.exec(written)?.[1]
  if (handle && name === 'twitter') return `https://x.com/${handle}`
  if (handle && name === 'telegram') return `https://t.me/${handle}`
  return /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(\/\S*)?$/u.test(written) ? `https://${written}` : text
}
