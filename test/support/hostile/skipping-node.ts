// A chain with heights that have no block, as Filecoin has where a round was null: the blocks of a node, under other numbers.
import type { Test } from 'tap'
import { numberToHex } from 'viem'
import { failure, type HostileNode, type RpcAnswer, type Rule, result, startHostileNode } from './node.ts'

export interface SkippingNode extends HostileNode {
  /** The height of a block of the node behind. */
  heightOf(block: number): number
  /** From now on other heights are skipped. Lower ones than the present head must stay the same, or blocks seem to move. */
  skip(isSkipped: (height: number) => boolean): void
}

/** How the node answers to a request for the block at a skipped height. */
export type SkippedAnswer = 'null' | 'error'

const QUANTITY = /^0x[0-9a-f]{1,13}$/
/** Fields that name a height. */
const HEIGHTS = new Set(['number', 'blockNumber'])
/** Methods whose last parameter may be the height of a state. */
const STATES = new Set(['eth_call', 'eth_getCode', 'eth_getBalance', 'eth_getTransactionCount', 'eth_getStorageAt'])

export async function startSkippingNode(
  t: Test,
  target: string,
  isSkippedAtFirst: (height: number) => boolean,
  answer: SkippedAnswer,
): Promise<SkippingNode> {
  let isSkipped = isSkippedAtFirst
  /** Heights of the blocks of the node behind, by their numbers. */
  let heights = [0]
  const heightOf = (block: number): number => {
    while (heights.length <= block) {
      let next = heights.at(-1)! + 1
      while (isSkipped(next)) next += 1
      heights.push(next)
    }
    return heights[block]!
  }
  /** The last block up to a height. */
  const blockUpTo = (height: number): number => {
    heightOf(Math.max(0, height))
    return heights.findLastIndex((one) => one <= height)
  }
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) =>
        HEIGHTS.has(key) && typeof one === 'string' && QUANTITY.test(one)
          ? [key, numberToHex(heightOf(Number(one)))]
          : [key, rename(one)],
      ),
    )
  }
  const toBlock = (height: unknown): unknown =>
    typeof height === 'string' && QUANTITY.test(height) ? numberToHex(blockUpTo(Number(height))) : height

  const translate: Rule = async ({ method, params }, ask): Promise<RpcAnswer> => {
    const askRenamed = async (given: unknown[]): Promise<RpcAnswer> => {
      const answered = await ask({ method, params: given })
      return 'result' in answered ? result(rename(answered.result)) : answered
    }
    if (method === 'eth_blockNumber') {
      const answered = await ask({ method, params })
      return 'result' in answered ? result(numberToHex(heightOf(Number(answered.result)))) : answered
    }
    if (method === 'eth_getBlockByNumber' && QUANTITY.test(String(params[0])) && isSkipped(Number(params[0])))
      return answer === 'null' ? result(null) : failure(12, `requested epoch was a null round (${Number(params[0])})`)
    if (method === 'eth_getBlockByNumber') return askRenamed([toBlock(params[0]), ...params.slice(1)])
    if (method === 'eth_getLogs') {
      const filter = params[0] as { fromBlock?: string; toBlock?: string }
      if (filter.fromBlock === undefined) return askRenamed(params)
      const from = blockUpTo(Number(filter.fromBlock) - 1) + 1
      const to = blockUpTo(Number(filter.toBlock))
      if (from > to) return result([])
      return askRenamed([{ ...filter, fromBlock: numberToHex(from), toBlock: numberToHex(to) }])
    }
    if (STATES.has(method)) return askRenamed([...params.slice(0, -1), toBlock(params.at(-1))])
    return askRenamed(params)
  }

  const node = await startHostileNode(t, target)
  node.follow(translate)
  return {
    ...node,
    heightOf,
    skip: (next) => {
      isSkipped = next
      heights = [0]
    },
  }
}
