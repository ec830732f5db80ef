import type { Hex } from 'viem'
import { MAX_AMOUNT } from '../bounds.ts'

/**
 * A call of a view function for what a log leaves out. It is made once, at the block of the log, and the answer is stored with the
 * log. Only what can never change once the log is on the chain may be kept: where the state of the block is pruned, a later one is
 * read.
 */
export interface ContractRead {
  to: string
  data: Hex
  /** What is kept of an answer; undefined if no contract of the kind answers so. May throw for an invalid one. */
  keep(answer: Hex): Hex | undefined
}

/** No answer is longer: 64 words. */
export const MAX_ANSWER_LENGTH = 2 + 64 * 64

const WORD_DIGITS = 64

/** The index-th 32-byte word of an answer. Throws RangeError if it ends before. */
export function answerWord(answer: Hex, index: number): bigint {
  const digits = answer.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS)
  if (digits.length < WORD_DIGITS) throw new RangeError(`The answer of the contract has no word ${index}`)
  return BigInt(`0x${digits}`)
}

/** The amount in a word. Throws RangeError above MAX_AMOUNT. */
export function answerAmount(answer: Hex, index: number): bigint {
  const amount = answerWord(answer, index)
  if (amount > MAX_AMOUNT) throw new RangeError(`Word ${index} of the answer of the contract is no amount`)
  return amount
}

/** The address in a word, in lower case. Throws RangeError if the word is longer than one. */
export function answerAddress(answer: Hex, index: number): string {
  const word = answerWord(answer, index)
  if (word >> 160n !== 0n) throw new RangeError(`Word ${index} of the answer of the contract is no address`)
  return `0x${word.toString(16).padStart(40, '0')}`
}

/** These words as the ABI encodes them. */
export const encodeWords = (...words: readonly (bigint | string)[]): Hex =>
  `0x${words.map((word) => BigInt(word).toString(16).padStart(WORD_DIGITS, '0')).join('')}`
