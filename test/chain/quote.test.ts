import t from 'tap'
import { decodeFunctionData } from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import { getAmountOut, newCurve, quoteBuy, quoteSell } from '../../chain/curve.ts'
import { formatRatio } from '../../chain/price.ts'
import { type QuoteState, quoteTrade } from '../../chain/quote.ts'
import type { TradeCallArgs } from '../../chain/trade-call.ts'
import { encodeCurveTrade } from '../../launchpads/slipway/encode-trade.ts'
import { encodePoolTrade } from '../../venues/uniswap-v2/encode-trade.ts'

const COIN = 10n ** 18n
const address = (digit: string) => `0x${digit.repeat(40)}`
const traded = quoteBuy(newCurve(4n * COIN, 100, 50), COIN).after
const open: QuoteState = { token: address('1'), launchpad: address('2'), status: 'curve', curve: traded, pool: null }
const pool = { quote: 4n * COIN, token: 200_000_000n * COIN }
const graduated: QuoteState = { ...open, status: 'graduated', pool }

t.test('a buy quote equals the curve’s arithmetic', async (t) => {
  const { tokenOut } = quoteBuy(traded, COIN / 10n)
  t.same(quoteTrade(open, { side: 'buy', amount: COIN / 10n, slippageBps: 250 }), {
    venue: 'curve',
    amountIn: COIN / 10n,
    amountOut: tokenOut,
    minimumOut: (tokenOut * 9750n) / 10_000n,
    refund: 0n,
    protocolFee: COIN / 1000n,
    creatorFee: COIN / 2000n,
    poolFee: 0n,
    // 0.0985 coin against virtual reserves of 2.3183… coins: an average price 4.2487 % above the one before.
    priceImpactPct: 4.248741,
    priceBefore: '0.00000000377906445312500000028390526666551129',
    priceAfter: '0.00000000410701173828125000021227536777247243',
    completesCurve: false,
  })
})

t.test('a buy beyond the target is clipped, with a refund', async (t) => {
  const quote = quoteTrade(open, { side: 'buy', amount: 100n * COIN, slippageBps: 0 })
  t.equal(quote.completesCurve, true)
  t.equal(quote.amountIn + quote.refund, 100n * COIN)
  t.equal(quote.amountOut, traded.realToken)
  t.equal(quote.minimumOut, quote.amountOut)
})

t.test('a sell quote equals the curve’s arithmetic', async (t) => {
  const amount = 10_000_000n * COIN
  const { quoteOut, protocolFee, creatorFee } = quoteSell(traded, amount)
  const quote = quoteTrade(open, { side: 'sell', amount, slippageBps: 100 })
  t.match(quote, { venue: 'curve', amountIn: amount, amountOut: quoteOut, protocolFee, creatorFee, refund: 0n })
  t.ok(quote.priceImpactPct > 1 && quote.priceImpactPct < 2)
})

t.test('a graduated token is quoted against its pool', async (t) => {
  const buy = quoteTrade(graduated, { side: 'buy', amount: COIN, slippageBps: 100 })
  t.equal(buy.amountOut, getAmountOut(COIN, pool.quote, pool.token))
  t.equal(buy.poolFee, (COIN * 3n) / 1000n)
  t.equal(buy.priceImpactPct, 24.925)
  const sell = quoteTrade(graduated, { side: 'sell', amount: 50_000_000n * COIN, slippageBps: 100 })
  t.equal(sell.amountOut, getAmountOut(50_000_000n * COIN, pool.token, pool.quote))
  t.equal(sell.priceImpactPct, 19.951971)
})

