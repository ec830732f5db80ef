import t from 'tap'
import { Deltas, WINDOWS } from '../../indexer/market/deltas.ts'
import type { TradeEvent } from '../../indexer/market/events.ts'

const CLOCK = 2_000_000_000
const [TOKEN, WALLET] = ['0xa', '0xb']

const tradeAt = (time: number): TradeEvent => ({
  ...{ kind: 'trade', venue: 'curve', side: 'buy', token: TOKEN, trader: WALLET, pool: null, traderKnown: true },
  at: { blockNumber: 1, logIndex: 1, txHash: '0x', time, quoteUsd: 2n },
  ...{ recipient: WALLET, quoteAmount: 100n, tokenAmount: 7n, protocolFee: 3n, creatorFee: 5n, valueUsd: 200n },
  ...{ virtualQuote: 1n, virtualToken: 1n, realQuote: 1n, realToken: 1n, price: 1 },
})

for (const [name, length] of Object.entries(WINDOWS)) {
  for (const time of [CLOCK - length, CLOCK - length - 1]) {
    t.test(`a trade ${CLOCK - time - length} s before ${name} counts in the windows that contain it`, async (t) => {
      const isWithin = (window: keyof typeof WINDOWS) => time >= CLOCK - WINDOWS[window]
      const sumOf = (isCounted: boolean) =>
        isCounted ? { trades: 1, volume: 100n, volumeUsd: 200n } : { trades: 0, volume: 0n, volumeUsd: 0n }
      const deltas = new Deltas()
      deltas.add(tradeAt(time), CLOCK, 1)
      const recent = isWithin('h24')
      t.match(deltas.tokens.get(TOKEN), {
        ...{ total: sumOf(true), h1: sumOf(isWithin('h1')), h24: sumOf(recent) },
        ...{ buysH24: Number(recent), sellsH24: 0, protocolFees: 3n, creatorFees: 5n },
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
      t.match(deltas.tokens.get(TOKEN), { total: sumOf(false), h1: sumOf(false), protocolFees: 0n, buysH24: 0 })
    })
  }
}

t.test('profits count in the windows that contain their sales, and an undo subtracts them', async (t) => {
  const deltas = new Deltas()
  const profit = { native: 30n, usd: -4n }
  deltas.addProfit(WALLET, CLOCK - WINDOWS.h24 - 1, profit, CLOCK, 1)
  const [counted, none] = [
    { realized: 30n, realizedUsd: -4n },
    { realized: 0n, realizedUsd: 0n },
  ]
  t.match(deltas.wallets.get(WALLET), { total: counted, h24: none, d7: counted, d30: counted })
  deltas.addProfit(WALLET, CLOCK - WINDOWS.h24 - 1, profit, CLOCK, -1)
  t.match(deltas.wallets.get(WALLET), { total: none, h24: none, d7: none, d30: none }, 'undone, they leave nothing')
})
