import t from 'tap'
import { type Address, parseEther } from 'viem'
import { Deltas, WINDOWS } from '../../indexer/market/deltas.ts'
import type { TradeEvent } from '../../indexer/market/events.ts'
import { makeActions } from '../support/actors.ts'
import { startAudited } from './fixtures/audited.ts'

t.setTimeout(400_000)

const CLOCK = 2_000_000_000
const [TOKEN, WALLET, KIND] = ['0xa', '0xb', 'slipway']

const tradeAt = (time: number): TradeEvent => ({
  ...{
    kind: 'trade',
    venue: 'curve',
    side: 'buy',
    token: TOKEN,
    launchpadKind: KIND,
    trader: WALLET,
    pool: null,
    traderKnown: true,
    transfer: null,
  },
  at: { blockNumber: 1, logIndex: 1, txHash: '0x', time, nativeUsd: 2n },
  ...{
    recipient: WALLET,
    quoteAmount: 100n,
    tokenAmount: 7n,
    protocolFee: 3n,
    creatorFee: 5n,
    valueUsd: 200n,
    valueNative: 100n,
  },
  ...{ virtualQuote: 1n, virtualToken: 1n, realQuote: 1n, realToken: 1n },
  ...{ price: 1, priceUsd: 2e-8, priceNative: 1, isNative: true, rateNative: null },
})

for (const [name, length] of Object.entries(WINDOWS)) {
  for (const time of [CLOCK - length, CLOCK - length - 1]) {
    t.test(`a trade ${CLOCK - time - length} s before the start of ${name} counts in windows with it`, async (t) => {
      const isWithin = (window: keyof typeof WINDOWS) => time >= CLOCK - WINDOWS[window]
      const sumOf = (isCounted: boolean) =>
        isCounted ? { trades: 1, volume: 100n, volumeUsd: 200n } : { trades: 0, volume: 0n, volumeUsd: 0n }
      const deltas = new Deltas()
      deltas.add(tradeAt(time), CLOCK, 1)
      const recent = isWithin('h24')
      t.match(deltas.tokens.get(TOKEN), {
        ...{ total: sumOf(true), h1: sumOf(isWithin('h1')), h24: sumOf(recent) },
        ...{
          buysH1: Number(isWithin('h1')),
          sellsH1: 0,
          buysH24: Number(recent),
          sellsH24: 0,
          protocolFees: 3n,
          creatorFees: 5n,
        },
      })
      t.match(deltas.wallets.get(WALLET), {
        ...{ total: sumOf(true), h24: sumOf(recent), d7: sumOf(isWithin('d7')), d30: sumOf(isWithin('d30')) },
      })
      const feeOf = (fee: bigint) => ({ total: fee, h24: recent ? fee : 0n })
      t.match(deltas.platform, {
        ...{ total: sumOf(true), h24: sumOf(recent), protocolFees: feeOf(3n), creatorFees: feeOf(5n) },
      })
      deltas.add(tradeAt(time), CLOCK, -1)
      t.match(deltas.wallets.get(WALLET), { total: sumOf(false), d30: sumOf(false) }, 'undone, it leaves nothing')
      t.match(deltas.tokens.get(TOKEN), {
        total: sumOf(false),
        h1: sumOf(false),
        protocolFees: 0n,
        buysH24: 0,
        buysH1: 0,
      })
    })
  }
}

t.test(
  'what is summed over tokens is in native coin, and the sums of a token are in its quote asset as well',
  async (t) => {
    const deltas = new Deltas()
    const quoted = {
      ...tradeAt(CLOCK),
      isNative: false,
      quoteAmount: 1_000n,
      valueNative: 100n,
      protocolFee: 30n,
      creatorFee: 50n,
    }
    deltas.add(quoted, CLOCK, 1)
    const inNative = { total: { volume: 100n }, h24: { volume: 100n } }
    t.match(deltas.wallets.get(WALLET), inNative)
    t.match(deltas.platform, { ...inNative, protocolFees: { total: 3n }, creatorFees: { total: 5n, h24: 5n } })
    t.match(deltas.tokens.get(TOKEN), {
      ...{ ...inNative, quoteVolumes: { total: 1_000n, h1: 1_000n, h24: 1_000n }, protocolFees: 30n, creatorFees: 50n },
    })
    t.match([...deltas.tokens.get(TOKEN)!.minutes!.values()], [100n], 'the trending score is in native coin')
    t.match(deltas.pairs.get(TOKEN, WALLET), { spent: 1_000n })
    deltas.add({ ...quoted, valueNative: null }, CLOCK, 1)
    t.match(deltas.wallets.get(WALLET), { total: { trades: 2, volume: 100n } }, 'without a value it adds nothing')
    const most = 2n ** 128n - 1n
    deltas.add({ ...quoted, quoteAmount: 1n, valueNative: most, protocolFee: most }, CLOCK, 1)
    t.equal(deltas.platform.protocolFees.total, 3n + most, 'a fee beyond its trade cannot overflow a sum')
  },
)