t.test('a quote contains the price after the trade', async (t) => {
  const atStart: QuoteState = { ...open, curve: newCurve(4n * COIN, 0, 0) }
  // 0.125 coin on virtual reserves of 4/3: the average price rises by 9.375 %, the price by its square, 19.63 %.
  const buy = quoteTrade(atStart, { side: 'buy', amount: COIN / 8n, slippageBps: 100 })
  t.equal(buy.priceImpactPct, 9.374999)
  t.equal(((Number(buy.priceAfter) / Number(buy.priceBefore) - 1) * 100).toFixed(4), '19.6289')

  const last = quoteTrade(open, { side: 'buy', amount: 100n * COIN, slippageBps: 0 })
  const { virtualQuote, virtualToken } = traded
  t.equal(
    last.priceAfter,
    formatRatio(virtualQuote + traded.targetQuote - traded.realQuote, virtualToken - traded.realToken),
    'the last buy moves the price to the end of the curve, however much was offered',
  )
  const sell = quoteTrade(open, { side: 'sell', amount: 10_000_000n * COIN, slippageBps: 100 })
  const gross = sell.amountOut + sell.protocolFee + sell.creatorFee
  t.equal(sell.priceBefore, formatRatio(virtualQuote, virtualToken))
  t.equal(sell.priceAfter, formatRatio(virtualQuote - gross, virtualToken + 10_000_000n * COIN))
})

t.test('the pool fee stays in the reserves from which the price is computed', async (t) => {
  const buy = quoteTrade(graduated, { side: 'buy', amount: COIN, slippageBps: 100 })
  t.equal(buy.priceBefore, '0.00000002')
  t.equal(buy.priceAfter, formatRatio(5n * COIN, pool.token - buy.amountOut))
  const sell = quoteTrade(graduated, { side: 'sell', amount: 50_000_000n * COIN, slippageBps: 100 })
  t.equal(sell.priceAfter, formatRatio(pool.quote - sell.amountOut, 250_000_000n * COIN))
})

t.test('an untradable amount is rejected with its reason', async (t) => {
  const completed = { ...open, curve: quoteBuy(traded, 100n * COIN).after }
  const refused = (state: QuoteState, side: 'buy' | 'sell', amount: bigint) => {
    try {
      quoteTrade(state, { side, amount, slippageBps: 100 })
    } catch (error) {
      return (error as Error).message
    }
    return undefined
  }
  t.equal(refused(completed, 'buy', COIN), 'This token cannot be traded: its curve is completed')
  t.equal(refused(completed, 'sell', COIN), 'This token cannot be traded: its curve is completed')
  t.equal(
    refused({ ...graduated, pool: null }, 'buy', COIN),
    'This token cannot be traded: the reserves of its pool are not known yet',
  )
  t.equal(refused(open, 'buy', 1n), 'The amount is too small to get anything for it')
  t.equal(refused(open, 'buy', 2n ** 128n), 'The amount is larger than any trade can be')
  t.equal(refused(open, 'sell', 10n ** 30n), 'The amount is more than the curve has ever sold')
  t.equal(refused(graduated, 'sell', 1n), 'The amount is too small to get anything for it')
})

t.test('the contracts decode the prepared call to the same trade', async (t) => {
  const args: TradeCallArgs = {
    token: open.token,
    side: 'buy',
    amount: 7n,
    minimumOut: 5n,
    recipient: address('3'),
    deadline: 99,
  }
  const curveBuy = encodeCurveTrade(open.launchpad, args)
  t.match(curveBuy, { to: open.launchpad, value: 7n })
  t.same(decodeFunctionData({ abi: launchpadAbi, data: curveBuy.data }), {
    functionName: 'buy',
    args: [open.token, args.recipient, 5n, 99n],
  })
  const curveSell = encodeCurveTrade(open.launchpad, { ...args, side: 'sell' })
  t.match(curveSell, { to: open.launchpad, value: 0n })
  t.same(decodeFunctionData({ abi: launchpadAbi, data: curveSell.data }), {
    functionName: 'sell',
    args: [open.token, 7n, args.recipient, 5n, 99n],
  })
  const contracts = { router: address('4'), weth: address('5') }
  const poolBuy = encodePoolTrade(contracts, args)
  t.match(poolBuy, { to: contracts.router, value: 7n })
  t.same(decodeFunctionData({ abi: uniswapV2Router02Abi, data: poolBuy.data }), {
    functionName: 'swapExactETHForTokens',
    args: [5n, [contracts.weth, open.token], args.recipient, 99n],
  })
  const poolSell = encodePoolTrade(contracts, { ...args, side: 'sell' })
  t.match(poolSell, { to: contracts.router, value: 0n })
  t.same(decodeFunctionData({ abi: uniswapV2Router02Abi, data: poolSell.data }), {
    functionName: 'swapExactTokensForETH',
    args: [7n, 5n, [open.token, contracts.weth], args.recipient, 99n],
  })
})
