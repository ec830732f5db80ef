import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { InvalidResponseError } from './node-failure.ts'
import { parseHeader, validateResponse } from './parse-responses.ts'

/** A node is checked again after this time, because another one may listen at its URL. */
const VERIFIED_MS = 30_000
/** A node of another chain is not checked again before. */
const WRONG_MS = 5_000
/** The wait for the database. A transaction may wait for a node on its only connection. */
const ANCHOR_MS = 1_000

/** A block that is indexed and final. */
interface AnchorBlock {
  number: number
  hash: string
}

/** What the nodes of a service have in common. */
export interface ChainIdentity {
  chainId: number
  /** Undefined before the first start: the first node that is checked sets it. */
  genesisHash?: string | undefined
  /** The newest indexed block that is final; undefined while there is none. */
  readAnchor?: () => Promise<AnchorBlock | undefined>
}

/** Why a node is not used. The end of a sentence that begins with the node; public. */
export class WrongNodeError extends Error {
  override name = 'WrongNodeError'
  /** `behind`: the node does not have the anchor block. */
  readonly kind: 'chain' | 'genesis' | 'block' | 'behind'

  constructor(kind: WrongNodeError['kind'], reason: string) {
    super(reason)
    this.kind = kind
  }
}

export interface IdentityCall {
  method: string
  params: unknown[]
}

interface Checked {
  verifiedUntil: number
  wrong: { error: WrongNodeError; until: number } | undefined
  checking: Promise<void> | undefined
}

export interface IdentityEvents {
  /** A node is of another chain, or lacks an indexed block that is final. Called once until the reason changes. */
  onWrong?: (node: number, reason: string) => void
  /** A node that was wrong is right again. */
  onRight?: (node: number) => void
}

/**
 * Checks that nodes are on the chain of the service, before their first response counts, after they were away, and every half
 * minute: another node may have taken over the URL. Genesis, chain id and the newest indexed block that is final must agree.
 */
export class NodeIdentities {
  readonly #identity: ChainIdentity
  readonly #request: (node: number, call: IdentityCall) => Promise<unknown>
  readonly #events: IdentityEvents
  readonly #now: () => number
  readonly #checked: Checked[]
  #anchor: AnchorBlock | undefined

  constructor(
    count: number,
    identity: ChainIdentity,
    request: (node: number, call: IdentityCall) => Promise<unknown>,
    events: IdentityEvents = {},
    now: () => number = Date.now,
  ) {
    this.#identity = { ...identity }
    this.#request = request
    this.#events = events
    this.#now = now
    this.#checked = Array.from({ length: count }, () => ({ verifiedUntil: 0, wrong: undefined, checking: undefined }))
  }

  /** Undefined if the node is verified; else rejects with WrongNodeError, or with the error of the node. */
  verify(node: number): Promise<void> | undefined {
    const state = this.#checked[node]!
    if (state.verifiedUntil > this.#now()) return undefined
    if (state.wrong && state.wrong.until > this.#now()) return Promise.reject(state.wrong.error)
    state.checking ??= this.#check(node, state).finally(() => {
      state.checking = undefined
    })
    return state.checking
  }

  /** The node was away: it is checked before its next response counts. */
  requireCheck(node: number): void {
    this.#checked[node]!.verifiedUntil = 0
  }

  /** Why a node is not used; undefined if it is. */
  findProblem(node: number): string | undefined {
    return this.#checked[node]!.wrong?.error.message
  }

  async #check(node: number, state: Checked): Promise<void> {
    try {
      await this.identify((calls) => Promise.allSettled(calls.map((call) => this.#request(node, call))))
    } catch (error) {
      if (!(error instanceof WrongNodeError)) throw error
      if (state.wrong?.error.message !== error.message) this.#events.onWrong?.(node, error.message)
      state.wrong = { error, until: this.#now() + WRONG_MS }
      throw error
    }
    if (state.wrong) this.#events.onRight?.(node)
    state.wrong = undefined
    state.verifiedUntil = this.#now() + VERIFIED_MS
  }

  /**
   * Judges a node by the results of the calls that identify it. Rejects with WrongNodeError, or with the error of a call without
   * which the node cannot be identified.
   */
  async identify(
    ask: (calls: readonly IdentityCall[]) => Promise<readonly PromiseSettledResult<unknown>[]>,
  ): Promise<void> {
    // The last known one, while the database is down or busy.
    const late = sleep(ANCHOR_MS, undefined, { ref: false })
    const read = this.#identity.readAnchor?.().catch(() => undefined)
    this.#anchor = (await Promise.race([read, late])) ?? this.#anchor
    const anchor = this.#anchor
    const heights = anchor && anchor.number > 0 ? [0, anchor.number] : [0]
    const calls: IdentityCall[] = [
      { method: 'eth_chainId', params: [] },
      ...heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [numberToHex(height), false] })),
    ]
    this.#judge(calls, await ask(calls), anchor)
  }

  #judge(
    calls: readonly IdentityCall[],
    results: readonly PromiseSettledResult<unknown>[],
    anchor: AnchorBlock | undefined,
  ): void {
    const [chainId, genesis, atAnchor] = results.map((result, index) => read(calls[index]!, result))
    const { chainId: ours, genesisHash } = this.#identity
    if (chainId?.value !== undefined && Number(chainId.value) !== ours)
      throw new WrongNodeError('chain', `is on chain ${Number(chainId.value)}, and CHAIN_ID is ${ours}`)
    const first = toHash(genesis?.value)
    if (first && genesisHash && first !== genesisHash)
      throw new WrongNodeError('genesis', `is on another chain: its genesis is ${first}, not ${genesisHash}`)
    const indexed = toHash(atAnchor?.value)
    if (anchor && indexed && indexed !== anchor.hash.toLowerCase())
      throw new WrongNodeError(
        'block',
        `is on another branch or chain: its block ${anchor.number} is ${indexed}, and the indexed one, which is final, is ${anchor.hash}`,
      )
    if (chainId?.error) throw chainId.error
    // A block that is indexed proves its ancestors.
    if (anchor && indexed) return
    if (genesis?.error) throw genesis.error
    if (!first) throw new InvalidResponseError('The node has no block 0')
    if (anchor && anchor.number > 0) {
      if (atAnchor?.error) throw atAnchor.error
      throw new WrongNodeError(
        'behind',
        `does not have block ${anchor.number}, which is indexed: it lags, or is on another chain`,
      )
    }
    this.#identity.genesisHash ??= first
  }
}

/** The value of a result that is valid; null stands for a block that the node does not have. */
function read(call: IdentityCall, result: PromiseSettledResult<unknown>): { value?: unknown; error?: unknown } {
  if (result.status === 'rejected') return { error: result.reason }
  try {
    validateResponse(call, result.value)
    return { value: result.value }
  } catch (error) {
    return { error }
  }
}

const toHash = (block: unknown): string | undefined =>
  block === undefined || block === null ? undefined : parseHeader(block)?.hash.toLowerCase()
