import { type Hex, keccak256, stringToHex } from 'viem'
import { ContradictionError } from '../rpc/node-failure.ts'
import type { Nodes } from '../rpc/nodes.ts'
import { type Header, parseBlockReceipts, parseHeader, parseLogs, type RpcBlock } from '../rpc/parse-responses.ts'
import { Bloom } from './bloom.ts'
import type { RpcLog } from './log.ts'
import { digestReceipts, type RpcBlockReceipt } from './receipts-root.ts'

/** Sends a request to one node; `node` is its index in RPC_URL. */
export type RequestFromNode = <T>(node: number, method: string, params: unknown[]) => Promise<T>

/** Whether this chain's headers follow Ethereum's definition of each field; null until a block with logs was checked. */
export interface HeaderTrust {
  blooms: boolean | null
  receipts: boolean | null
}

const PROBED_BLOCKS = 16
const PROBE_INTERVAL_MS = 60_000
const RECEIPTS = 'eth_getBlockReceipts'

/** The logs of one block. */
export interface ReadLogs {
  /** In the order of their indexes. */
  logs: RpcLog[]
  /** Whether receipts prove them, instead of two equal answers. */
  isProven: boolean
}

/** The node does not have the block: it lags, or a reorg orphaned the block. */
class UnknownBlockError extends Error {
  override name = 'UnknownBlockError'
}

/** No response is proven and no two responses agree. A retry may succeed. */
class UncertainLogsError extends Error {
  override name = 'UncertainLogsError'
}

/** Cached blocks: the indexer and concurrent receipt syncs read the same ones. */
const CACHED_BLOCKS = 16

/**
 * Reads the logs of single blocks so that no single wrong response is accepted.
 *
 *   receipts hash to the header's receiptsRoot  proven, if their logs are numbered in order: accepted
 *   not proven, and roots are trusted           contradiction: counted, discarded, the node is demoted
 *   no receipts, or roots are not trusted       accepted if two responses are equal: from two nodes, from one node by
 *                                               two methods, or twice from one node that confirmed it has the block
 *   a log that a trusted bloom excludes         contradiction
 *
 * Blooms and roots are trusted once they match the receipts of a recent block: some chains leave them empty.
 */
export class BlockLogs {
  readonly #nodes: Nodes
  readonly #request: RequestFromNode
  readonly #onTrust: (trust: HeaderTrust) => void
  #trust: HeaderTrust = { blooms: null, receipts: null }
  #probed: Promise<void> | undefined
  #probedAt = 0
  readonly #proofs: boolean
  /** The key is the hash of a block. Only accepted logs stay cached. */
  readonly #cache = new Map<string, { topics: ReadonlySet<string>; read: Promise<ReadLogs> }>()

  constructor(
    nodes: Nodes,
    ask: RequestFromNode,
    { proofs, onTrust }: { proofs: boolean; onTrust: (trust: HeaderTrust) => void },
  ) {
    this.#nodes = nodes
    this.#request = ask
    this.#proofs = proofs
    this.#onTrust = onTrust
  }