t.test('profits count in the windows that contain their sales, and an undo subtracts them', async (t) => {
  const deltas = new Deltas()
  const profit = { quote: 30n, native: 30n, usd: -4n }
  deltas.addProfit(KIND, WALLET, CLOCK - WINDOWS.h24 - 1, profit, CLOCK, 1)
  const [counted, none] = [
    { realized: 30n, realizedUsd: -4n },
    { realized: 0n, realizedUsd: 0n },
  ]
  t.match(deltas.wallets.get(WALLET), { total: counted, h24: none, d7: counted, d30: counted })
  deltas.addProfit(KIND, WALLET, CLOCK - WINDOWS.h24 - 1, profit, CLOCK, -1)
  t.match(deltas.wallets.get(WALLET), { total: none, h24: none, d7: none, d30: none }, 'undone, they leave nothing')
})

t.test('a trade leaves a window one second after its end, and a reorg to an earlier time restores it', async (t) => {
  const { node, deployed, accounts, db, index, findDifferences } = await startAudited(t)
  const [, ann] = accounts as [Address, Address]
  await node.run(makeActions(deployed).launch(ann, 'ONE', parseEther('0.1')))
  await index()
  const { block_time: sold } = await db.selectFrom('readable_trades').select('block_time').executeTakeFirstOrThrow()
  const mineAt = async (time: number) => {
    await node.call('evm_mine', { timestamp: time })
    await index()
  }
  /** Demands that the trade is in the windows of this length and longer ones, or only in the longer ones. */
  const expectIn = async (time: number, why: string) => {
    const isIn = (name: keyof typeof WINDOWS) => sold >= time - WINDOWS[name]
    const token = await db.selectFrom('readable_token_figures').selectAll().executeTakeFirstOrThrow()
    const wallet = await db.selectFrom('wallet_figures').selectAll().executeTakeFirstOrThrow()
    const platform = await db.selectFrom('platform_figures').selectAll().executeTakeFirstOrThrow()
    const { volume_total, volume_usd_total } = wallet
    const of = (name: keyof typeof WINDOWS, value: string) => (isIn(name) ? value : /^0(\.0+)?$/)
    const count = (name: keyof typeof WINDOWS) => Number(isIn(name))
    t.match(token, { volume_h1: of('h1', volume_total), volume_h24: of('h24', volume_total) }, `${why}: token`)
    t.match(token, { volume_usd_h24: of('h24', volume_usd_total), buys_h24: count('h24') }, why)
    t.match(token, { volume_usd_h1: of('h1', volume_usd_total), buys_h1: count('h1'), sells_h1: 0 }, why)
    t.match(token, { sells_h24: 0, traders_h24: count('h24') }, why)
    for (const name of ['h24', 'd7', 'd30'] as const)
      t.match(
        wallet,
        {
          [`trades_${name}`]: count(name),
          [`volume_${name}`]: of(name, volume_total),
          [`volume_usd_${name}`]: of(name, volume_usd_total),
        },
        `${why}: wallet, ${name}`,
      )
    const { protocol_fees_total, creator_fees_total } = platform
    t.match(
      platform,
      {
        ...{ trades_h24: count('h24'), traders_h24: count('h24'), volume_h24: of('h24', volume_total) },
        volume_usd_h24: of('h24', volume_usd_total),
        protocol_fees_h24: of('h24', protocol_fees_total),
        creator_fees_h24: of('h24', creator_fees_total),
      },
      `${why}: platform`,
    )
    t.strictSame(await findDifferences(), [], `${why}: the audit finds the same`)
  }

  for (const [name, length] of Object.entries(WINDOWS)) {
    await mineAt(sold + length - 2)
    await mineAt(sold + length)
    await expectIn(sold + length, `at the end of ${name}`)
    await mineAt(sold + length + 1)
    await expectIn(sold + length + 1, `a second after the end of ${name}`)
    await node.rollback(2)
    await mineAt(sold + length - 1)
    await mineAt(sold + length)
    await expectIn(sold + length, `back at the end of ${name}`)
    await mineAt(sold + length + 1)
    await expectIn(sold + length + 1, `after the end of ${name}`)
  }
})
