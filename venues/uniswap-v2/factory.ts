import { encodeFunctionData, type Hex } from 'viem'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { answerAddress, answerWord, type ContractRead, encodeWords } from '../../chain/logs/contract-read.ts'
import type { SharedContract } from '../venue.ts'

/** The factory of Uniswap V2 and its forks. It is asked, and its logs are not indexed: a pair may be older than its use. */
export const factory: SharedContract = {
  deployment: 'uniswap-v2-factory',
  topics: [],
  poolOf: () => undefined,
  holdsPools: false,
}

/** The pair of two tokens, of which there is at most one. */
export const readPair = (factory: string, one: string, other: string): ContractRead => ({
  to: factory,
  data: encodeFunctionData({ abi: uniswapV2FactoryAbi, functionName: 'getPair', args: [one as Hex, other as Hex] }),
  keep: (answer) => (answerWord(answer, 0) === 0n ? undefined : encodeWords(answerAddress(answer, 0))),
})
