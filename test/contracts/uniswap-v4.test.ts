import t, { type Test } from 'tap'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseEther,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { type Action, Node, type Receipt, toRequest } from '../support/chain-fixture.ts'
import { clankerV4Events, poolManagerEvents, venueEvents } from '../support/launchpads/abi.ts'
import { type CreatedV4, deployClankerV4 } from '../support/launchpads/clanker-v4.ts'
import { CLANKER_STARTING_TICK } from '../support/launchpads/clanker-v31.ts'
import { nameLogs } from '../support/launchpads/logs.ts'
import { sqrtPriceAtTick } from '../support/launchpads/sqrt-price.ts'
import { deployFeeHook, deployUniswapV4, makeKey, poolManagerAbi } from '../support/launchpads/uniswap-v4.ts'
import { deployVenue } from '../support/launchpads/venue.ts'

const anvil = await startAnvil({ balance: 1_000_000, extraArgs: ['--gas-limit', '1000000000'] })
t.teardown(anvil.stop)
const node = new Node(anvil.url)
const accounts = (await node.call<Address[]>('eth_accounts')).map((account) => account.toLowerCase() as Address)
await node.call('evm_setAutomine', false)
const host = { node, accounts }
const [, creator, alice, bob] = accounts as [Address, Address, Address, Address]
const { weth } = await deployVenue(host)
const venue = await deployUniswapV4(host, weth)
const clanker = await deployClankerV4(host, venue)

const SUPPLY = parseEther('100000000000')
const abi = [...clankerV4Events, ...poolManagerEvents, ...venueEvents]

const read = (receipt: Receipt, token: Address) =>
  nameLogs(receipt, abi, {
    ...{ token, weth, manager: venue.poolManager, clanker: clanker.address },
  })
const titles = (receipt: Receipt, { token }: CreatedV4) => read(receipt, token).map(({ title }) => title)
const argsOf = (receipt: Receipt, { token }: CreatedV4, title: string) =>
  read(receipt, token).find((log) => log.title === title)!.args
/** Addresses in lower case, as accounts are here. */
const plain = (args: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, /^0x/.test(String(value)) ? String(value).toLowerCase() : value]),
  )
const balanceOf = async (token: Address, account: Address) => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
  const result = await node.call<Hex>('eth_call', { to: token, data }, 'latest')
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: result })
}
/** Demands that the call reverts with a custom error. */
const rejectsWith = (t: Test, action: Action, error: string) =>
  t.rejects(node.call('eth_call', toRequest(action), 'latest'), { message: new RegExp(toFunctionSelector(error)) })

for (const isFirst of [true, false])
  t.test(
    `a launch of Clanker v4 emits its own event last, its token ${isFirst ? 'first' : 'second'} in the pool`,
    async (t) => {
      const value = parseEther('1')
      const created = await clanker.createToken(creator, { value, isFirst, extensionBps: 1_000n })
      const { token, pool, key, receipt } = created
      t.equal(key.currency0 === token, isFirst)
      t.same(titles(receipt, created), [
        ...['token Transfer', 'manager Initialize', 'manager ModifyLiquidity', 'token Transfer', 'token Transfer'],
        ...[
          'weth Deposit',
          'manager Swap',
          'weth Transfer',
          'token Transfer',
          'token Transfer',
          'clanker TokenCreated',
        ],
      ])
      t.match(plain(argsOf(receipt, created, 'manager Initialize')), {
        ...{ id: pool, currency0: key.currency0, currency1: key.currency1, fee: 10_000, tickSpacing: 200 },
        sqrtPriceX96: sqrtPriceAtTick(isFirst ? CLANKER_STARTING_TICK : -CLANKER_STARTING_TICK),
      })
      t.match(plain(argsOf(receipt, created, 'clanker TokenCreated')), {
        ...{
          msgSender: creator,
          tokenAddress: token,
          tokenAdmin: creator,
          tokenImage: 'ipfs://dory',
          tokenName: 'Dory',
        },
        ...{ startingTick: CLANKER_STARTING_TICK, poolHook: zeroAddress, poolId: pool, pairedToken: weth },
        ...{ extensionsSupply: SUPPLY / 10n },
      })
      const swap = argsOf(receipt, created, 'manager Swap') as Record<string, bigint>
      const [got, paid] = isFirst ? [swap.amount0!, swap.amount1!] : [swap.amount1!, swap.amount0!]
      t.equal(paid, -value, 'what the swapper pays is negative')
      t.equal(await balanceOf(token, creator), got)
      t.equal(await balanceOf(token, clanker.vault), SUPPLY / 10n)
      const left = SUPPLY - SUPPLY / 10n - got - (await balanceOf(token, venue.poolManager))
      t.ok(left >= 0n && left < 10n ** 12n, 'the manager holds the rest, but for a rounding')
    },
  )

