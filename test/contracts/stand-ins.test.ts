import t, { type Test } from 'tap'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseEther,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import poolArtifact from '../../contracts/artifacts/UniswapV3Pool.json' with { type: 'json' }
import { startAnvil } from '../../dev/anvil.ts'
import { type Action, Node, type Receipt, startChain, toRequest } from '../support/chain-fixture.ts'
import {
  clankerV4Events,
  clankerV31Events,
  flapEvents,
  fourMemeV2Events,
  nadFunEvents,
  venueEvents,
} from '../support/launchpads/abi.ts'
import { CLANKER_STARTING_TICK, deployClankerV31 } from '../support/launchpads/clanker-v31.ts'
import { deployFourMeme } from '../support/launchpads/four-meme.ts'
import { type NamedLog, nameLogs } from '../support/launchpads/logs.ts'
import { deployNadFun, NAD_FUN_CONFIG } from '../support/launchpads/nad-fun.ts'
import { sqrtPriceAtTick } from '../support/launchpads/sqrt-price.ts'
import { deployVenue, POOL_FEE } from '../support/launchpads/venue.ts'

const anvil = await startAnvil({ balance: 1_000_000, extraArgs: ['--gas-limit', '1000000000'] })
t.teardown(anvil.stop)
const node = new Node(anvil.url)
const accounts = (await node.call<Address[]>('eth_accounts')).map((account) => account.toLowerCase() as Address)
await node.call('evm_setAutomine', false)
const host = { node, accounts }
const [, creator, alice, bob] = accounts as [Address, Address, Address, Address]
const venue = await deployVenue(host)
const nadFun = await deployNadFun(host, venue)
const clanker = await deployClankerV31(host, venue)

const SUPPLY = parseEther('1000000000')
const abi = [...nadFunEvents, ...clankerV31Events, ...venueEvents]

const balanceOf = async (token: Address, account: Address) => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
  const result = await node.call<Hex>('eth_call', { to: token, data }, 'latest')
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: result })
}
const coinsOf = async (account: Address) => BigInt(await node.call<Hex>('eth_getBalance', account, 'latest'))
const ceilDiv = (value: bigint, divisor: bigint) => (value + divisor - 1n) / divisor

/** The logs of a receipt, with the names of the contracts that take part. */
const read = (receipt: Receipt, token: Address, pool: Address) =>
  nameLogs(receipt, abi, {
    ...{ token, pool, weth: venue.weth, factory: venue.factory, curve: nadFun.address, clanker: clanker.address },
  })
const titles = (logs: readonly NamedLog[]) => logs.map(({ title }) => title)
const argsOf = (logs: readonly NamedLog[], title: string) => logs.find((log) => log.title === title)!.args
/** Demands that the call reverts with a custom error, which has no parameters. */
const rejectsWith = (t: Test, action: Action, error: string) =>
  t.rejects(node.call('eth_call', toRequest(action), 'latest'), {
    message: new RegExp(toFunctionSelector(`${error}()`)),
  })
/** Addresses in lower case, as accounts are here. */
const plain = (args: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, /^0x/.test(String(value)) ? String(value).toLowerCase() : value]),
  )

t.test('event signatures have the first topics that the launchpads emit on their chains', (t) => {
  const expected: [readonly { name: string; type: string }[], Record<string, string>][] = [
    [
      nadFunEvents,
      {
        CurveCreate: 'd37e3f4f',
        CurveBuy: '00a7ba87',
        CurveSell: '0eb25df0',
        CurveSync: 'fd4bb47b',
        CurveTokenLocked: 'a9aaee0c',
        CurveGraduate: 'a1cae252',
      },
    ],
    [clankerV31Events, { TokenCreated: '6b04d68c' }],
    [clankerV4Events, { TokenCreated: '9299d1d1' }],
    [
      fourMemeV2Events,
      {
        TokenCreate: '396d5e90',
        TokenPurchase: '7db52723',
        TokenSale: '0a5575b3',
        TradeStop: '8f9ab4bd',
        LiquidityAdded: 'c18aa711',
      },
    ],
    [
      flapEvents,
      {
        TokenCreated: '504e7f36',
        TokenQuoteSet: '3ceb902d',
        TokenCurveSet: 'da7793e7',
        TokenCurveSetV2: '71a10912',
        TokenDexSupplyThreshSet: '6f10bbe1',
        TokenBought: 'a800a203',
        TokenSold: '03a4693e',
        FlapTokenCirculatingSupplyChanged: '115c78ad',
        LaunchedToDEX: '6e4f4763',
        FlapTokenCLPoolCreated: 'b1acc4d0',
      },
    ],
  ]
  for (const [events, topics] of expected)
    t.same(
      Object.fromEntries(events.map((event) => [event.name, toEventSelector(event as never).slice(2, 10)])),
      topics,
    )
  t.end()
})

