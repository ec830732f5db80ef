import t from 'tap'
import { type Address, parseEther } from 'viem'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { deployNadFun } from '../../support/launchpads/nad-fun.ts'
import { deployVenue } from '../../support/launchpads/venue.ts'

t.setTimeout(400_000)

interface Token {
  name: string
  symbol: string
  launchpad: { kind: string; address: string; name: string }
  protocolFeeBps: number | null
  liquidityUsd: number | null
  priceNative: string | null
  status: string
}

t.test('tokens of another launchpad are served beside ours, without what its logs do not contain', async (t) => {
  let deployed: { nadFun: Awaited<ReturnType<typeof deployNadFun>>; venue: Awaited<ReturnType<typeof deployVenue>> }
  const { read, post, accounts, config, chain } = await createChainApp(t, {}, async (test) => {
    const venue = await deployVenue(test, test.deployed.weth)
    const nadFun = await deployNadFun(test, venue)
    deployed = { venue, nadFun }
    const deployments = [...test.config.deployments, { kind: 'nad-fun', address: nadFun.address, startBlock: 0 }]
    return { ...test.environment, DEPLOYMENTS: JSON.stringify(deployments) }
  })
  const { nadFun, venue } = deployed!
  const [, ann, bob] = accounts as [Address, Address, Address]
  const { token, pool, receipt } = await nadFun.createToken(ann, { value: parseEther('10') })

  const created = await post<{ token: Token }>('/tokens/create', { txHash: receipt.transactionHash }, ann)
  t.equal(created.status, 200)
  const bought = await nadFun.buy(bob, token, parseEther('5'))
  const buy = await post<{ trade: object }>('/buy', { txHash: bought.transactionHash }, bob)
  t.equal(buy.status, 200)

  const launchpad = { kind: 'nad-fun', address: nadFun.address, name: 'nad.fun' }
  const { body } = await read<Token>(`/tokens/${token}`)
  t.match(body.data, { launchpad, status: 'curve', protocolFeeBps: null, creatorFeeBps: null })
  t.ok(Number(body.data.priceNative) > 0)
  const trades = await read<{ items: object[] }>(`/tokens/${token}/trades`)
  t.match(trades.body.data.items, [
    { trader: bob, protocolFee: null, creatorFee: null },
    { trader: ann, protocolFee: null, creatorFee: null },
  ])
  const listed = await read<{ items: Token[] }>('/tokens?sort=newest')
  t.match(listed.body.data.items, [{ launchpad }])
  const search = async (q: string, kind: string) =>
    (await read<{ tokens: Token[] }>(`/search?q=${q}&launchpad=${kind}`)).body.data.tokens
  const { name, symbol } = body.data
  for (const q of [token, symbol, name, name.slice(1)]) {
    t.match(await search(q, 'nad-fun'), [{ launchpad }], q)
    t.same(await search(q, 'slipway'), [], q)
  }
  t.equal((await read(`/search?q=${token}&launchpad=Nad`)).status, 400)
  const history = await read<{ items: { data: object }[] }>(`/transactions?token=${token}&type=buy`)
  t.equal(history.body.data.items.length, 2)

  const quote = await read<{ error: string }>(`/tokens/${token}/quote?side=buy&amount=1000`)
  t.equal(quote.status, 422)
  t.equal(quote.body.error, 'Trades with tokens of nad.fun cannot be quoted here')
  const described = await read<{ launchpads: object[] }>('/config')
  t.match(described.body.data.launchpads, [
    { kind: 'slipway', capabilities: ['launch', 'trade', 'quote', 'graduate', 'creator-fees'] },
    { ...launchpad, startBlock: 0, capabilities: ['graduate'] },
  ])

  await nadFun.buy(bob, token, parseEther('600000'))
  const graduated = await nadFun.graduate(bob, token)
  const swap = await venue.swapBuy(bob, pool, parseEther('1'))
  t.equal((await post('/buy', { txHash: swap.transactionHash }, bob)).status, 200, 'the graduation is found first')
  const after = await read<Token>(`/tokens/${token}`)
  t.match(after.body.data, { status: 'graduated', poolAddress: pool, liquidityUsd: null })
  t.ok(Number(after.body.data.priceNative) > Number(body.data.priceNative))
  t.ok(graduated.logs.length > 0)

  await t.test('also without a contract of ours, if the wrapped coin is named', async (t) => {
    const others = config.deployments.filter(({ kind }) => kind === 'nad-fun' || kind === 'wrapped-native')
    const contracts = await resolveContracts(chain, { deployments: others, quotes: [] })
    t.strictSame([...(contracts.addresses.get('market') ?? [])], [[nadFun.address, 'nad-fun']])
    await t.rejects(
      resolveContracts(chain, { deployments: others.filter(({ kind }) => kind === 'nad-fun'), quotes: [] }),
      /does not name the wrapped-native, and its launchpads do not name it either/,
    )
  })
})
