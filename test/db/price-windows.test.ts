import { sql } from 'kysely'
import t from 'tap'
import { findTokens } from '../../db/queries/tokens.ts'
import { createTestDatabase } from '../support/database.ts'
import { fillMarket } from '../support/market-fixture.ts'
import { HEAD, timeOf } from '../support/market-simulation.ts'

/* The price at the start of a window, which is read from the candles only where it can differ from the present one. */
const { db } = await createTestDatabase(t)
const addresses = (await fillMarket(db)).map(({ address }) => address)
const WINDOWS = { price_m5: 300, price_h1: 3_600, price_h24: 86_400 } as const

/** The close of the last minute that began at or before a time, or the price of the launch. */
async function readPricesAt(time: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ address: string; price: number }>`
    select address, coalesce((
      select close from candles where token_id = tokens.id and resolution = 60 and bucket <= ${time}
      order by bucket desc limit 1
    ), initial_virtual_quote::double precision / initial_virtual_token::double precision) as price from tokens`.execute(
    db,
  )
  return new Map(rows.map(({ address, price }) => [address, price]))
}

t.test('prices at the start of each window equal those of the candles, at any time', async (t) => {
  const graduated = await db
    .selectFrom('readable_token_figures')
    .select('token')
    .where('pool', 'is not', null)
    .execute()
  t.ok(graduated.length > 0)
  // Liquidity moved the price without a trade, after the last candle before each window.
  await db.updateTable('token_figures').set({ price: 1 }).where('pool', 'is not', null).execute()
  let differing = 0
  for (const later of [0, 60, 240, 300, 301, 1_800, 3_540, 3_600, 40_000, 86_340, 86_400, 86_460, 200_000]) {
    const clock = timeOf(HEAD) + later
    await db.updateTable('chain_state').set({ clock_time: clock }).execute()
    const rows = await findTokens(db, addresses)
    t.equal(rows.length, addresses.length)
    for (const [column, seconds] of Object.entries(WINDOWS)) {
      const prices = await readPricesAt(clock - seconds)
      const wrong = rows.filter((row) => {
        const [price, expected] = [row[column as 'price_m5'], prices.get(row.address) as number]
        if (row.price !== expected) differing++
        return Math.abs(price / expected - 1) > 1e-12
      })
      t.strictSame(
        wrong.map(({ address }) => address),
        [],
        `${column}, ${later} s after the head`,
      )
    }
  }
  t.ok(differing > 100, `${differing} prices differ from the present ones`)
})