t.test('pools have the code of Uniswap V3 on Ethereum', async (t) => {
  t.equal(keccak256(poolArtifact.bytecode as Hex), '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54')
  t.equal(sqrtPriceAtTick(-887_272), 4295128739n)
  t.equal(sqrtPriceAtTick(887_272), 1461446703485210103287273052203988822378723970342n)
})

t.test('a launch of nad.fun creates the token and its pool, then emits the curve', async (t) => {
  const { token, pool, receipt } = await nadFun.createToken(creator, {
    name: 'Yawl',
    symbol: 'YAWL',
    uri: 'ipfs://yawl',
  })
  const logs = read(receipt, token, pool)
  t.same(titles(logs), ['token Transfer', 'factory PoolCreated', 'curve CurveCreate'])
  t.equal(await venue.getPool(token), pool)
  t.match(plain(argsOf(logs, 'token Transfer')), { to: nadFun.address, value: SUPPLY })
  t.match(argsOf(logs, 'factory PoolCreated'), { fee: POOL_FEE, tickSpacing: 200 })
  t.same(plain(argsOf(logs, 'curve CurveCreate')), {
    ...{ creator, token, pool, name: 'Yawl', symbol: 'YAWL', tokenURI: 'ipfs://yawl' },
    virtualMon: NAD_FUN_CONFIG.virtualMon,
    virtualToken: NAD_FUN_CONFIG.virtualToken,
    targetTokenAmount: NAD_FUN_CONFIG.targetToken,
  })
})

t.test('a launch of nad.fun with coins also buys for its creator, and syncs the reserves after the buy', async (t) => {
  const value = parseEther('100')
  const { token, pool, receipt } = await nadFun.createToken(creator, { value })
  const logs = read(receipt, token, pool)
  t.same(titles(logs).slice(2), ['curve CurveCreate', 'token Transfer', 'curve CurveBuy', 'curve CurveSync'])
  const amountIn = parseEther('99')
  const { virtualMon, virtualToken } = NAD_FUN_CONFIG
  const amountOut = virtualToken - ceilDiv(virtualMon * virtualToken, virtualMon + amountIn)
  t.same(plain(argsOf(logs, 'curve CurveBuy')), { sender: creator, token, amountIn, amountOut })
  t.same(plain(argsOf(logs, 'curve CurveSync')), {
    token,
    realMonReserve: amountIn,
    realTokenReserve: SUPPLY - amountOut,
    virtualMonReserve: virtualMon + amountIn,
    virtualTokenReserve: virtualToken - amountOut,
  })
  t.equal(await balanceOf(token, creator), amountOut)
})

t.test('trades on the curve name the recipient, and pay a fee that no event names', async (t) => {
  const { token, pool } = await nadFun.createToken(creator)
  const fees = await coinsOf(nadFun.feeReceiver)
  const bought = read(await nadFun.buy(alice, token, parseEther('1000'), bob), token, pool)
  t.same(titles(bought), ['token Transfer', 'curve CurveBuy', 'curve CurveSync'])
  const { sender, amountIn, amountOut } = argsOf(bought, 'curve CurveBuy') as Record<string, bigint>
  t.equal(String(sender).toLowerCase(), bob, 'not the account that pays')
  t.equal(amountIn, parseEther('990'))
  t.equal(await balanceOf(token, bob), amountOut)
  t.equal((await coinsOf(nadFun.feeReceiver)) - fees, parseEther('10'))

  const half = amountOut! / 2n
  const before = [await coinsOf(nadFun.feeReceiver), await coinsOf(creator)] as const
  const sold = read(await nadFun.sell(bob, token, half, creator), token, pool)
  t.same(titles(sold), ['token Transfer', 'curve CurveSell', 'curve CurveSync'])
  const sale = argsOf(sold, 'curve CurveSell') as { amountOut: bigint }
  t.match(plain(argsOf(sold, 'curve CurveSell')), { sender: creator, token, amountIn: half })
  const [real, left] = [bought, sold].map((logs) => argsOf(logs, 'curve CurveSync').realMonReserve as bigint)
  const fee = (real! - left!) / 100n
  t.equal(sale.amountOut, real! - left! - fee)
  t.equal((await coinsOf(creator)) - before[1], sale.amountOut, 'native coins')
  t.equal((await coinsOf(nadFun.feeReceiver)) - before[0], fee)
})

