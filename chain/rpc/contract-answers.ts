import { type Hex, numberToHex } from 'viem'
import { classifyCallError } from '../feed/read-price.ts'
import type { RequestFromNode } from '../logs/block-logs.ts'
import { type ContractRead, MAX_ANSWER_LENGTH } from '../logs/contract-read.ts'
import type { Nodes } from './nodes.ts'
import { parseHeader } from './parse-responses.ts'

/** The block of a log. */
export interface ReadBlock {
  number: number
  hash: string
}

/** No node has answered a call at the block of its log. A retry may succeed. */
class UncertainAnswerError extends Error {
  override name = 'UncertainAnswerError'
}

/** How long reads may fail before the indexer goes on without their answers. */
const PATIENCE_MS = 60_000

interface Options {
  patienceMs?: number | undefined
  /** A clock in milliseconds; for tests. */
  now?: () => number
}

/**
 * Reads contracts at the block of a log, so that no node alone decides:
 *
 *   two nodes answer the same       accepted
 *   one node answers, others fail   accepted: it may be the only one
 *   nodes answer differently        null, unless two of them agree
 *   reverted, empty, or nonsense    null if no node answers better
 *   no node answers at all          rejects; where mayGiveUp is true, not after patienceMs: null until a node answers again
 *
 * The block is named by its hash (EIP-1898); by its height, which is compared with the hash afterwards, where a node rejects
 * that; and where its state is pruned, the newest state is read.
 */
export class ContractAnswers {
  readonly #nodes: Nodes
  readonly #request: RequestFromNode
  readonly #patienceMs: number
  readonly #now: () => number
  /** The height up to which a node has pruned the state. */
  readonly #prunedTo = new Map<number, number>()
  #failingSince: number | undefined

  constructor(nodes: Nodes, request: RequestFromNode, { patienceMs = PATIENCE_MS, now = Date.now }: Options = {}) {
    this.#nodes = nodes
    this.#request = request
    this.#patienceMs = patienceMs
    this.#now = now
  }

  /** What is kept of the answer; null if none is certain. */
  async read(
    read: ContractRead,
    block: ReadBlock,
    { mayGiveUp = false }: { mayGiveUp?: boolean } = {},
  ): Promise<Hex | null> {
    const found = new Set<Hex>()
    let isAnswered = false
    let failure: unknown
    for (const node of this.#nodes.order()) {
      try {
        const kept = keep(read, await this.#ask(node, read, block))
        isAnswered = true
        if (kept === undefined) continue
        if (found.has(kept)) return this.#succeed(kept)
        found.add(kept)
      } catch (error) {
        failure = error
      }
    }
    const [only] = found
    if (isAnswered) return this.#succeed(found.size === 1 ? only! : null)
    this.#failingSince ??= this.#now()
    if (mayGiveUp && this.#now() - this.#failingSince >= this.#patienceMs) return null
    throw new UncertainAnswerError(`No node of RPC_URL answers ${read.to} at block ${block.number}`, { cause: failure })
  }

  #succeed(kept: Hex | null): Hex | null {
    this.#failingSince = undefined
    return kept
  }

  /** Undefined if the call failed in the contract. Rejects if the node fails. */
  async #ask(node: number, { to, data }: ContractRead, block: ReadBlock): Promise<unknown> {
    const call = (at: unknown) => this.#request(node, 'eth_call', [{ to, data }, at])
    const callAt = async (tag: string) => {
      const answer = await call(tag).catch((error: unknown) => {
        if (classifyCallError(error) === 'reverted') return undefined
        throw error
      })
      await this.#requireBlock(node, block)
      return answer
    }
    if (block.number <= (this.#prunedTo.get(node) ?? -1)) return callAt('latest')
    const attempts = [() => call({ blockHash: block.hash }), () => callAt(numberToHex(block.number))]
    let failure: unknown
    for (const attempt of attempts) {
      try {
        return await attempt()
      } catch (error) {
        const kind = classifyCallError(error)
        if (kind === 'reverted') return undefined
        if (kind === 'no-state') {
          this.#prunedTo.set(node, block.number)
          return callAt('latest')
        }
        failure = error
      }
    }
    throw failure
  }

  async #requireBlock(node: number, { number, hash }: ReadBlock): Promise<void> {
    const header = parseHeader(await this.#request(node, 'eth_getBlockByNumber', [numberToHex(number), false]), {
      number,
    })
    // It lags, or a reorg has orphaned the block.
    if (header?.hash !== hash) throw new UncertainAnswerError(`Node ${node + 1} of RPC_URL has another block ${number}`)
  }
}

/** Undefined for an answer of another form. */
function keep(read: ContractRead, answer: unknown): Hex | undefined {
  if (typeof answer !== 'string' || answer.length > MAX_ANSWER_LENGTH) return undefined
  if (answer.length % 2 !== 0 || !/^0x[0-9a-f]*$/.test(answer)) return undefined
  try {
    return read.keep(answer as Hex)
  } catch {
    return undefined
  }
}