t.test('a swap is paid for after its log or before it', async (t) => {
  const created = await clanker.createToken(creator)
  const { token, key } = created
  const bought = await venue.swapBuy(alice, key, parseEther('1'), { recipient: bob })
  t.same(titles(bought, created), ['manager Swap', 'weth Transfer', 'token Transfer'])
  t.match(plain(argsOf(bought, created, 'manager Swap')), { id: created.pool, sender: venue.trader, fee: 10_000 })
  const first = await venue.swapSell(bob, key, token, parseEther('1000'), { payFirst: true })
  t.same(titles(first, created), ['token Transfer', 'manager Swap', 'weth Transfer'])
  t.match(plain(argsOf(first, created, 'token Transfer')), { from: bob, to: venue.poolManager })
})

t.test('the native coin is the first of its pools, and moves without a log', async (t) => {
  const created = await clanker.createToken(creator, { pairedToken: zeroAddress, value: parseEther('1') })
  t.equal(created.key.currency0, zeroAddress)
  const bought = await venue.swapBuy(alice, created.key, parseEther('1'))
  t.same(titles(bought, created), ['manager Swap', 'token Transfer'])
  t.equal((argsOf(bought, created, 'manager Swap') as { amount0: bigint }).amount0, -parseEther('1'))
  const sold = await venue.swapSell(alice, created.key, created.token, parseEther('1000'))
  t.same(titles(sold, created), ['manager Swap', 'token Transfer'])
})

t.test('a hook takes its part after the log of the swap, which does not contain it', async (t) => {
  const hook = await deployFeeHook(host, venue)
  const created = await clanker.createToken(creator, { hook })
  const bought = await venue.swapBuy(alice, created.key, parseEther('1'))
  t.same(titles(bought, created), ['manager Swap', 'token Transfer', 'weth Transfer', 'token Transfer'])
  const { amount0, amount1 } = argsOf(bought, created, 'manager Swap') as Record<string, bigint>
  const got = created.key.currency0 === created.token ? amount0! : amount1!
  t.equal(await balanceOf(created.token, hook), got / 50n)
  t.equal(await balanceOf(created.token, alice), got - got / 50n)
})

t.test('a pool is opened once, and a swap for less than its minimum reverts', async (t) => {
  const { key, token } = await clanker.createToken(creator)
  await rejectsWith(t, venue.actions.initialize(alice, key, 2n ** 96n), 'PoolAlreadyInitialized()')
  await node.run(venue.actions.wrap(alice, 2_000n), venue.actions.approve(alice, weth, 2_000n))
  const order = { key, tokenIn: weth, amountIn: 1_000n }
  await rejectsWith(t, venue.actions.swap(alice, order, 2n ** 128n), 'SlippageExceeded()')
  await t.resolves(node.run(venue.actions.swap(alice, order, 1n)))
  const wrong = makeKey(token, weth, alice)
  await rejectsWith(t, venue.actions.initialize(alice, wrong, 2n ** 96n), 'HookAddressNotValid(address)')
  t.ok(poolManagerAbi.some((item) => item.type === 'function' && item.name === 'protocolFeeController'))
})
