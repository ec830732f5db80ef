import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../indexer/fixtures/operation.ts'
import { deployPairTrader } from '../indexer/fixtures/pair-trader.ts'
import type { Random } from '../indexer/fixtures/random.ts'
import { count, type RandomClients } from '../indexer/fixtures/random-clients.ts'
import { RandomMarket } from '../indexer/fixtures/random-market.ts'
import { RandomReorgs } from '../indexer/fixtures/random-reorgs.ts'
import { type NextTime, RandomTimes } from '../indexer/fixtures/random-times.ts'
import { deployBatch } from '../support/actors.ts'
import type { Receipt, TestChain } from '../support/chain-fixture.ts'

const ROUND_MS = 800

/** Blocks as a chain makes them: sockets receive no events that are ten minutes older than the newest block. */
class SteadyTimes extends RandomTimes {
  readonly #random: Random

  constructor(random: Random) {
    super(random)
    this.#random = random
  }

  override draw(): NextTime {
    return { seconds: this.#random.between(0, 5) }
  }
}

/** Everybody who trades, one block after another, and the reorgs of these blocks. */
export class Market {
  /** Of each kind, how many were mined and did not revert. */
  readonly operations = new Map<string, number>()
  reorgs = 0
  readonly #test: TestChain
  readonly #market: RandomMarket
  readonly #times: SteadyTimes
  readonly #reorgs: RandomReorgs
  readonly #random: Random
  /** Depths of reorgs that are due, as a part of what may be replaced. */
  readonly #due: number[] = []
  /** Below this block nothing may be replaced: the indexer may have taken it as final. */
  #floor = 0

  private constructor(test: TestChain, market: RandomMarket, random: Random) {
    this.#test = test
    this.#market = market
    this.#random = random
    this.#times = new SteadyTimes(random)
    this.#reorgs = new RandomReorgs(test.node, { random, times: this.#times }, () => market.draw())
  }

  static async open(test: TestChain, random: Random): Promise<Market> {
    const batch = await deployBatch(test.node, test.accounts.slice(1, 5))
    const pairs = await deployPairTrader(test)
    return new Market(test, new RandomMarket(test, { batch, pairs }, random), random)
  }

  /** Replaces blocks before the next round. */
  reorganize(depth: number): void {
    this.#due.push(depth)
  }

  /** Trades until the signal. */
  async trade(clients: RandomClients, sync: () => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const due = this.#due.shift()
      if (due !== undefined) {
        await this.#replace(due)
        await clients.refresh()
      }
      clients.remember(await this.playRound())
      for (let left = this.#random.between(0, 3); left > 0; left--) sync()
      await sleep(ROUND_MS)
    }
  }

  async playRound(): Promise<Receipt[]> {
    const { node } = this.#test
    await this.#market.refresh()
    const drawn = Array.from({ length: this.#random.between(2, 8) }, () => this.#market.draw())
    const operations = drawn.filter((one): one is Operation => one !== undefined)
    const sent = await node.send(operations.flatMap(({ actions }) => actions))
    await node.mine(this.#times.draw().seconds)
    const receipts = await node.receipts(sent.filter((hash) => hash !== undefined))
    const succeeded = new Set(receipts.filter(({ status }) => Number(status) === 1).map((one) => one.transactionHash))
    let at = 0
    for (const { name, actions } of operations) {
      at += actions.length
      const hash = sent[at - 1]
      if (hash && succeeded.has(hash)) count(this.operations, name)
    }
    this.#floor = Math.max(this.#floor, (await node.height()) - Number(this.#test.config.finality.amount))
    return receipts
  }

  async #replace(part: number): Promise<void> {
    const room = Math.min((await this.#test.node.height()) - this.#floor, Number(this.#test.config.finality.amount))
    if (room < 1) return
    await this.#reorgs.reorganize(1 + Math.floor(part * room * 0.999))
    this.reorgs++
  }

  /** Blocks that make everything before final, and the chain longer than it was before any reorg. */
  async finalize(): Promise<void> {
    for (let left = Number(this.#test.config.finality.amount) + 2; left > 0; left--) await this.#test.node.mine()
  }
}
