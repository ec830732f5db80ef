import { parseAmount } from '../../lib/amounts.ts'

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
  votingPeriod: string
}

const HOUR = 3_600
const DAY = 24 * HOUR

export const durations = [
  { seconds: HOUR, label: '1 hour' },
  { seconds: DAY, label: '1 day' },
  { seconds: 3 * DAY, label: '3 days' },
  { seconds: 7 * DAY, label: '1 week' },
  { seconds: 30 * DAY, label: '30 days' },
] as const

export const emptyRaiseDraft: RaiseDraft = {
  token: '',
  title: '',
  description: '',
  tokenAmount: '',
  goalMin: '',
  goalMax: '',
  walletMax: '',
  duration: String(7 * DAY),
  votingPeriod: String(3 * DAY),
}

/** Limit of the contract, in bytes of UTF-8. */
const TITLE_BYTES = 120

interface Context {
  coinDecimals: number
  tokenDecimals: number
  /** Of the token for sale; undefined while it is unknown. */
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
  { coinDecimals, tokenDecimals, balance }: Context,
): { raise: CheckedRaise | null; problems: RaiseProblems } {
  const problems: RaiseProblems = {}
  const titleBytes = new TextEncoder().encode(draft.title.trim()).length
  const tokenAmount = parseAmount(draft.tokenAmount, tokenDecimals)
  const [goalMin, goalMax] = [parseAmount(draft.goalMin, coinDecimals), parseAmount(draft.goalMax, coinDecimals)]
  const walletMax = draft.walletMax.trim() === '' ? 0n : parseAmount(draft.walletMax, coinDecimals)
  if (draft.token === '') problems.token = 'Choose the token for sale.'
  if (titleBytes === 0) problems.title = 'A title is required.'
  else if (titleBytes > TITLE_BYTES) problems.title = `The title has more than ${TITLE_BYTES} bytes.`
  if (tokenAmount === null) problems.tokenAmount = 'How many tokens are for sale?'
  else if (balance !== undefined && tokenAmount > balance) problems.tokenAmount = 'Your wallet holds fewer tokens.'
  if (goalMin === null) problems.goalMin = 'Below which sum does the raise fail?'
  if (goalMax === null) problems.goalMax = 'At which sum does the raise end?'
  else if (goalMin !== null && goalMin > goalMax) problems.goalMax = 'The maximum is below the minimum.'
  if (walletMax === null) problems.walletMax = 'The maximum of a wallet is no positive number.'
  else if (goalMax !== null && walletMax > goalMax) problems.walletMax = 'A wallet cannot commit more than the maximum.'
  const isComplete = tokenAmount !== null && goalMin !== null && goalMax !== null && walletMax !== null
  return {
    problems,
    raise: isComplete && Object.keys(problems).length === 0 ? { tokenAmount, goalMin, goalMax, walletMax } : null,
  }
}
