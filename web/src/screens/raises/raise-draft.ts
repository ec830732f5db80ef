import { type Currency, readAmount } from '@slipway/sdk/helpers'
import { findTextProblem } from '@slipway/sdk/texts'
import { isNone } from '../../components/amount-field.tsx'
import { readJson, tabStorage } from '../../lib/storage.ts'

export interface RaiseDraft {
  token: string
  title: string
  description: string
  tokenAmount: string
  goalMin: string
  goalMax: string
  walletMax: string
  /** Seconds. */
  duration: string
  /** Seconds; empty until chosen. */
  votingDelay: string
  votingPeriod: string
}

const HOUR = 3_600
const DAY = 24 * HOUR

export interface Duration {
  seconds: number
  label: string
}

/** Limit of the contract. */
const MAX_DELAY = 7 * DAY

export const durations: readonly Duration[] = [
  { seconds: HOUR, label: '1 hour' },
  { seconds: DAY, label: '1 day' },
  { seconds: 3 * DAY, label: '3 days' },
  { seconds: 7 * DAY, label: '1 week' },
  { seconds: 30 * DAY, label: '30 days' },
]

/** Until the contract's limits are known, those of a service that is no demonstration. */
const strictRules = { minVotingDelay: DAY, minVotingPeriod: DAY }

export interface VoteTimes {
  delays: readonly Duration[]
  periods: readonly Duration[]
  /** Chosen at first. A demonstration, whose contract allows short votes, opens with the shortest. */
  first: { votingDelay: string; votingPeriod: string }
}

/** Times of votes that the contract allows. */
export function listVoteTimes({ minVotingDelay, minVotingPeriod } = strictRules): VoteTimes {
  const delays = [
    ...(minVotingDelay === 0 ? [{ seconds: 0, label: 'at once' }] : []),
    ...durations
      .filter(({ seconds }) => seconds >= minVotingDelay && seconds <= MAX_DELAY)
      .map(({ seconds, label }) => ({ seconds, label: `after ${label}` })),
  ]
  const periods = durations.filter(({ seconds }) => seconds >= minVotingPeriod)
  const isShort = minVotingPeriod < DAY
  return {
    delays,
    periods,
    first: {
      votingDelay: String(delays[0]?.seconds ?? DAY),
      votingPeriod: String((isShort ? periods[0]?.seconds : undefined) ?? 3 * DAY),
    },
  }
}

const emptyRaiseDraft: RaiseDraft = {
  token: '',
  title: '',
  description: '',
  tokenAmount: '',
  goalMin: '',
  goalMax: '',
  walletMax: '',
  duration: String(7 * DAY),
  votingDelay: '',
  votingPeriod: '',
}

const STORED = 'slipway.raise-draft'

/** The draft that this tab had before a reload. Storage can have anything. */
export function readRaiseDraft(): RaiseDraft {
  const stored = Object.entries(readJson(tabStorage, STORED))
  const texts = stored.filter(([name, value]) => name in emptyRaiseDraft && typeof value === 'string')
  const draft: RaiseDraft = { ...emptyRaiseDraft, ...Object.fromEntries(texts) }
  const isKnown = durations.some(({ seconds }) => String(seconds) === draft.duration)
  return isKnown ? draft : { ...draft, duration: emptyRaiseDraft.duration }
}

export const storeRaiseDraft = (draft: RaiseDraft): void => tabStorage.setItem(STORED, JSON.stringify(draft))

export const dropRaiseDraft = (): void => tabStorage.removeItem(STORED)

/** Limit of the contract, in bytes of UTF-8. */
const TITLE_BYTES = 120

/** What is wrong with the title of a raise or a proposal. */
export function checkTitle(title: string): string | null {
  const bytes = new TextEncoder().encode(title.trim()).length
  if (bytes === 0) return 'A title is required.'
  return bytes > TITLE_BYTES ? `The title has more than ${TITLE_BYTES} bytes.` : null
}

interface Context {
  coin: Currency
  token: Currency
  /** The wallet's balance of the token for sale; undefined while it is unknown. */
  balance: bigint | undefined
}

export interface CheckedRaise {
  tokenAmount: bigint
  goalMin: bigint
  goalMax: bigint
  walletMax: bigint
}

export type RaiseProblems = Partial<Record<keyof RaiseDraft, string>>

/** The amounts of a draft, or what is wrong with it, by field. The contract checks again. */
export function checkRaise(
  draft: RaiseDraft,
  { coin, token, balance }: Context,
): { raise: CheckedRaise | null; problems: RaiseProblems } {
  const problems: RaiseProblems = {}
  const titleProblem = checkTitle(draft.title)
  const read = (field: keyof RaiseDraft, currency: Currency, limit?: bigint) => {
    const { amount, problem } = readAmount(draft[field], currency, limit)
    if (problem !== null) problems[field] = problem
    return amount
  }
  const tokenAmount = read('tokenAmount', token, balance)
  const [goalMin, goalMax] = [read('goalMin', coin), read('goalMax', coin)]
  const walletMax = isNone(draft.walletMax) ? 0n : read('walletMax', coin)
  if (draft.token === '') problems.token = 'Choose the token for sale.'
  if (titleProblem !== null) problems.title = titleProblem
  const description = draft.description.trim()
  const textProblem = description === '' ? null : findTextProblem('description', description)
  if (textProblem !== null) problems.description = textProblem
  if (tokenAmount === null) problems.tokenAmount ??= 'How many tokens are for sale?'
  if (goalMin === null) problems.goalMin ??= 'Below which sum does the raise fail?'
  if (goalMax === null) problems.goalMax ??= 'At which sum does the raise end?'
  else if (goalMin !== null && goalMin > goalMax) problems.goalMax = 'The maximum is below the minimum.'
  if (walletMax !== null && goalMax !== null && walletMax > goalMax)
    problems.walletMax = 'A wallet cannot commit more than the maximum.'
  const isComplete = tokenAmount !== null && goalMin !== null && goalMax !== null && walletMax !== null
  return {
    problems,
    raise: isComplete && Object.keys(problems).length === 0 ? { tokenAmount, goalMin, goalMax, walletMax } : null,
  }
}