  /** Which header fields are reliable on this chain. The first call checks recent blocks. */
  async getTrust(): Promise<HeaderTrust> {
    if (!this.#proofs) return { blooms: false, receipts: false }
    const isOpen = this.#trust.receipts === null && Date.now() - this.#probedAt > PROBE_INTERVAL_MS
    if (isOpen) this.#probed ??= this.#probe().finally(() => (this.#probed = undefined))
    await this.#probed
    return this.#trust
  }

  /** The logs of a block whose topic0 is in `topics`, by log index. Rejects with UncertainLogsError if none are accepted. */
  read(header: Header, topics: ReadonlySet<string>): Promise<ReadLogs> {
    const { hash } = header
    const kept = this.#cache.get(hash)
    if (kept?.topics === topics) return kept.read
    const entry = { topics, read: this.#readUncached(header, topics) }
    this.#cache.set(hash, entry)
    if (this.#cache.size > CACHED_BLOCKS) this.#cache.delete(this.#cache.keys().next().value!)
    entry.read.catch(() => this.#cache.get(hash) === entry && this.#cache.delete(hash))
    return entry.read
  }

  async #readUncached(header: Header, topics: ReadonlySet<string>): Promise<ReadLogs> {
    const trust = await this.getTrust()
    const select = (logs: readonly RpcLog[]) => logs.filter((log) => topics.has(log.topics[0] ?? ''))
    const answers = new Map<string, ReadLogs>()
    let failure: unknown
    let isContradicted = false
    /** An equal earlier response; undefined if there is none yet. */
    const findEqual = (logs: RpcLog[]): ReadLogs | undefined => {
      const key = keccak256(stringToHex(JSON.stringify(logs.map(describe))))
      const same = answers.get(key)
      answers.set(key, { logs, isProven: false })
      return same
    }
    const attempt = async (work: () => Promise<ReadLogs | undefined>): Promise<ReadLogs | undefined> => {
      try {
        return await work()
      } catch (error) {
        failure = error
        isContradicted ||= error instanceof ContradictionError
        return undefined
      }
    }
    const attempts: (() => Promise<ReadLogs | undefined>)[] = []
    const order = this.#nodes.order()
    const byReceipts = (node: number) => async () => {
      const { logs, isProven } = await this.#readReceipts(node, header, trust)
      return isProven ? { logs: select(logs), isProven } : findEqual(select(logs))
    }
    const byLogs = (node: number) => async () => findEqual(select(await this.#readLogs(node, header, topics, trust)))
    const hasReceipts = order.filter((node) => this.#supportsReceipts(node))
    // A proof needs one response. Without proofs, a second node is better evidence than a second method of the same node.
    if (trust.receipts !== false) attempts.push(...hasReceipts.map(byReceipts))
    attempts.push(...order.map(byLogs))
    if (trust.receipts === false) attempts.push(...hasReceipts.map(byReceipts))
    // Second request to a node that supports no other method.
    const repeatLogs = (node: number) => async () => (this.#supportsReceipts(node) ? undefined : byLogs(node)())
    attempts.push(...order.map(repeatLogs))
    for (const one of attempts) {
      const found = await attempt(one)
      if (found) return found
      // Roots are trusted and a response contradicted its root: accept only a proof.
      if (isContradicted && trust.receipts && attempts.indexOf(one) >= hasReceipts.length - 1) break
    }
    const reason = answers.size > 1 ? 'no two answers are equal' : 'too few answers'
    throw new UncertainLogsError(`The logs of block ${header.number} are not certain: ${reason}`, { cause: failure })
  }

  /** Whether some node may prove logs: the chain's roots are not known to differ, and not every node has refused receipts. */
  async canProve(): Promise<boolean> {
    const { receipts } = await this.getTrust()
    return receipts !== false && this.#nodes.order().some((node) => this.#supportsReceipts(node))
  }

  #supportsReceipts(node: number): boolean {
    return this.#nodes.methods.offers(node, RECEIPTS)
  }

  async #readReceipts(
    node: number,
    header: Header,
    trust: HeaderTrust,
  ): Promise<{ logs: RpcLog[]; isProven: boolean }> {
    const receipts = await this.#fetchReceipts(node, header.hash)
    const digest = digestReceipts(receipts)
    const isRooted = digest.receiptsRoot === header.receiptsRoot
    const isProven = isRooted && areInPlace(receipts)
    const logs = receipts.flatMap((receipt) => receipt.logs)
    if (isProven && logs.length > 0)
      this.#updateTrust({ receipts: true, blooms: digest.logsBloom === header.logsBloom })
    if (!isProven && trust.receipts) {
      throw this.#nodes.reportContradiction(
        node,
        isRooted
          ? `the logs of block ${header.number} are not numbered in the order of its receipts, or name other transactions`
          : `the receipts of block ${header.number} do not hash to its receiptsRoot`,
        RECEIPTS,
      )
    }
    return { logs, isProven: isProven && this.#proofs }
  }

  async #fetchReceipts(node: number, hash: string): Promise<RpcBlockReceipt[]> {
    const receipts = parseBlockReceipts(await this.#request(node, RECEIPTS, [hash]))
    if (receipts === null) {
      const error = new UnknownBlockError(`Node ${node + 1} of RPC_URL has no receipts of block ${hash}`)
      this.#nodes.methods.recordFailure(node, RECEIPTS, error)
      throw error
    }
    if (receipts.some(({ blockHash }) => blockHash !== hash)) {
      throw this.#nodes.reportContradiction(
        node,
        `asked for the receipts of block ${hash}, it answered others`,
        RECEIPTS,
      )
    }
    return receipts
  }

  async #readLogs(node: number, header: Header, topics: ReadonlySet<string>, trust: HeaderTrust): Promise<RpcLog[]> {
    const { hash, logsBloom } = header
    // Some nodes return [] for a block that they do not have.
    const known = await this.#request<RpcBlock | null>(node, 'eth_getBlockByHash', [hash, false])
    if (known === null) throw new UnknownBlockError(`Node ${node + 1} of RPC_URL has no block ${hash}`)
    const logs = parseLogs(await this.#request(node, 'eth_getLogs', [{ blockHash: hash, topics: [[...topics]] }]))
    const bloom = trust.blooms && logsBloom ? new Bloom(logsBloom) : undefined
    const isExcluded = ({ address, topics: own }: RpcLog) =>
      bloom && ![address, ...own].every((item) => bloom.has(item.toLowerCase()))
    if (logs.some((log) => log.blockHash !== hash || isExcluded(log))) {
      throw this.#nodes.reportContradiction(node, `a log of block ${header.number} is not in its logsBloom`)
    }
    const sorted = logs.toSorted((a, b) => Number(a.logIndex) - Number(b.logIndex))
    if (sorted.some(({ logIndex }, at) => Number(logIndex) === Number(sorted[at - 1]?.logIndex))) {
      throw this.#nodes.reportContradiction(node, `two logs of block ${header.number} have the same index`)
    }
    return sorted
  }

  /** Checks bloom and receiptsRoot of recent blocks with logs, on each node until one matches. */
  async #probe(): Promise<void> {
    this.#probedAt = Date.now()
    for (const node of this.#nodes.order()) {
      const found = await this.#probeNode(node).catch(() => undefined)
      if (found) this.#updateTrust(found)
      if (found?.receipts) return
    }
  }

  async #probeNode(node: number): Promise<HeaderTrust | undefined> {
    let found: HeaderTrust | undefined
    let block = await this.#request<RpcBlock | null>(node, 'eth_getBlockByNumber', ['latest', false])
    for (let left = PROBED_BLOCKS; block && left > 0; left--) {
      const receipts = await this.#fetchReceipts(node, block.hash)
      if (receipts.some(({ logs }) => logs.length > 0)) {
        const { logsBloom, receiptsRoot } = digestReceipts(receipts)
        const header = parseHeader(block)
        const isProven = receiptsRoot === header?.receiptsRoot && areInPlace(receipts)
        found = { blooms: logsBloom === header?.logsBloom, receipts: isProven }
        if (found.receipts) return found
      }
      if (Number(block.number) === 0) return found
      block = await this.#request<RpcBlock | null>(node, 'eth_getBlockByHash', [block.parentHash, false])
    }
    return found
  }

  /** One matching root is enough: a hash does not match by chance. */
  #updateTrust(found: HeaderTrust): void {
    const before = this.#trust
    if (before.receipts === true) return
    this.#trust = found
    if (before.receipts !== found.receipts || before.blooms !== found.blooms) this.#onTrust(found)
  }
}

/** The root proves neither the indexes of logs nor their transactions. */
const areInPlace = (receipts: readonly RpcBlockReceipt[]): boolean =>
  receipts
    .flatMap(({ transactionHash, logs }) => logs.map((log) => ({ log, transactionHash })))
    .every(({ log, transactionHash }, at) => Number(log.logIndex) === at && log.transactionHash === transactionHash)

const describe = ({ logIndex, transactionHash, address, topics, data }: RpcLog): Hex[] =>
  [logIndex, transactionHash, address, ...topics, data].map((text) => text.toLowerCase() as Hex)
