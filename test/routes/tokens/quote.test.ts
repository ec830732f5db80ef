import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { decodeFunctionData, type Hex } from 'viem'
import { launchpadAbi } from '../../../chain/abi/launchpad.ts'
import { uniswapV2Router02Abi } from '../../../chain/abi/uniswap-v2-router02.ts'
import { getAmountOut, quoteBuy, quoteSell } from '../../../chain/curve.ts'
import { formatRatio } from '../../../chain/price.ts'
import type { Quote } from '../../../schemas/quote.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createMarketApp } from '../../support/market-app.ts'
import {
  HEAD,
  LAUNCHPAD,
  ROUTER,
  type SimulatedToken,
  timeOf,
  tokenAddress,
  WRAPPED_NATIVE,
  walletAddress,
} from '../../support/market-simulation.ts'

type Data = Static<typeof Quote>

const { app, db, read, tokens } = await createMarketApp(t)
const onCurve = tokens[20] as SimulatedToken
const graduated = tokens[29] as SimulatedToken
const recipient = walletAddress(9)
const deadline = timeOf(HEAD) + 1200
const AMOUNT = 10n ** 16n
const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

t.test('a buy on the curve is quoted to the base unit, with its call', async (t) => {
  const { tokenOut, after } = quoteBuy(onCurve.curve, AMOUNT)
  const minimumOut = (tokenOut * 9900n) / 10_000n
  const url = `/tokens/${onCurve.address}/quote?side=buy&amount=${AMOUNT}&recipient=${recipient}`
  const { status, body } = await read<Data>(url)
  t.equal(status, 200)
  const { call, priceImpactPct, ...rest } = body.data
  t.ok(priceImpactPct > 0 && priceImpactPct < 1)
  t.same(rest, {
    token: onCurve.address,
    side: 'buy',
    venue: 'curve',
    quote: { address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18 },
    amountIn: String(AMOUNT),
    amountOut: String(tokenOut),
    minimumOut: String(minimumOut),
    refund: '0',
    protocolFee: '100000000000000',
    creatorFee: '50000000000000',
    poolFee: '0',
    priceBefore: formatRatio(onCurve.curve.virtualQuote, onCurve.curve.virtualToken),
    priceAfter: formatRatio(after.virtualQuote, after.virtualToken),
    completesCurve: false,
    slippageBps: 100,
    deadline,
    router: null,
    recipient,
    approval: null,
  })
  t.match(call, { to: LAUNCHPAD, value: String(AMOUNT) })
  t.match(decodeFunctionData({ abi: launchpadAbi, data: call?.data as Hex }), {
    functionName: 'buy',
    args: [/./, /./, minimumOut, BigInt(deadline)],
  })
})

t.test('a sell on the curve requires no allowance', async (t) => {
  const { quoteOut } = quoteSell(onCurve.curve, AMOUNT)
  const url = `/api/tokens/${onCurve.address}/quote?side=sell&amount=${AMOUNT}&recipient=${recipient}&slippageBps=0`
  const { body } = await read<Data>(url)
  t.match(body.data, {
    amountOut: String(quoteOut),
    minimumOut: String(quoteOut),
    approval: null,
    call: { to: LAUNCHPAD, value: '0' },
  })
})

t.test('the recipient is the signed-in wallet, and without one there is no call', async (t) => {
  const url = `/tokens/${onCurve.address}/quote?side=buy&amount=${AMOUNT}`
  const headers = { authorization: `Bearer ${app.issueToken(recipient)}` }
  t.same((await read<Data>(url, headers)).body, (await read<Data>(`${url}&recipient=${recipient}`)).body)
  t.equal((await read<Data>(url)).body.data.call, null)
})

t.test('a buy that completes the curve is marked, with its refund', async (t) => {
  const { body } = await read<Data>(`/tokens/${onCurve.address}/quote?side=buy&amount=${100n * 10n ** 18n}`)
  t.equal(body.data.completesCurve, true)
  t.equal(BigInt(body.data.amountIn) + BigInt(body.data.refund), 100n * 10n ** 18n)
  t.equal(body.data.amountOut, String(onCurve.curve.realToken))
})

t.test('a graduated token is quoted against its pool, through the router', async (t) => {
  const pool = graduated.pool as NonNullable<SimulatedToken['pool']>
  const url = `/tokens/${graduated.address}/quote?amount=${AMOUNT}&recipient=${recipient}`
  const buy = (await read<Data>(`${url}&side=buy`)).body.data
  t.match(buy, { venue: 'pool', amountOut: String(getAmountOut(AMOUNT, pool.quote, pool.token)), protocolFee: '0' })
  t.match(buy.call, { to: ROUTER, value: String(AMOUNT) })
  const decoded = decodeFunctionData({ abi: uniswapV2Router02Abi, data: buy.call?.data as Hex })
  t.match(decoded, { functionName: 'swapExactETHForTokens' })
  t.same(
    ((decoded.args ?? [])[1] as string[]).map((address) => address.toLowerCase()),
    [WRAPPED_NATIVE, graduated.address],
  )
  const sell = (await read<Data>(`${url}&side=sell`)).body.data
  t.match(sell, {
    amountOut: String(getAmountOut(AMOUNT, pool.token, pool.quote)),
    approval: { spender: ROUTER },
    call: { to: ROUTER, value: '0' },
  })
})

t.test('a token between curve and pool cannot be traded', async (t) => {
  for (const side of ['buy', 'sell'])
    t.same(
      await read(`/tokens/${tokenAddress(4)}/quote?side=${side}&amount=${AMOUNT}`),
      failure(409, 'This token cannot be traded: its curve is completed'),
    )
})

t.test('without a configured router a graduated token has no quote', async (t) => {
  const { app: bare } = await createTestApp({ config: testConfig({ RATE_LIMITS: 'off' }), services: { db } })
  t.teardown(() => bare.close())
  const response = await bare.inject(`/tokens/${graduated.address}/quote?side=buy&amount=${AMOUNT}`)
  t.equal(response.statusCode, 409)
  t.same(response.json(), {
    success: false,
    data: null,
    error: 'This token cannot be traded: no router is known for its pool',
  })
})

const refused: [query: string, status: number, error: string][] = [
  ['', 400, 'query.side is required'],
  ['side=buy', 400, 'query.amount is required'],
  ['side=hold&amount=1', 400, 'query.side must be one of buy, sell'],
  ['side=buy&amount=0', 400, 'query.amount must be a positive integer in decimal digits'],
  ['side=buy&amount=-1', 400, 'query.amount must be a positive integer in decimal digits'],
  ['side=buy&amount=1.5', 400, 'query.amount must be a positive integer in decimal digits'],
  ['side=buy&amount=1&slippageBps=10001', 400, 'query.slippageBps must be <= 10000'],
  ['side=buy&amount=1&recipient=me', 400, 'query.recipient must be a 0x-prefixed address of 20 bytes in hexadecimal'],
  ['side=buy&amount=1', 422, 'The amount is too small to get anything for it'],
  [`side=sell&amount=${'9'.repeat(30)}`, 422, 'The amount is more than the curve has ever sold'],
  [`side=buy&amount=${'9'.repeat(78)}`, 422, 'The amount is larger than any trade can be'],
]
for (const [query, status, error] of refused) {
  t.test(`quote?${query.slice(0, 40)} is rejected`, async (t) => {
    t.same(await read(`/tokens/${onCurve.address}/quote?${query}`), failure(status, error))
  })
}
