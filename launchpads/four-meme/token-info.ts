import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { answerAddress, answerAmount, type ContractRead, encodeWords } from '../../chain/logs/contract-read.ts'

/** The struct that it returns begins base, quote, template, totalSupply, maxOffers, maxRaising. */
const abi = parseAbi(['function _tokenInfos(address token) view returns (uint256[13])'])

const [BASE, QUOTE, MAX_OFFERS, MAX_RAISING] = [0, 1, 4, 5]

/** What TokenManager2 says of a token, as far as it never changes. */
export interface TokenInfo {
  /** The zero address: the native coin. */
  quote: string
  /** Tokens for sale on the curve. */
  maxOffers: bigint
  /** What the curve holds when they are sold. */
  maxRaising: bigint
}

/** A token that is not known has an empty struct. */
export const readTokenInfo = (launchpad: string, token: string): ContractRead => ({
  to: launchpad,
  data: encodeFunctionData({ abi, args: [token as Hex] }),
  keep(answer) {
    const isOfToken = answerAddress(answer, BASE) === token
    const [maxOffers, maxRaising] = [answerAmount(answer, MAX_OFFERS), answerAmount(answer, MAX_RAISING)]
    if (!isOfToken || maxOffers === 0n || maxRaising === 0n) return undefined
    return encodeWords(answerAddress(answer, QUOTE), maxOffers, maxRaising)
  },
})

export const parseTokenInfo = (kept: Hex): TokenInfo => ({
  quote: answerAddress(kept, 0),
  maxOffers: answerAmount(kept, 1),
  maxRaising: answerAmount(kept, 2),
})
