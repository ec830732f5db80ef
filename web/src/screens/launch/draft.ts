import { createSalt, type Hex } from '@slipway/sdk'
import { type Currency, readAmount } from '@slipway/sdk/helpers'
import { findTextProblem } from '@slipway/sdk/texts'
import { BESIDE_FEE, isNone } from '../../components/amount-field.tsx'
import { findLinkProblem, type LinkName, linkNames } from '../../data/written-links.ts'
import { toSafeLink } from '../../lib/links.ts'
import { readJson, tabStorage } from '../../lib/storage.ts'

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
  /** The contract takes it once: of all launches of a draft, only one succeeds. */
  salt: Hex
}

const emptyTexts = {
  name: '',
  symbol: '',
  description: '',
  website: '',
  twitter: '',
  telegram: '',
  discord: '',
  initialBuy: '',
}

const STORED = 'slipway.launch-draft'

/** The draft that this tab had before a reload. An image does not survive it. Storage can have anything. */
export function readDraft(): Draft {
  const stored = readJson(tabStorage, STORED)
  const kept = (name: string, pattern: RegExp) => typeof stored[name] === 'string' && pattern.test(stored[name])
  const texts = Object.keys(emptyTexts).filter((name) => kept(name, /./s))
  return {
    ...emptyTexts,
    ...Object.fromEntries(texts.map((name) => [name, stored[name]])),
    image: null,
    salt: kept('salt', /^0x[0-9a-f]{64}$/) ? (stored.salt as Hex) : createSalt(),
  }
}

export const storeDraft = (draft: Draft): void =>
  tabStorage.setItem(STORED, JSON.stringify({ ...draft, image: undefined }))

export const dropDraft = (): void => tabStorage.removeItem(STORED)

export const IMAGE_BYTES = 5 * 1024 * 1024
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const

/** Whether a file begins as these types do, whatever its name says. */
export async function isImage(file: File): Promise<boolean> {
  const head = String.fromCharCode(...new Uint8Array(await file.slice(0, 12).arrayBuffer()))
  return /^(\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP)/s.test(head)
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
  for (const name of linkNames) {
    const problem = findLinkProblem(name, draft[name])
    if (problem !== null) problems[name] = problem
  }
  for (const name of ['name', 'symbol', 'description'] as const) {
    const text = draft[name].trim()
    const problem = text === '' ? null : findTextProblem(name, text)
    if (problem !== null) problems[name] ??= problem
  }
  const { problem } = readAmount(draft.initialBuy, coin, spendable, BESIDE_FEE)
  if (problem !== null && !isNone(draft.initialBuy)) problems.initialBuy = problem
  return problems
}

export function toLinks(draft: Draft): Partial<Record<LinkName, string>> | null {
  // As the browser writes them: the service takes hosts in ASCII.
  const entries = linkNames.flatMap((name) => {
    const link = toSafeLink(draft[name].trim())
    return link ? [[name, link.href]] : []
  })
  return entries.length > 0 ? Object.fromEntries(entries) : null
}
