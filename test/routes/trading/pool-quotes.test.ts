import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Abi, type AbiFunction, type Address, type Hex, parseEther, toFunctionSelector, zeroAddress } from 'viem'
import { Chain } from '../../../chain/rpc/client.ts'
import quoterArtifact from '../../../contracts/artifacts/QuoterV2.json' with { type: 'json' }
import routerArtifact from '../../../contracts/artifacts/SwapRouter02.json' with { type: 'json' }
import poolArtifact from '../../../contracts/artifacts/UniswapV3Pool.json' with { type: 'json' }
import type { Quote } from '../../../schemas/quote.ts'
import { createClient, type Provider, type Step, trade } from '../../../sdk/src/index.ts'
import { poolAbi, quoterAbi, routerAbi } from '../../../venues/uniswap-v3/periphery.ts'
import { createTestApp } from '../../support/app.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { failure, on, startHostileNode } from '../../support/hostile/node.ts'
import { deployClankerV31 } from '../../support/launchpads/clanker-v31.ts'
import { deployV3Periphery } from '../../support/launchpads/v3-periphery.ts'
import { approve, deployVenue } from '../../support/launchpads/venue.ts'

t.setTimeout(400_000)

type Data = Static<typeof Quote>

let deployed: {
  venue: Awaited<ReturnType<typeof deployVenue>>
  clanker: Awaited<ReturnType<typeof deployClankerV31>>
  periphery: Awaited<ReturnType<typeof deployV3Periphery>>
}
const service = await createChainApp(t, {}, async (test) => {
  const venue = await deployVenue(test, test.deployed.weth)
  const clanker = await deployClankerV31(test, venue)
  const periphery = await deployV3Periphery(test, venue)
  deployed = { venue, clanker, periphery }
  const deployments = [
    ...test.config.deployments,
    { kind: 'clanker-v31', address: clanker.address, startBlock: 0 },
    { kind: 'uniswap-v3-factory', address: venue.factory, startBlock: 0 },
    ...periphery.deployments,
  ]
  return { ...test.environment, DEPLOYMENTS: JSON.stringify(deployments) }
})
const { app, node, read, post, accounts } = service
const { clanker, periphery, venue } = deployed!
const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]

const launch = async (isFirst: boolean) => {
  const { token, receipt } = await clanker.createToken(ann, { value: parseEther('1'), isFirst })
  t.equal((await post('/tokens/create', { txHash: receipt.transactionHash }, ann)).status, 200)
  return token
}
const quote = (token: Address, query: string, wallet?: string) => read<Data>(`/tokens/${token}/quote?${query}`, wallet)
/** Mined `seconds` after the last block, whatever comes of it. */
const send = async (from: Address, { to, data, value }: NonNullable<Data['call']>, seconds = 5) => {
  const hashes = await node.send([{ from, to: to as Address, data: data as Hex, value: BigInt(value) }])
  await node.mine(seconds)
  return (await node.receipts(hashes as Hex[]))[0]!
}
const balanceOf = async (wallet: Address) => BigInt(await node.call<Hex>('eth_getBalance', wallet, 'latest'))
const synced = async (kind: 'buy' | 'sell', txHash: Hex, wallet: Address) => {
  const { status, body } = await post<{ trades: Record<string, unknown>[] }>(`/${kind}`, { txHash }, wallet)
  t.equal(status, 200, `the ${kind} is synced`)
  return body.data.trades[0]
}

for (const isFirst of [true, false])
  t.test(
    `trades in a pool of Uniswap V3 are quoted to the base unit, with their calls: token ${isFirst ? 0 : 1}`,
    async (t) => {
      const token = await launch(isFirst)
      const amount = parseEther('0.5')
      const { status, body } = await quote(token, `side=buy&amount=${amount}&recipient=${eve}`)
      t.equal(status, 200)
      const bought = body.data
      const { priceNative } = (await read<{ priceNative: string }>(`/tokens/${token}`)).body.data
      t.match(bought, {
        ...{ token, side: 'buy', venue: 'pool', amountIn: String(amount), refund: '0', completesCurve: false },
        ...{ poolFee: String(amount / 100n), protocolFee: '0', creatorFee: '0', approval: null, recipient: eve },
        ...{ minimumOut: String((BigInt(bought.amountOut) * 9_900n) / 10_000n), slippageBps: 100 },
        call: { to: periphery.router, value: String(amount) },
      })
      t.ok(Math.abs(Number(bought.priceBefore) / Number(priceNative) - 1) < 1e-9, 'from the price of the last trade')
      const average = (Number(amount) * 0.99) / Number(bought.amountOut)
      t.ok(Math.abs(bought.priceImpactPct - (average / Number(priceNative) - 1) * 100) < 1e-4)
      t.ok(bought.priceImpactPct > 0)
      const trade = await synced('buy', (await send(bob, bought.call!)).transactionHash, eve)
      t.match(trade, { quoteAmount: String(amount), tokenAmount: bought.amountOut, recipient: eve })
      const after = (await read<{ priceNative: string }>(`/tokens/${token}`)).body.data.priceNative
      t.ok(Math.abs(Number(after) / Number(bought.priceAfter) - 1) < 1e-9, 'to the price that was quoted')

      const half = BigInt(bought.amountOut) / 2n
      const sale = (await quote(token, `side=sell&amount=${half}&slippageBps=0`, eve)).body.data
      t.match(sale, { recipient: eve, minimumOut: sale.amountOut, call: { value: '0' } })
      t.strictSame(sale.approval, { spender: periphery.router, amount: String(half) })
      await node.run(approve(eve, token, periphery.router, half))
      const before = await balanceOf(eve)
      const receipt = await send(eve, sale.call!)
      const gas = await node.call<{ gasUsed: Hex; effectiveGasPrice: Hex }>(
        'eth_getTransactionReceipt',
        receipt.transactionHash,
      )
      t.equal(
        (await balanceOf(eve)) - before + BigInt(gas.gasUsed) * BigInt(gas.effectiveGasPrice),
        BigInt(sale.amountOut),
        'paid out in native coin',
      )
      t.match(await synced('sell', receipt.transactionHash, eve), { trader: eve, quoteAmount: sale.amountOut })
      t.equal(await balanceOf(periphery.router), 0n, 'nothing is left in the router')

      const { body: late } = await quote(token, `side=buy&amount=${amount}&recipient=${bob}&slippageBps=0`)
      await venue.swapBuy(ann, (await read<{ poolAddress: Address }>(`/tokens/${token}`)).body.data.poolAddress, amount)
      t.equal((await send(bob, late.data.call!)).status, '0x0', 'reverts below the minimum')
    },
  )

