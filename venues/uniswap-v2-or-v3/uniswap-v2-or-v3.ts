import type { Log } from '../../chain/logs/log.ts'
import type { Payment } from '../payments.ts'
import { uniswapV2 } from '../uniswap-v2/uniswap-v2.ts'
import { uniswapV3 } from '../uniswap-v3/uniswap-v3.ts'
import type { Pool, PoolReader, Price, ReportFact, Venue } from '../venue.ts'

const types: readonly Venue[] = [uniswapV2, uniswapV3]

const findType = ({ topic0 }: Log): Venue | undefined =>
  types.find(({ topics }) => (topics as readonly string[]).includes(topic0))

/** Pools of a launchpad that decides at the graduation whether to open a pair of Uniswap V2 or a pool of V3. Their logs differ. */
export const uniswapV2OrV3: Venue = {
  name: 'uniswap-v2-or-v3',
  topics: types.flatMap(({ topics }) => topics),
  swapTopics: types.flatMap(({ swapTopics }) => swapTopics),
  open: (pool, report) => new EitherReader(pool, report),
  typeOf: (log) => findType(log)?.name,
}

/** Each log is read as those of its type are. */
class EitherReader implements PoolReader {
  readonly #pool: Pool
  readonly #report: ReportFact
  readonly #readers = new Map<Venue, PoolReader>()

  constructor(pool: Pool, report: ReportFact) {
    this.#pool = pool
    this.#report = report
  }

  get firstPrice(): Price | undefined {
    return [...this.#readers.values()].find(({ firstPrice }) => firstPrice !== undefined)?.firstPrice
  }

  add(log: Log, takePayments: () => readonly Payment[]): void {
    const type = findType(log)
    if (type !== undefined) this.#open(type).add(log, takePayments)
  }

  reportPrice(): void {
    for (const reader of this.#readers.values()) reader.reportPrice()
  }

  finish(): void {
    for (const reader of this.#readers.values()) reader.finish()
  }

  #open(type: Venue): PoolReader {
    const known = this.#readers.get(type)
    if (known !== undefined) return known
    const reader = type.open(this.#pool, this.#report)
    this.#readers.set(type, reader)
    return reader
  }
}
