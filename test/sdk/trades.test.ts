import t from 'tap'
import { createWalletClient, http, parseEther } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService } from '../acceptance/support/service.ts'

const [creator, trader] = [account(1), account(2)]

const [chain, databaseUrl] = await Promise.all([startChain(t), createDatabase(t)])
const service = await startService(t, {
  env: { ...chain.env, MAX_LAG_BLOCKS: '100000' },
  ...(databaseUrl && { databaseUrl }),
})
const client = sdk.createClient({ baseUrl: service.url })
const walletOf = (of: typeof creator) => createWalletClient({ account: of, transport: http(chain.url) })
const [creatorWallet, traderWallet] = [walletOf(creator), walletOf(trader)]
const stepsOf = () => {
  const steps: string[] = []
  return { steps, onStep: ({ name }: sdk.Step) => void steps.push(name) }
}

const { token } = await sdk.launch(client, creatorWallet, { name: 'Harbour Cat', symbol: 'HCAT' })
const path = { address: token.address }
const buy = { token: token.address, side: 'buy', amount: parseEther('0.1') } as const

t.test('a trade yields at least the minimum that was shown', async (t) => {
  const { token: _, ...query } = buy
  const shown = await sdk.quoteTrade(client, { path, query })
  await sdk.trade(client, creatorWallet, { ...buy, amount: parseEther('0.005') })
  const lower = await sdk.quoteTrade(client, { path, query })
  const minimumOut = sdk.toBigInt(shown.minimumOut)
  t.ok(sdk.toBigInt(lower.minimumOut) < minimumOut && minimumOut < sdk.toBigInt(lower.amountOut))
  const within = await sdk.trade(client, traderWallet, { ...buy, minimumOut })
  t.ok(sdk.toBigInt(within.quote.minimumOut) >= minimumOut, 'the call has this minimum')
  t.equal(within.trades[0]?.tokenAmount, lower.amountOut)

  const now = await sdk.quoteTrade(client, { path, query })
  const { steps, onStep } = stepsOf()
  const missed = sdk.trade(client, traderWallet, { ...buy, minimumOut, slippageBps: 5_000, onStep })
  await t.rejects(missed, { name: 'PriceChangedError', amountOut: BigInt(now.amountOut), minimumOut })
  t.same(steps, ['quote'], 'the wallet is not asked')
  t.match(sdk.toUserMessage(await missed.catch((error: unknown) => error)), /^The price has changed: /)

  const free = await sdk.trade(client, traderWallet, { ...buy, minimumOut: 1n })
  const own = sdk.applySlippage(free.quote.amountOut, 100)
  t.equal(free.quote.minimumOut, String(own), 'the larger minimum of the quote holds')
})

t.test('a buy in a pool for another wallet returns the trade, whose trader is the recipient', async (t) => {
  const { trades } = await sdk.trade(client, creatorWallet, { ...buy, amount: parseEther('10') })
  t.match(trades, [{ venue: 'curve' }])
  const recipient = account(7).address
  const onCurve = await sdk.launch(client, creatorWallet, { name: 'Curve Cat', symbol: 'CCAT' })
  for (const [address, venue] of [
    [onCurve.token.address, 'curve'],
    [token.address, 'pool'],
  ] as const) {
    const bought = await sdk.trade(client, traderWallet, { ...buy, token: address, recipient })
    t.match(bought, { quote: { venue }, trades: [{ side: 'buy', venue, txHash: bought.txHash }] })
    t.equal(bought.trades[0]?.trader, (venue === 'pool' ? recipient : trader.address).toLowerCase(), venue)
  }
})

t.test('a buy for another wallet is no error if the service has not indexed it in time', async (t) => {
  const hidden = sdk.createClient({
    baseUrl: service.url,
    fetch: async (input, init) =>
      String(input).includes('/trades?') ? new Response('{"success":false}', { status: 500 }) : fetch(input, init),
  })
  const recipient = account(7).address
  const options = { publicClient: chain.client, timeoutMs: 2_500 }
  const bought = await sdk.trade(hidden, traderWallet, { ...buy, recipient, ...options })
  t.match(bought, { txHash: /^0x/, trades: [] })
})