t.test('the trade flow of the SDK sends the calls of quotes, and approves the tokens of a sell', async (t) => {
  const token = await launch(true)
  const client = createClient({ baseUrl: await app.listen({ port: 0, host: '127.0.0.1' }) })
  const provider: Provider = {
    request: async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts') return [bob]
      const result = await node.call(method, ...(params as unknown[]))
      if (method === 'eth_sendTransaction') await node.mine()
      return result
    },
  }
  const bought = await trade(client, provider, { token, side: 'buy', amount: parseEther('0.25') })
  t.match(bought, {
    quote: { router: periphery.router },
    trades: [{ trader: bob, tokenAmount: bought.quote.amountOut }],
  })
  const steps: string[] = []
  const selling = {
    token,
    side: 'sell',
    amount: bought.quote.amountOut,
    onStep: ({ name }: Step) => steps.push(name),
  } as const
  const sold = await trade(client, provider, selling)
  t.match(sold.trades, [{ side: 'sell', trader: bob, quoteAmount: sold.quote.amountOut }])
  t.ok(steps.includes('approve'), steps.join())
})

t.test('what a pool cannot fill, or no node can compute, has no quote', async (t) => {
  const token = await launch(true)
  const untradable = { status: 422, body: { error: /The pool cannot fill this amount/ } }
  t.match(await quote(token, `side=buy&amount=${10n ** 60n}`), untradable, 'beyond its last price')
  t.match(await quote(token, `side=buy&amount=${2n ** 255n}`), untradable, 'what the quoter refuses')
  t.match(await quote(token, 'side=sell&amount=1'), untradable, 'nothing would come out')
  t.match((await quote(token, 'side=buy&amount=1000000')).body.data, { call: null, recipient: null })

  const { launchpads } = (await read<{ launchpads: { kind: string; capabilities: string[] }[] }>('/config')).body.data
  t.strictSame(launchpads.find(({ kind }) => kind === 'clanker-v31')?.capabilities, ['pool-trade'])
  const { db, chain, config } = service
  const readWith = async (deployments: typeof config.deployments) => {
    const { app: other } = await createTestApp({ config: { ...config, deployments }, services: { db, chain } })
    t.teardown(() => other.close())
    const answered = await other.inject({ url: `/tokens/${token}/quote?side=buy&amount=1000000` })
    const { launchpads } = (await other.inject({ url: '/config' })).json().data
    return { status: answered.statusCode, body: answered.json(), can: launchpads.at(-1).capabilities }
  }
  for (const kind of ['uniswap-v3-router', 'uniswap-v3-quoter'])
    t.match(await readWith(config.deployments.filter((one) => one.kind !== kind)), {
      status: 422,
      body: { error: /Clanker v3.1 cannot be quoted here/ },
      can: [],
    })
  const wrong = config.deployments.map((one) =>
    one.kind === 'uniswap-v3-quoter' ? { ...one, address: zeroAddress } : one,
  )
  t.match(await readWith(wrong), untradable, 'an address without code')
})

t.test('a node that fails is no reason to say that a pool is empty', async (t) => {
  const token = await launch(false)
  const hostile = await startHostileNode(t, service.test.anvil.url)
  hostile.follow(on('eth_call', () => failure(-32_603, 'Internal error')))
  const chain = new Chain([hostile.url], { budgetMs: 1_000, retries: 0 })
  const { db, config } = service
  const { app: other } = await createTestApp({ config, services: { db, chain } })
  t.teardown(() => other.close())
  const response = await other.inject({ url: `/tokens/${token}/quote?side=buy&amount=1000000` })
  t.equal(response.statusCode, 503)
  t.match(response.json(), { error: /chain node/ })
})

t.test('a trade that is mined after its deadline reverts', async (t) => {
  const token = await launch(true)
  const { body } = await quote(token, `side=buy&amount=${parseEther('0.1')}&recipient=${bob}`)
  const { call, deadline } = body.data
  const { timestamp } = await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)
  t.equal((await send(bob, call!, deadline - Number(timestamp))).status, '0x1', 'the last second')
  t.equal((await send(bob, call!, 1)).status, '0x0')
})

t.test('the calls are those of the published contracts', async (t) => {
  for (const [abi, published] of [
    [routerAbi, routerArtifact.abi],
    [quoterAbi, quoterArtifact.abi],
    [poolAbi, poolArtifact.abi],
  ] as [Abi, Abi][]) {
    const selectors = (some: Abi) =>
      some.filter((item) => item.type === 'function').map((item) => toFunctionSelector(item as AbiFunction))
    const known = selectors(published)
    t.ok(selectors(abi).length > 0 && selectors(abi).every((selector) => known.includes(selector)))
  }
})