t.test('a curve can also sync the reserves before it reports a trade', async (t) => {
  const other = await deployNadFun(host, venue, { syncFirst: true })
  const { token, pool } = await other.createToken(creator)
  const names = (receipt: Receipt) => titles(nameLogs(receipt, abi, { token, pool, curve: other.address }))
  t.same(names(await other.buy(alice, token, 1_000_000n)), ['token Transfer', 'curve CurveSync', 'curve CurveBuy'])
  t.same(names(await other.sell(alice, token, 1_000_000n)), ['token Transfer', 'curve CurveSync', 'curve CurveSell'])
})

for (const isFirst of [true, false])
  t.test(
    `a curve locks at its target and graduates, its token ${isFirst ? 'first' : 'second'} in the pool`,
    async (t) => {
      const { token, pool } = await nadFun.createToken(creator, { isFirst })
      t.equal(token < venue.weth, isFirst)
      // It takes most of an account's coins.
      const whale = accounts[isFirst ? 4 : 5]!
      const coins = await coinsOf(whale)
      const fees = await coinsOf(nadFun.feeReceiver)
      const receipt = await nadFun.buy(whale, token, parseEther('700000'))
      const locking = read(receipt, token, pool)
      t.same(titles(locking), ['token Transfer', 'curve CurveBuy', 'curve CurveSync', 'curve CurveTokenLocked'])
      const reserves = argsOf(locking, 'curve CurveSync') as Record<string, bigint>
      t.equal(reserves.virtualTokenReserve, NAD_FUN_CONFIG.targetToken, 'exactly')
      const paid = reserves.realMonReserve! + (await coinsOf(nadFun.feeReceiver)) - fees
      const spent = coins - (await coinsOf(whale))
      t.ok(spent >= paid && spent - paid < parseEther('1'), 'the excess is refunded; the rest is gas')
      t.match(plain(argsOf(locking, 'curve CurveTokenLocked')), { token })
      await rejectsWith(t, nadFun.actions.buy(alice, token, 1_000n), 'BondingCurveLocked')
      await rejectsWith(t, nadFun.actions.sell(whale, token, 1_000n), 'BondingCurveLocked')

      const graduation = read(await nadFun.graduate(bob, token), token, pool)
      const transfers = isFirst ? ['token Transfer', 'weth Transfer'] : ['weth Transfer', 'token Transfer']
      t.same(titles(graduation), ['weth Deposit', 'pool Initialize', ...transfers, 'pool Mint', 'curve CurveGraduate'])
      t.same(plain(argsOf(graduation, 'curve CurveGraduate')), { token, pool })
      const { sqrtPriceX96 } = argsOf(graduation, 'pool Initialize') as { sqrtPriceX96: bigint }
      const price = Number(reserves.virtualMonReserve) / Number(reserves.virtualTokenReserve)
      const root = Number(sqrtPriceX96) / 2 ** 96
      const opened = isFirst ? root ** 2 : 1 / root ** 2
      t.ok(Math.abs(opened / price - 1) < 1e-9, 'at the price of the curve')
      const pooled = Number(await balanceOf(venue.weth, pool))
      t.ok(pooled / Number(reserves.realMonReserve) > 0.999, 'with all of its coins')
      await rejectsWith(t, nadFun.actions.graduate(bob, token), 'AlreadyGraduated')

      const buy = read(await venue.swapBuy(alice, pool, parseEther('10'), bob), token, pool)
      const swap = argsOf(buy, 'pool Swap') as Record<string, bigint>
      t.match(plain(swap), { sender: venue.trader, recipient: bob })
      t.equal(isFirst ? swap.amount1 : swap.amount0, parseEther('10'))
      t.equal(await balanceOf(token, bob), -(isFirst ? swap.amount0! : swap.amount1!))
    },
  )

