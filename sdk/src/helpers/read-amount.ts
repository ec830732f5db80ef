import { parseUnits } from '../values.ts'
import { countOf, formatAmount } from './format.ts'

/** 1,000 or 12,345,678: some people mean thousands by it, others decimals. */
const AMBIGUOUS = /^[1-9]\d{0,2}(,\d{3})+$/
/** Digits before the point; more than any balance has. */
const MAX_DIGITS = 30

export interface Currency {
  symbol: string
  decimals: number
}

export interface ReadAmount {
  /** Base units; null if the text is no amount. */
  amount: bigint | null
  /** Why the amount cannot be sent; null for an empty text. */
  problem: string | null
  /** Whether the problem may be over with the next digit. */
  isUnfinished?: boolean
}

/**
 * Reads what a person typed as an amount of a token or coin. `balance` limits it if it is known; `holder` begins the sentence that
 * says so.
 */
export function readAmount(
  text: string,
  { symbol, decimals }: Currency,
  balance?: bigint,
  holder = 'You have',
): ReadAmount {
  const none = (problem: string | null, isUnfinished = false) => ({ amount: null, problem, isUnfinished })
  const given = text.trim()
  const number = given.replace(',', '.')
  const [whole = '', fraction = ''] = number.split('.')
  if (given === '') return none(null)
  if (given === '.' || given === ',') return none('Enter a number, such as 0.5.', true)
  if (AMBIGUOUS.test(given)) return none(`Write ${given.replaceAll(',', '')} without commas, or use a decimal point.`)
  if (/^[-\u2212]/.test(given)) return none('An amount cannot be negative.')
  if (!/^\d*(\.\d*)?$/.test(number)) return none(`“${shortenText(given)}” is not a number. Enter one such as 0.5.`)
  if (fraction.length > decimals) return none(`${symbol} has at most ${countOf(decimals, 'decimal')}.`)
  if (whole.length > MAX_DIGITS) return none('This amount is too large.')
  const amount = parseUnits(`${whole || '0'}.${fraction}`, decimals)
  if (amount === 0n) return none('Enter an amount above zero.', true)
  if (balance !== undefined && amount > balance)
    return { amount, problem: `${holder} ${formatAmount(balance, decimals)} ${symbol}, less than this.` }
  return { amount, problem: null }
}

const shortenText = (text: string) => (text.length > 20 ? `${text.slice(0, 20)}…` : text)
