import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseEther } from 'viem'
import { launchTokenAbi } from '../../../chain/abi/launch-token.ts'
import { bytes } from '../../../db/hex.ts'
import type { WalletStats } from '../../../schemas/wallets.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { createRandom } from '../../support/seeded-random.ts'

/*
 * Four wallets trade three tokens for some days, send each other tokens, and buy for each other, while the price of the native coin
 * changes. What the service returns is compared with the balances that the chain had, and with a replay of the trades.
 */
const { node, deployed, accounts, db, test, read } = await createChainApp(t)
const [owner, ann, ...others] = accounts as Address[]
const wallets = others.slice(0, 4) as Address[]
const act = makeActions(deployed)
const [HOUR, DAY] = [3_600, 86_400]
const STEPS = 60
const random = createRandom(7)
const pick = <T>(list: readonly T[]) => list[random(list.length)] as T

/** US dollars for the native coin, eight decimals, by the first block that has them. */
const rates: { block: number; usd: bigint }[] = []
/** Tokens that left or reached a wallet other than by its own trade. */
const sent: { wallet: Address; token: Address; block: number }[] = []
const received: { wallet: Address; token: Address }[] = []

const balanceAt = async (token: Address, wallet: Address, block: Hex | 'latest') =>
  BigInt(
    await node.call<Hex>(
      ...(['eth_call'] as const),
      ...[
        { to: token, data: encodeFunctionData({ abi: launchTokenAbi, functionName: 'balanceOf', args: [wallet] }) },
        block,
      ],
    ),
  )
async function setRate() {
  const usd = BigInt(2_000 + random(2_000)) * 10n ** 8n
  const [receipt] = await node.run(act.setPrice(owner!, usd))
  rates.push({ block: Number(receipt!.blockNumber), usd })
}

await setRate()
const launches = await node.run(...['ONE', 'TWO', 'SIX'].map((symbol) => act.launch(ann!, symbol)))
const tokens = launches.map(launchedToken) as Address[]

async function step() {
  const [wallet, other, token] = [pick(wallets), pick(wallets), pick(tokens)]
  const held = await balanceAt(token, wallet, 'latest')
  const part = (held * BigInt(1 + random(4))) / 4n
  const amount = parseEther('0.02') * BigInt(1 + random(9))
  const kind = random(10)
  if (kind === 0) await setRate()
  else if (kind <= 4 || part === 0n) await node.run(act.buy(wallet, token, amount))
  else if (kind <= 7) await node.run(act.sell(wallet, token, part))
  else if (other !== wallet) {
    const [receipt] = await node.run(
      kind === 8 ? act.transfer(wallet, token, other, part) : act.buy(wallet, token, amount, other),
    )
    sent.push({ wallet, token, block: Number(receipt!.blockNumber) })
    received.push({ wallet: other, token })
  }
}
for (let left = STEPS; left > 0; left--) {
  await step()
  // Two days without a trade in the middle.
  await node.mine(left === STEPS / 2 ? 2 * DAY : random(6) * HOUR + 1)
}
await indexToHead(db, test)

type Stats = Static<typeof WalletStats>
const stats = async (wallet: Address, period: string) =>
  (await read<Stats>(`/wallets/${wallet}/stats?period=${period}`)).body.data

