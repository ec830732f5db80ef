import t from 'tap'
import { type Address, encodeFunctionData } from 'viem'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import type { QuoteSetting } from '../../config/quotes.ts'
import { checkQuotes } from '../../preflight/check-quotes.ts'
import { describe } from '../../preflight/finding.ts'
import { deployQuoted } from '../indexer/fixtures/launchpads/quoted.ts'
import { startChain } from '../support/chain-fixture.ts'
import { failure, on, startHostileNode } from '../support/hostile/node.ts'
import { deployFeed, setAnswer } from '../support/launchpads/quoted.ts'

const test = await startChain(t)
const { node, accounts, deployed, config, anvil } = test
const [owner] = accounts as [Address]
const { usdc, btc, feed, launchpad } = await deployQuoted(test)
const pool = await launchpad.router.openPool(owner, [usdc, 60_000n * 10n ** 6n], [btc, 10n ** 8n])
const nobody = `0x${'99'.repeat(20)}` as Address

const dollar: QuoteSetting = { address: usdc, symbol: 'USDC', decimals: 6, usd: { fixed: '1' } }
const coin = (usd: QuoteSetting['usd']): QuoteSetting => ({ address: btc, symbol: 'BTC', decimals: 8, usd })
const pooled = (change: object = {}) =>
  coin({ ...{ pool, venue: 'uniswap-v2', quote: usdc, minLiquidityUsd: '1000' }, ...change } as QuoteSetting['usd'])
const check = async (quotes: QuoteSetting[], settings: object = {}) =>
  (await checkQuotes({ ...config, quotes, ...settings })).map(describe)

t.test('assets that are as configured pass', async (t) => {
  t.match(await check([dollar, coin({ feed }), pooled()]), [
    /^OK {4}QUOTES: USDC 0x\w{40} is there, at 1 US dollars\.$/,
    /^OK {4}QUOTES: BTC 0x\w{40} is there, and its feed has a price, \d+ s old\.$/,
    /^OK {4}QUOTES: BTC 0x\w{40} is there, and its pool has a price\.$/,
  ])
  t.same(await check([]), [])
  t.same(await check([dollar], { rpcUrls: [] }), [], 'the embedded chain')
  t.same(await check([dollar], { chainId: 1 }), [], 'another chain has a finding of its own')
})

t.test('other decimals, another name and another contract are reported', async (t) => {
  t.match(await check([{ ...dollar, decimals: 18 }]), [
    /^FAIL {2}QUOTES: USDC 0x\w{40} has 6 decimals, not 18\. Set its decimals to 6, or correct its address\.$/,
  ])
  t.match(await check([{ ...dollar, symbol: 'DAI' }]), [
    /^WARN {2}QUOTES: DAI 0x\w{40} calls itself "USDC"\. Check its address\.$/,
    /^OK/,
  ])
  for (const address of [nobody, deployed.uniswapFactory])
    t.match(await check([{ ...dollar, address }]), [
      /^FAIL {2}QUOTES: USDC 0x\w{40} does not answer decimals\(\), so it is/,
    ])
})

t.test('a feed must be one, with a price', async (t) => {
  t.match(await check([coin({ feed: nobody })]), [
    /^FAIL {2}QUOTES: the feed 0x\w{40} of BTC 0x\w{40} has no code on this chain\. Correct the address of the feed\.$/,
  ])
  t.match(await check([coin({ feed: usdc })]), [/^FAIL .* does not answer latestRoundData\(\), so it is not of kind/])
  const empty = await deployFeed(test, 1n)
  await node.run(setAnswer(owner, empty, 0n))
  t.match(await check([coin({ feed: empty })]), [/^FAIL .* has no price: its latest answer is 0\./])
  await node.mine(3 * 86_400)
  t.match(await check([coin({ feed })]), [/^WARN .* has a price that is 7[12] hours old\. Check that it is the feed/])
})

t.test('a pool must be one of the asset and the other, with liquidity', async (t) => {
  t.match(await check([pooled({ quote: nobody })]), [
    /^FAIL {2}QUOTES: the pool 0x\w{40} of BTC 0x\w{40} is not one of 0x\w{40} and 0x99\w{38}\. Name the pool of these/,
  ])
  t.match(await check([pooled({ quote: 'native' })]), [/^FAIL .* is not one of 0x\w{40} and 0x\w{40}\./])
  t.match(await check([pooled({ pool: nobody })]), [/^FAIL .* is not one of /])
  t.match(await check([pooled({ venue: 'uniswap-v3' })]), [
    /^FAIL .* does not answer as a pool of uniswap-v3\. Correct/,
  ])
  const args = [btc, deployed.weth] as const
  const factory = { abi: uniswapV2FactoryAbi, address: deployed.uniswapFactory }
  const data = encodeFunctionData({ ...factory, functionName: 'createPair', args })
  await node.run({ from: owner, to: factory.address, data, gas: 10_000_000n })
  const empty = await test.chain.client.readContract({ ...factory, functionName: 'getPair', args })
  t.match(await check([pooled({ pool: empty, quote: 'native' })]), [/^WARN .* is empty\. Name one with liquidity/])
})

t.test('a node that fails is a warning', async (t) => {
  const hostile = await startHostileNode(t, anvil.url)
  hostile.follow(on('eth_call', () => failure(-32_005, 'too many requests')))
  t.match(await check([dollar], { rpcUrls: [hostile.url] }), [/^WARN {2}QUOTES: not checked: .*Run this again when/])
})