t.test('a curve graduates only once it is locked', async (t) => {
  const { token } = await nadFun.createToken(creator)
  await rejectsWith(t, nadFun.actions.graduate(alice, token), 'BondingCurveNotLocked')
})

for (const isFirst of [true, false])
  t.test(
    `a launch of Clanker opens the pool with the whole supply, its token ${isFirst ? 'first' : 'second'}`,
    async (t) => {
      const choice = { name: 'Sloop', symbol: 'SLP', metadata: '{"a":1}', creatorAdmin: alice, interfaceAdmin: bob }
      const { token, pool, receipt } = await clanker.createToken(creator, { ...choice, isFirst })
      t.equal(token < venue.weth, isFirst)
      const logs = read(receipt, token, pool)
      t.same(titles(logs), [
        ...['token Transfer', 'token Approval', 'factory PoolCreated', 'pool Initialize'],
        ...['token Transfer', 'pool Mint', 'clanker TokenCreated'],
      ])
      const tick = isFirst ? CLANKER_STARTING_TICK : -CLANKER_STARTING_TICK
      t.match(argsOf(logs, 'pool Initialize'), { tick, sqrtPriceX96: sqrtPriceAtTick(tick) })
      t.match(
        argsOf(logs, 'pool Mint'),
        isFirst
          ? { tickLower: tick, tickUpper: 887_200, amount1: 0n }
          : { tickLower: -887_200, tickUpper: tick, amount0: 0n },
      )
      const left = parseEther('100000000000') - (await balanceOf(token, pool))
      t.ok(left < 1_000_000n, `all but ${left} of the smallest units`)
      t.match(plain(argsOf(logs, 'clanker TokenCreated')), {
        ...{ tokenAddress: token, creatorAdmin: alice, interfaceAdmin: bob, creatorRewardRecipient: creator },
        ...{ name: 'Sloop', symbol: 'SLP', metadata: '{"a":1}', amountTokensBought: 0n, msgSender: creator },
        startingTickIfToken0IsNewToken: CLANKER_STARTING_TICK,
      })

      const bought = read(await venue.swapBuy(alice, pool, parseEther('1')), token, pool)
      t.same(titles(bought), ['token Transfer', 'weth Transfer', 'pool Swap'])
      const held = await balanceOf(token, alice)
      const before = await balanceOf(venue.weth, bob)
      const sold = read(await venue.swapSell(alice, pool, token, held, bob), token, pool)
      t.same(titles(sold), ['weth Transfer', 'token Transfer', 'pool Swap'])
      const proceeds = (await balanceOf(venue.weth, bob)) - before
      t.ok(proceeds > parseEther('0.98') && proceeds < parseEther('0.981'), 'less two fees of one percent')
    },
  )

t.test('a launch of Clanker with coins buys for the creator before it emits its own event', async (t) => {
  const { token, pool, receipt } = await clanker.createToken(creator, {
    ...{ value: parseEther('0.5'), creatorAdmin: bob, vaultPercentage: 10, vaultDuration: 3_600n },
  })
  const logs = read(receipt, token, pool)
  t.same(titles(logs), [
    ...['token Transfer', 'token Transfer', 'token Approval', 'factory PoolCreated', 'pool Initialize'],
    ...['token Transfer', 'pool Mint', 'token Transfer', 'weth Deposit', 'weth Transfer', 'pool Swap'],
    'clanker TokenCreated',
  ])
  const { amountTokensBought, vaultDuration, vaultPercentage } = argsOf(logs, 'clanker TokenCreated')
  t.equal(await balanceOf(token, bob), amountTokensBought)
  t.same([vaultDuration, vaultPercentage], [3_600n, 10])
  t.equal(await balanceOf(token, clanker.vault), parseEther('10000000000'))
  t.match(plain(argsOf(logs, 'pool Swap')), { recipient: bob })
})