interface Trade {
  block_number: number
  block_time: number
  token: Address
  trader: Address
  side: string
  token_amount: string
  quote_amount: string
  value_usd: string
  virtual_quote: string
  virtual_token: string
}
const { rows: trades } = await sql<Trade>`select * from readable_trades order by block_number, log_index`.execute(db)
const times = await Promise.all(
  Array.from({ length: (await node.height()) + 1 }, async (_, number) =>
    Number((await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', numberToHex(number), false)).timestamp),
  ),
)
const startOfDay = (time: number) => time - (time % DAY)
const usd = (text: string) => BigInt(text.replace('.', ''))

/** Tokens that a wallet had bought and not sold after a block, and their cost, by a replay of its trades. */
function replay(wallet: Address, token: Address, block: number) {
  const lot = { tokens: 0n, native: 0n, usd: 0n }
  for (const trade of trades) {
    if (trade.trader !== wallet || trade.token !== token || trade.block_number > block) continue
    const amount = BigInt(trade.token_amount)
    if (trade.side === 'buy') {
      lot.tokens += amount
      lot.native += BigInt(trade.quote_amount)
      lot.usd += usd(trade.value_usd)
      continue
    }
    const sold = amount < lot.tokens ? amount : lot.tokens
    if (sold === 0n) continue
    lot.native -= (lot.native * sold) / lot.tokens
    lot.usd -= (lot.usd * sold) / lot.tokens
    lot.tokens -= sold
  }
  return lot
}

interface Expected {
  native: bigint
  usd: bigint
  /** The value without the cost, for the precision. */
  value: bigint
}

/** Null where the service cannot tell how much of the bought tokens were left. */
async function expectedAt(wallet: Address, block: number): Promise<Expected | null> {
  const sum = { native: 0n, usd: 0n, value: 0n }
  // The price of the native coin is stored with blocks that have other events.
  const stored = Math.max(
    ...[...trades.map((trade) => trade.block_number), ...sent.map((each) => each.block)].filter(
      (each) => each <= block,
    ),
  )
  const rate = rates.findLast((each) => each.block <= stored)!.usd
  for (const token of tokens) {
    const lot = replay(wallet, token, block)
    if (lot.tokens === 0n) continue
    const isOf = (each: { wallet: Address; token: Address }) => each.wallet === wallet && each.token === token
    if (sent.some((each) => isOf(each) && each.block <= block) && received.some(isOf)) return null
    const balance = await balanceAt(token, wallet, numberToHex(block))
    let bought = lot.tokens
    if (balance < bought) bought = balance
    const last = trades.findLast((trade) => trade.token === token && trade.block_number <= block)!
    const value = (bought * BigInt(last.virtual_quote)) / BigInt(last.virtual_token)
    sum.value += value
    sum.native += value - (lot.native * bought) / lot.tokens
    sum.usd += (value * rate) / 10n ** 18n - (lot.usd * bought) / lot.tokens
  }
  return sum
}

t.test('unrealized profit by day is that of the balances and prices at the ends of the days', async (t) => {
  const counts = { known: 0, unknown: 0, sent: 0, idle: 0 }
  for (const wallet of wallets) {
    const first = trades.find(({ trader }) => trader === wallet)!
    for (const period of ['all', '7d', '24h']) {
      const { unrealizedByDay, unrealizedPnl, unrealizedTruncated, days } = await stats(wallet, period)
      t.equal(unrealizedTruncated, false)
      const clock = times.at(-1)!
      const length = { all: clock, '7d': 7 * DAY, '24h': DAY }[period] as number
      const begin = Math.max(startOfDay(first.block_time), startOfDay(clock - length))
      const count = (startOfDay(clock) - begin) / DAY + 1
      const dates = Array.from({ length: count }, (_, index) => new Date((begin + index * DAY) * 1_000).toISOString())
      t.strictSame(
        unrealizedByDay.map(({ date }) => date),
        dates,
        `every day of ${period}`,
      )
      const { date: _, ...now } = unrealizedByDay.at(-1)!
      t.strictSame(now, unrealizedPnl, 'the last day is now')
      for (const { date, native, usd } of unrealizedByDay.slice(0, -1)) {
        const end = Date.parse(date) / 1_000 + DAY
        const block = times.findLastIndex((time) => time < end)
        const expected = await expectedAt(wallet, block)
        if (expected === null) {
          counts.unknown++
          t.strictSame({ native, usd }, { native: null, usd: null }, `${wallet} on ${date}`)
          continue
        }
        counts.known++
        counts.sent += Number(sent.some((each) => each.wallet === wallet && each.block <= block))
        counts.idle += Number(expected.value > 0n && !days.some((day) => day.date === date))
        const isNear = (a: bigint, b: bigint, gross: bigint) => (a > b ? a - b : b - a) <= gross / 10n ** 12n + 10n
        t.ok(
          isNear(BigInt(native!), expected.native, expected.value),
          `${wallet} on ${date}: ${native}, ${expected.native}`,
        )
        const gross = expected.value / 10n ** 6n
        const cents = BigInt(Math.round(usd! * 1e8))
        t.ok(isNear(cents, expected.usd, gross), `${wallet} on ${date}: ${cents} USD, ${expected.usd}`)
      }
    }
  }
  for (const [name, count] of Object.entries(counts)) t.ok(count > 0, `${name}: ${count}`)
})

t.test('it is null on past days if trades of any time are archived', async (t) => {
  const [wallet] = wallets as [Address]
  await sql`insert into archives (partition, parent, first, stop, state) values ('trades_from_0', 'trades', 0, 9, 'archived')`.execute(
    db,
  )
  await sql`insert into archived_pairs (token_id, wallet, first, trades, volume, volume_usd, realized, realized_usd, lot_tokens, lot_cost,
      lot_cost_usd, lot_realized, lot_realized_usd, first_trade_at, last_trade_block, last_trade_log, last_trade_at)
    values (1, ${bytes(wallet)}, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1)`.execute(db)
  const { unrealizedByDay, unrealizedPnl, truncated } = await stats(wallet, '7d')
  t.equal(truncated, false, 'the period has all its trades')
  t.equal(unrealizedByDay.length, 8)
  for (const { native, usd } of unrealizedByDay.slice(0, -1)) t.strictSame({ native, usd }, { native: null, usd: null })
  t.match(unrealizedByDay.at(-1), unrealizedPnl)
  t.equal((await stats(wallet, 'all')).truncated, true)
  for (const table of ['archives', 'archived_pairs'] as const) await db.deleteFrom(table).execute()
})

t.test('it has the newest 90 days', async (t) => {
  await node.mine(100 * DAY)
  await indexToHead(db, test)
  const { unrealizedByDay, unrealizedTruncated, unrealizedPnl } = await stats(wallets[0]!, 'all')
  t.equal(unrealizedByDay.length, 90)
  t.equal(unrealizedTruncated, true)
  t.equal((await stats(wallets[0]!, '30d')).unrealizedTruncated, false)
  const known = unrealizedByDay.filter(({ native }) => native !== null)
  for (const { native } of known)
    t.ok(Math.abs(Number(native) - Number(unrealizedPnl.native)) < 1e6, 'no trade lies between both reads')
})

t.test('a wallet that never traded has no days', async (t) => {
  t.match(await stats(deployed.raises, 'all'), { unrealizedByDay: [], unrealizedTruncated: false })
})
