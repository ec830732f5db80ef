import type { ScreenedToken, ScreenerState } from '../../../db/queries/screener.ts'
import { RowBuffer } from '../../../features/screener/search.ts'
import { TokenColumns } from '../../../features/screener/token-columns.ts'
import type { DefinedView } from '../../../features/views/definition.ts'
import { Points, toPoint } from '../../../features/views/sequence.ts'
import { type TokenRecord, View, type ViewEvent } from '../../../features/views/view.ts'
import type { Random } from '../seeded-random.ts'

/*
 * Commits of tokens with random figures, and processes that evaluate views of them, without a database. Few distinct values, so that
 * tokens often share a place, and enter and leave views.
 */

const UNIT = 10n ** 18n
export const addressOf = (id: number) => `0x${id.toString(16).padStart(40, '0')}`

/** A token with its record, which has a version of its own. */
export interface MarketToken extends ScreenedToken {
  version: number
}

interface Commit {
  seq: number
  changed: readonly number[]
}

export class RandomMarket {
  readonly tokens = new Map<number, MarketToken>()
  state: ScreenerState = { clock: 1_000_000, nativeUsd: '2000', quotes: {} }
  /** All commits, oldest first. */
  readonly commits: Commit[] = []
  readonly #random: Random
  #lastId = 0
  #version = 0

  constructor(random: Random, count: number) {
    this.#random = random
    for (let left = count; left > 0; left--) this.#launch()
    this.#commit([...this.tokens.keys()])
  }

  get seq(): number {
    return this.commits.at(-1)!.seq
  }

  /** Some trades, a launch, an undone launch, and a move of the clock or the price. */
  change(): void {
    const random = this.#random
    const changed: number[] = []
    for (let left = random(4); left > 0; left--) {
      const ids = [...this.tokens.keys()]
      const id = ids[random(ids.length)]!
      const kind = random(8)
      if (kind === 0) changed.push(this.#launch())
      else if (kind === 1) this.tokens.delete(id)
      else {
        const token = this.tokens.get(id)!
        // Half of the changes leave most figures as they are.
        const figures = random(2) === 0 ? { ...token, version: ++this.#version } : this.#make(id, token)
        this.tokens.set(id, { ...figures, holder_count: random(20) })
      }
      changed.push(id)
    }
    const seconds = [0, 12, 12, 61, 600, -30][random(6)]!
    const nativeUsd = random(6) === 0 ? [null, '2000', '2500'][random(3)]! : this.state.nativeUsd
    this.state = { clock: this.state.clock + seconds, nativeUsd, quotes: {} }
    this.#commit(changed)
  }

  #commit(changed: readonly number[]): void {
    this.commits.push({ seq: (this.commits.at(-1)?.seq ?? 0) + 1 + this.#random(3), changed })
  }

  #launch(): number {
    const id = ++this.#lastId
    this.tokens.set(id, this.#make(id))
    return id
  }

  #make(id: number, former?: MarketToken): MarketToken {
    const random = this.#random
    const status = (['curve', 'curve', 'completed', 'graduated'] as const)[random(4)]!
    const isGraduated = status === 'graduated'
    const [buys, sells] = [random(4), random(4)]
    const created = former ?? {
      created_at: this.state.clock - random(1_500),
      created_block: 10 + (id >> 1),
      created_log: id & 1,
    }
    return {
      ...{ id, version: ++this.#version, creator: addressOf(id % 3), launchpad_kind: 'slipway', quote_id: 0, status },
      ...{ hidden: random(12) === 0, featured: random(4) === 0, has_links: random(2) === 0 },
      ...{ created_at: created.created_at, created_block: created.created_block, created_log: created.created_log },
      ...{ graduated_block: isGraduated ? 1_000 + random(20) : null, graduated_log: isGraduated ? id : null },
      ...{ trend: random(10), progress: random(12) * 9, market_cap: String(BigInt(random(12)) * UNIT) },
      ...{ liquidity: random(5) === 0 ? null : String(BigInt(random(5)) * UNIT), volume_h24: random(9) },
      ...{ volume_usd_h1: random(5) * 100, volume_usd_h24: random(9) * 100 },
      ...{ name: `Token ${id}`, symbol: `T${id}`, buys_m5: 0, sells_m5: 0, buys_h6: buys, sells_h6: sells },
      ...{ makers_m5: 0, makers_h1: random(3), makers_h6: random(6) },
      ...{ volume_usd_m5: 0, volume_usd_h6: 0, trades_m5: 0, trades_h6: 0 },
      ...{ buys_h1: buys, sells_h1: sells, buys_h24: buys, sells_h24: sells, traders_h24: random(6) },
      ...{ holder_count: random(20), top10_pct: random(100), creator_pct: random(100), sniper_pct: random(100) },
      bundler_pct: random(10) === 0 ? null : random(100),
      ...{
        price: 1,
        price_m5: 1,
        price_h1: 1,
        price_h6: 1,
        price_h24: [0.5, 1, 2, null][random(4)]!,
        since: null,
        until: null,
      },
    }
  }
}

/** A process that evaluates views at some of the commits of a market. */
export class Replica {
  readonly views: readonly View[]
  readonly #points = new Points()
  readonly #market: RandomMarket
  readonly #columns = new TokenColumns()
  readonly #rows = new RowBuffer()
  #at = -1

  constructor(market: RandomMarket, definitions: readonly DefinedView[]) {
    this.#market = market
    this.views = definitions.map((defined) => new View(defined, null))
  }

  get point(): number {
    return this.#points.last
  }

  /** Reads all commits since the last refresh. Returns the events of each view. */
  refresh(): ViewEvent[][] {
    const { tokens, commits, state, seq } = this.#market
    const changes = commits.filter((commit) => commit.seq > this.#at)
    if (changes.length === 0) return this.views.map(() => [])
    const changed = new Set(changes.flatMap((commit) => commit.changed))
    for (const id of changed) {
      const token = tokens.get(id)
      if (token) this.#columns.put(token, 0)
      else this.#columns.remove(id)
    }
    const isLoad = this.#at === -1
    this.#at = seq
    const figures = { columns: this.#columns, state, rows: this.#rows }
    const events = this.views.map((view) => {
      const ids = view.rank({ figures, changed, isLoad })
      return view.publish(seq, new Map(ids.map((id) => [id, toRecord(tokens.get(id)!)])))
    })
    this.#points.add(seq, seq)
    return events
  }

  /** The events of a view after a seq; null if they are not known here. */
  replay(view: View, since: number): ViewEvent[] | null {
    const commit = toPoint(since)
    const from = commit === null ? undefined : this.#points.find(commit)
    return from === undefined ? null : view.replay(from, this.point)
  }
}

const toRecord = ({ id, version }: MarketToken): TokenRecord => ({
  address: addressOf(id),
  json: JSON.stringify({ address: addressOf(id), version }),
  isConfirmed: true,
})
