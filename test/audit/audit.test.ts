import { sql } from 'kysely'
import t from 'tap'
import { type Address, numberToHex, parseEther, toFunctionSelector } from 'viem'
import { audit, auditSnapshot } from '../../audit/audit.ts'
import { nextRange } from '../../audit/history.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { indexToHead } from '../indexer/fixtures/indexing.ts'
import { playMarket } from '../indexer/fixtures/market.ts'
import { makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { on, result, startHostileNode } from '../support/hostile/node.ts'

t.setTimeout(400_000)

t.test('ranges double below 5,000 logs and are halved above 10,000, from 1 to 10,000 blocks', async (t) => {
  t.same(
    [0, 4_999, 5_000, 10_000, 10_001].map((logs) => nextRange(1_000, logs)),
    [2_000, 2_000, 1_000, 1_000, 500],
  )
  t.same([nextRange(6_000, 0), nextRange(10_000, 0)], [10_000, 10_000], 'up to 10,000 blocks')
  t.same([nextRange(3, 20_000), nextRange(1, 20_000)], [1, 1], 'down to one block')
})

t.test('the audit of an indexed market', async (t) => {
  const test = await startChain(t)
  const { db } = await createTestDatabase(t)
  const run = async () => {
    const lines: string[] = []
    const summary = await audit({ ...test, db, onDifference: (line) => lines.push(line) })
    return { lines, summary }
  }
  await t.rejects(run(), { name: 'NotSettledError', message: /Nothing has been indexed/ })
  const { graduated, open } = await playMarket(test)
  // More holders than the ten largest.
  const [, , bob] = test.accounts as [Address, Address, Address]
  const holders = Array.from({ length: 12 }, (_, at) => numberToHex(0xa000 + at, { size: 20 }))
  const act = makeActions(test.deployed)
  await test.node.run(...holders.map((to, at) => act.transfer(bob, graduated, to, parseEther(String(at + 1)))))
  await indexToHead(db, test)

  const { lines, summary } = await run()
  t.strictSame(lines, [], 'is clean')
  t.match(summary, { tokens: 2, differences: 0, block: await test.node.height() })
  t.ok(summary.compared > 1_000)

  const idIs = (token: string) => `token_id = (select id from tokens where address = '${token}')`
  /** What is damaged, and a line that says so. */
  const damages: [statement: string, line: RegExp][] = [
    [
      `update balances set balance = balance + 1 where ${idIs(graduated)} and balance > 0`,
      /balance 0x.* stored \d+, should be/,
    ],
    [`delete from balances where ${idIs(open)} and balance > 0`, /balance 0x.*missing/],
    [`update token_figures set real_quote = real_quote + 1 where ${idIs(open)}`, /real_quote: stored/],
    [`update token_figures set pool_quote = pool_quote - 1 where pool is not null`, /pool_quote: stored/],
    [`update token_figures set creator_fees = creator_fees + 1`, /unclaimed_creator_fees: stored/],
    [`update token_figures set trend = trend + 0.00001 where ${idIs(open)}`, /trend: stored/],
    [`update token_figures set holder_count = holder_count + 1`, /holder_count: stored/],
    [`update token_figures set top10_balance = top10_balance - 1`, /top10_balance: stored/],
    [`update token_figures set volume_h1 = volume_h1 + 1`, /volume_h1: stored/],
    [`update token_figures set market_cap = market_cap + 1`, /market_cap: stored/],
    [`update token_figures set ath_market_cap_usd = ath_market_cap_usd * 1.000001`, /ath_market_cap_usd: stored/],
    [`update token_figures set pool = null, status = 'completed'`, /pool: stored nothing/],
    [
      `update token_ids set creation = '\\x00' where address = '${open}'`,
      /token 0x.*: has the number of another launch/,
    ],
    [`delete from token_figures where ${idIs(open)}`, /balances of 0x.*: there are no figures of that token/],
    [`update tokens set total_supply = total_supply - 1`, /total_supply: stored/],
    [`update tokens set symbol = 'TWO' where address = '${open}'`, /symbol: stored TWO, should be ONE/],
    [`update tokens set symbol_key = 'TWO' where address = '${open}'`, /symbol_key: stored TWO, should be ONE/],
    [`update tokens set symbol_taken_before = true`, /symbol_taken_before: stored true, should be false/],
    [`update candles set high = high * 1.0000001 where resolution = 300`, /candle 300\/\d+ high: stored/],
    [`update candles set volume = volume + 1 where resolution = 86400`, /candle 86400\/\d+ volume: stored/],
    [`delete from candles where resolution = 14400`, /candle 14400\/\d+: missing/],
    [`update trades set recipient = null, quote_amount = quote_amount + 1`, /trade \d+\/\d+ quote_amount: stored/],
    [`delete from trades where venue = 'p'`, /trade \d+\/\d+: missing/],
    [`update trades set pool = '\\x00' where venue = 'p'`, /trade \d+\/\d+ pool: stored 0x00/],
    [
      `update trades set launchpad_id = (select max(id) + 1 from contract_ids)`,
      /trade \d+\/\d+: has another launchpad or quote asset than its token/,
    ],
    [`delete from pool_states`, /pool state \d+\/\d+: missing/],
    [`delete from actions where type = 'graduate'`, /action \d+\/\d+: missing/],
    [`update wallet_figures set volume_d7 = volume_d7 + 1`, /wallet 0x\w+ volume_d7: stored/],
    [`update trades set realized = realized + 1`, /trade \d+\/\d+ realized: stored/],
    [`update balances set lot_cost = lot_cost + 1`, /lot_cost: stored/],
    [`update wallet_figures set realized_d30 = realized_d30 - 1`, /realized_d30: stored/],
    [`update platform_figures set traders_total = 99`, /platform figures traders_total: stored 99/],
    [`update balances set first_seen_block = first_seen_block - 1`, /first_seen_block: stored/],
    [`update balances set trades_h24 = 7`, /trades_h24: stored 7/],
    [`update blocks set hash = '\\x00' where log_count > 0`, /block \d+ hash: stored 0x00/],
    [`update blocks set quote_usd = quote_usd + 1 where log_count > 0`, /quote_usd: stored/],
    [`delete from blocks where log_count > 5`, /log \d+\/\d+: missing/],
    [
      `update blocks set number = number - 1 where number = (select min(number) from blocks where log_count > 2)`,
      /stored, but should not be/,
    ],
  ]
  for (const [statement, line] of damages) {
    await t.test(`reports: ${statement}`, async (t) => {
      const rollback = new Error('rollback')
      const found: string[] = []
      const damaged = db.transaction().execute(async (trx) => {
        await sql.raw(statement).execute(trx)
        const onDifference = (difference: string) => found.push(difference)
        const { differences } = await auditSnapshot(trx, { ...test, db, onDifference })
        t.equal(differences, found.length)
        throw rollback
      })
      await t.rejects(damaged, rollback)
      t.ok(
        found.some((found) => line.test(found)),
        String(line),
        { found: found.slice(0, 5) },
      )
    })
  }
  t.strictSame((await run()).lines, [], 'is clean again')

  /** A function of a contract, how its result changes, and a line that says so. */
  const weth = test.deployed.weth.toLowerCase().slice(2)
  const plusOne = (result: string) =>
    result.replace(/[0-9a-f]{64}$/, (word) => numberToHex(BigInt(`0x${word}`) + 1n, { size: 32 }).slice(2))
  const otherSide = (result: string) => result.replace(weth, 'f'.repeat(40))
  const answers: [signature: string, change: (result: string) => string, line: RegExp][] = [
    ['token0()', otherSide, new RegExp(`^pool 0x\\w+ quote side: stored 0x${weth}, should be 0xf+$`)],
    ['getReserves()', (result) => `${plusOne(result.slice(0, 66))}${result.slice(66)}`, /pool_(token|quote): stored/],
    ['balanceOf(address)', () => numberToHex(0, { size: 32 }), /^pool 0x\w+: 0 LP shares are burnt, \d+ should be$/],
    ['balanceOf(address)', plusOne, /^balance 0x\w+\/0x\w+: stored/],
    ['totalSupply()', plusOne, /^token 0x\w+ sum of all balances: stored/],
    ['protocolFees()', plusOne, /fees.*stored/],
    ['getReserves()', () => '0x', /does not answer getReserves/],
  ]
  for (const [signature, change, line] of answers) {
    await t.test(`reports another result of ${signature}: ${line}`, async (t) => {
      const node = await startHostileNode(t, test.anvil.url)
      // Either side of a pool may be the wrapped coin.
      const selectors = signature === 'token0()' ? ['token0()', 'token1()'] : [signature]
      const changed = selectors.map((one) => toFunctionSelector(one))
      node.follow(
        on('eth_call', async (call, ask) => {
          const { data } = call.params[0] as { data: string }
          const honest = await ask(call)
          if (!changed.some((selector) => data.startsWith(selector)) || !('result' in honest)) return honest
          return result(change(String(honest.result)))
        }),
      )
      const found: string[] = []
      await audit({ ...test, db, chain: new Chain([node.url]), onDifference: (difference) => found.push(difference) })
      t.ok(
        found.some((one) => line.test(one)),
        String(line),
        { found: found.slice(0, 5) },
      )
    })
  }

  await t.test('fails while the indexer is on another branch, and is clean after the reorg', async (t) => {
    await test.node.reorg(2)
    await t.rejects(run(), { name: 'NotSettledError', message: /is not on the node's chain/ })
    await indexToHead(db, test)
    t.strictSame((await run()).lines, [])
  })
})