t.test('a pool reports several swaps of one transaction, added liquidity and a flash loan', async (t) => {
  const { token, pool } = await clanker.createToken(creator, { value: parseEther('5'), isFirst: true })
  const { actions } = venue
  const amount = parseEther('2')
  await node.run(
    actions.wrap(creator, 10n * amount),
    actions.approve(creator, venue.weth, 10n * amount),
    actions.approve(creator, token, 2n ** 255n),
  )
  const buy = { pool, tokenIn: venue.weth, amountIn: amount, recipient: bob }
  const sell = { pool, tokenIn: token, amountIn: parseEther('1000') }
  const [swaps] = await node.run(actions.swapAll(creator, buy, sell, buy))
  const swapLogs = read(swaps!, token, pool).filter(({ title }) => title === 'pool Swap')
  t.same(
    swapLogs.map(({ args }) => [Number(args.amount0) < 0, String(args.recipient).toLowerCase()]),
    [
      [true, bob],
      [false, creator],
      [true, bob],
    ],
  )

  const [added] = await node.run(actions.addFullRange(creator, pool, [parseEther('1000'), amount]))
  const minted = read(added!, token, pool)
  t.same(titles(minted), ['token Transfer', 'weth Transfer', 'pool Mint'])
  t.match(plain(argsOf(minted, 'pool Mint')), { owner: creator, tickLower: -887_200, tickUpper: 887_200 })

  const [lent] = await node.run(actions.flash(creator, pool, creator, [0n, amount]))
  const flash = read(lent!, token, pool)
  t.same(titles(flash), ['weth Transfer', 'weth Transfer', 'pool Flash'])
  t.match(argsOf(flash, 'pool Flash'), { amount1: amount, paid1: amount / 100n })
})

t.test('a swap for less than its minimum reverts', async (t) => {
  const { pool } = await clanker.createToken(creator)
  const swap = { pool, tokenIn: venue.weth, amountIn: 1_000n }
  const { actions } = venue
  await node.run(actions.wrap(alice, 2_000n), actions.approve(alice, venue.weth, 2_000n))
  await rejectsWith(t, actions.swap(alice, swap, 2n ** 128n), 'SlippageExceeded')
  await t.resolves(node.run(actions.swap(alice, swap, 1n)))
})

t.test('a curve of four.meme charges its fee on top, and opens its pair at its last price', async (t) => {
  const { node: own, accounts, deployed } = await startChain(t)
  const fourMeme = await deployFourMeme({ node: own, accounts, deployed }, { migratesAtOnce: true })
  const name = (receipt: Receipt, token: Address, pair?: Address) =>
    nameLogs(receipt, [...fourMemeV2Events, ...venueEvents, ...uniswapV2PairAbi, ...uniswapV2FactoryAbi], {
      ...{ token, curve: fourMeme.address, weth: deployed.weth, factory: deployed.uniswapFactory },
      ...(pair && { pair }),
    })
  const { token, receipt } = await fourMeme.createToken(creator, { value: parseEther('1.01') })
  const launch = name(receipt, token)
  t.same(titles(launch), ['token Transfer', 'curve TokenCreate', 'token Transfer', 'curve TokenPurchase'])
  const bought = argsOf(launch, 'curve TokenPurchase') as Record<string, bigint>
  t.match(bought, { cost: parseEther('1'), fee: parseEther('0.01'), funds: parseEther('1') })
  t.equal(bought.offers! + bought.amount!, parseEther('800000000'))

  const sale = name(await fourMeme.sell(creator, token, bought.amount!), token)
  t.same(titles(sale), ['token Transfer', 'curve TokenSale'])
  const sold = argsOf(sale, 'curve TokenSale') as Record<string, bigint>
  t.match(sold, { offers: parseEther('800000000'), fee: sold.cost! / 100n, funds: parseEther('1') - sold.cost! })
  t.ok(parseEther('1') - sold.cost! < 1_000n, 'what was paid, but for rounding')

  const last = await fourMeme.buy(alice, token, parseEther('100'))
  const pair = await fourMeme.getPair(token)
  const ended = name(last, token, pair)
  t.same(
    titles(ended).filter((title) => title.startsWith('curve')),
    ['curve TokenPurchase', 'curve TradeStop', 'curve LiquidityAdded'],
  )
  const { price } = argsOf(ended, 'curve TokenPurchase') as { price: bigint }
  const { offers, funds } = argsOf(ended, 'curve LiquidityAdded') as { offers: bigint; funds: bigint }
  t.equal(funds, parseEther('18'))
  t.ok(Math.abs(Number((funds * 10n ** 18n) / offers) / Number(price) - 1) < 1e-6)
})
