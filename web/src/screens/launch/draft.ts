import { type Currency, readAmount } from '@slipway/sdk/helpers'
import { BESIDE_FEE } from '../../components/amount-field.tsx'
import { toSafeLink } from '../../lib/links.ts'

export interface Draft {
  name: string
  symbol: string
  description: string
  image: File | null
  website: string
  twitter: string
  telegram: string
  discord: string
  initialBuy: string
}

export const emptyDraft: Draft = {
  name: '',
  symbol: '',
  description: '',
  image: null,
  website: '',
  twitter: '',
  telegram: '',
  discord: '',
  initialBuy: '',
}

const IMAGE_BYTES = 5 * 1024 * 1024
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const

const linkNames = ['website', 'twitter', 'telegram', 'discord'] as const
/** The hosts that the service accepts for each link. */
const hosts: Partial<Record<(typeof linkNames)[number], RegExp>> = {
  twitter: /^(www\.)?(x|twitter)\.com$/,
  telegram: /^(t|telegram)\.me$/,
  discord: /^(discord\.gg|(www\.)?discord\.com)$/,
}

const bytesOf = (text: string) => new TextEncoder().encode(text.trim()).length

interface Limits {
  nameBytes: number
  symbolBytes: number
  coin: Currency
  /** In coins, beside the network fee; undefined while it is unknown. */
  spendable: bigint | undefined
}

/** What is wrong, by field. The service and the contract check again. */
export function checkDraft(draft: Draft, limits: Limits): Partial<Record<keyof Draft, string>> {
  const problems: Partial<Record<keyof Draft, string>> = {}
  const { nameBytes: maxName, symbolBytes: maxSymbol, coin, spendable } = limits
  const nameBytes = bytesOf(draft.name)
  const symbolBytes = bytesOf(draft.symbol)
  if (nameBytes === 0) problems.name = 'A name is required.'
  else if (nameBytes > maxName) problems.name = `The name has more than ${maxName} bytes.`
  if (symbolBytes === 0) problems.symbol = 'A symbol is required.'
  else if (symbolBytes > maxSymbol) problems.symbol = `The symbol has more than ${maxSymbol} bytes.`
  if (draft.image && draft.image.size > IMAGE_BYTES) problems.image = 'The image is larger than 5 MB.'
  for (const name of linkNames) {
    const text = draft[name].trim()
    if (text === '') continue
    const link = toSafeLink(text)
    if (!link) problems[name] = 'A link starts with https://.'
    else if (hosts[name] && !hosts[name].test(link.host)) problems[name] = 'This link leads to another site.'
  }
  const { problem } = readAmount(draft.initialBuy, coin, spendable, BESIDE_FEE)
  if (problem !== null) problems.initialBuy = problem
  return problems
}

export function toLinks(draft: Draft): Partial<Record<(typeof linkNames)[number], string>> | null {
  const entries = linkNames.flatMap((name) => (draft[name].trim() ? [[name, draft[name].trim()]] : []))
  return entries.length > 0 ? Object.fromEntries(entries) : null
}
