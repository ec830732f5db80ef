import t from 'tap'
import { findProblems, type History } from '../../support/feeds/udf-history.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { HEAD, type SimulatedToken, timeOf } from '../../support/market-simulation.ts'

const { db, tokens, read } = await createMarketApp(t)
/** A token with trades in the last hour. */
const token = tokens[29] as SimulatedToken
const now = timeOf(HEAD)
const history = async (query: string, symbol: string) =>
  (await read(`/integrations/udf/history?symbol=${symbol}&${query}`)).body as unknown as History

t.test('market capitalisations are prices in US dollars times the supply, with the volume in US dollars', async (t) => {
  const usd = await history('resolution=60&from=0&to=9999999999', `${token.address}:USD`)
  const caps = await history('resolution=60&from=0&to=9999999999', `${token.address}:MC`)
  t.ok(caps.t.length > 0)
  t.same({ ...caps, ...prices(usd) }, usd, 'the same bars and volumes')
  for (const column of ['o', 'h', 'l', 'c'] as const)
    for (const [at, value] of caps[column].entries()) t.equal(value, (usd[column][at] as number) * 1e9)
})

const prices = ({ o, h, l, c }: History) => ({ o, h, l, c })

for (const [resolution, interval, step] of [
  ['1S', '1s', 1],
  ['5S', '5s', 5],
  ['15S', '15s', 15],
] as const) {
  t.test(`resolution ${resolution}: the bars of the last hour, as the token’s chart has them`, async (t) => {
    const { address } = token
    const first = now - 3_600 - ((now - 3_600) % step)
    for (const [suffix, currency] of [
      ['', 'native'],
      [':USD', 'usd'],
      [':MC', 'marketCapUsd'],
    ]) {
      const bars = await history(`resolution=${resolution}&from=0&to=${now}`, `${address}${suffix}`)
      t.same(findProblems(bars, { from: first, to: now }), [])
      t.equal(bars.t[0], first)
      t.equal(bars.t.at(-1), now - (now % step))
      t.ok(bars.v.filter((volume) => volume > 0).length > 1, 'with trades')
      const { body } = await read<{ candles: Record<string, number>[] }>(
        `/tokens/${address}/chart?interval=${interval}&currency=${currency}&limit=1500`,
      )
      const { candles } = body.data
      t.same(
        bars.t.slice(-candles.length).map((time, at) => ({ time, close: bars.c.slice(-candles.length)[at] })),
        candles.map(({ time, close }) => ({ time, close })),
      )
    }
    const part = await history(`resolution=${resolution}&to=${first + 3 * step}&countback=300`, address)
    t.same(
      part.t,
      [0, 1, 2, 3].map((bar) => first + bar * step),
    )
    t.same(
      await history(`resolution=${resolution}&to=${first - 1}&countback=300`, address),
      { s: 'no_data' },
      'nothing before',
    )
    t.same(await history(`resolution=${resolution}&from=${now + 100}&to=${now + 200}`, address), {
      s: 'no_data',
      nextTime: now - (now % step),
    })
  })
}

t.test('while the feed has no price, no_data names the last bar of seconds that had one', async (t) => {
  const { address, trades } = token
  const last = trades.at(-1) as (typeof trades)[number]
  const id = db.selectFrom('tokens').select('id').where('address', '=', address)
  const setPrice = async (price: number | null) => {
    await db
      .updateTable('trades')
      .set({ price_usd: price })
      .where('token_id', '=', id)
      .where('block_number', '=', last.block)
      .execute()
    await db
      .updateTable('candles')
      .set({ close_usd: price })
      .where('token_id', '=', id)
      .where('resolution', '=', 60)
      .where('bucket', '=', timeOf(last.block))
      .execute()
  }
  await setPrice(null)
  const later = `resolution=5S&from=${now - 60}&to=${now}`
  const before = timeOf(last.block) - (timeOf(last.block) % 5) - 5
  t.same(await history(later, `${address}:MC`), { s: 'no_data', nextTime: before })
  await setPrice(1e-5)
  t.equal((await history(later, `${address}:MC`)).s, 'ok')
})
