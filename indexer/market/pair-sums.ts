import type { Side } from '../../launchpads/launchpad.ts'

/** What a wallet did with a token in total. */
export interface PairSums {
  /** Tokens. */
  bought: bigint
  sold: bigint
  /** Tokens of all transfers to other wallets, sales included. */
  sent: bigint
  /** Native coin: fees included. */
  spent: bigint
  /** Native coin: fees deducted. */
  proceeds: bigint
}

export function addToSums(sums: PairSums, side: Side, tokens: bigint, quote: bigint): void {
  if (side === 'buy') {
    sums.bought += tokens
    sums.spent += quote
  } else {
    sums.sold += tokens
    sums.proceeds += quote
  }
}

export function addSums(to: PairSums, what: PairSums): void {
  to.bought += what.bought
  to.sold += what.sold
  to.sent += what.sent
  to.spent += what.spent
  to.proceeds += what.proceeds
}

/** A twentieth of what was moved: the fees of a round trip, and the little that a wash trader keeps. */
const TOLERANCE = 20n

/**
 * The volume of a wallet whose trades of a token left it where it was, in tokens and in native coin: all of it, or none. It is a
 * function of the sums, so trades may be added in any order, and undone.
 */
export function washVolumeOf({ bought, sold, spent, proceeds }: PairSums): bigint {
  if (bought === 0n || sold === 0n) return 0n
  return isClose(bought, sold) && isClose(spent, proceeds) ? spent + proceeds : 0n
}

const isClose = (a: bigint, b: bigint) => (a > b ? a - b : b - a) * TOLERANCE <= a + b
