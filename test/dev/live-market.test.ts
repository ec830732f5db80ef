import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { encodeFunctionData, type Hex, maxUint256, numberToHex, parseEther } from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { callNode, callNodeAll } from '../../dev/json-rpc.ts'
import { levelOf } from '../../dev/market/exchange.ts'
import { LiveMarket } from '../../dev/market/live-market.ts'
import { MarketReader } from '../../dev/market/read-market.ts'
import { createMarket } from '../../dev/market.ts'
import { createMemoryLog, type MarketChain, startEmptyChain, startMarketChain } from './support/market-chain.ts'

const MINUTE = 60
/** Fixed, because moods follow the clock. */
const NOW = 2_000_000_000
const signal = new AbortController().signal

async function startTrading(t: Parameters<typeof startMarketChain>[0]) {
  const chain = await startMarketChain(t, NOW)
  await callNode(chain.url, 'evm_setAutomine', [true])
  const { url, contracts, wallets } = chain
  const market = new LiveMarket({ url, contracts, wallets, seed: 'test', signal })
  const reader = new MarketReader(url, contracts, signal)
  let time = NOW
  /** Steps so many seconds apart, by the clock of the chain, too. */
  const step = async (seconds: number) => {
    time += seconds
    await callNode(url, 'evm_setTime', [time])
    return market.step(time)
  }
  const read = async () => reader.readTokens(await reader.listTokens())
  return { ...chain, step, read }
}

async function countReverted({ url }: MarketChain, from: number): Promise<number> {
  const head = Number(await callNode<Hex>(url, 'eth_blockNumber'))
  const numbers = Array.from({ length: head - from }, (_, index) => from + 1 + index)
  const receipts = await callNodeAll<{ status: Hex }[]>(
    url,
    numbers.map((number) => ['eth_getBlockReceipts', [numberToHex(number)]] as const),
  )
  return receipts.flat().filter(({ status }) => status !== '0x1').length
}

t.test('the live market of the demo', async (t) => {
  const trading = await startTrading(t)
  const before = await trading.read()
  const height = Number(await callNode<Hex>(trading.url, 'eth_blockNumber'))

  await t.test('trades for hours without running out of coins or extreme prices', async (t) => {
    const countSent = () => callNode<Hex>(trading.url, 'eth_getTransactionCount', [trading.wallets.at(-1), 'latest'])
    const sent = await countSent()
    for (let steps = 0; steps < 80; steps++) await trading.step(4 * MINUTE)
    const after = await trading.read()
    t.equal(await countSent(), sent, 'the last account is left to users')
    t.equal(await countReverted(trading, height), 0, 'no transaction fails')
    t.ok(Number(await callNode<Hex>(trading.url, 'eth_blockNumber')) <= height + 80, 'a block a step at most')
    t.ok(after.length > before.length + 5 && after.length < before.length + 30, `${after.length} tokens`)
    for (const [index, { exchange, status }] of before.entries()) {
      const now = after[index]
      if (!now || now.status !== status) continue
      t.ok(Math.abs(levelOf(now.exchange) - levelOf(exchange)) < 0.7, 'no price far from where it was')
    }
    const near = before.findIndex(({ exchange, status }) => status === 'curve' && levelOf(exchange) > 0.95)
    t.match(after[near], { status: 'curve' }, 'what is nearly complete stays so')
    const coins = await new MarketReader(trading.url, trading.contracts, signal).readCoins(trading.wallets)
    t.equal(coins.length, trading.wallets.length)
    t.ok(coins.every((amount) => amount > parseEther('1000')))
  })

  await t.test('a wallet without coins is refilled', async (t) => {
    const wallet = trading.wallets[7] as Hex
    await callNode(trading.url, 'anvil_setBalance', [wallet, numberToHex(parseEther('3'))])
    await trading.step(MINUTE)
    t.ok(BigInt(await callNode<Hex>(trading.url, 'eth_getBalance', [wallet, 'latest'])) > parseEther('9000'))
  })

  await t.test(
    'a curve that is completed is graduated a minute later, unless it was completed before the market',
    async (t) => {
      const [open] = (await trading.read()).filter(
        ({ status, exchange }) => status === 'curve' && levelOf(exchange) < 0.9,
      )
      const args = [open!.address, trading.wallets[3]!, 0n, maxUint256] as const
      const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'buy', args })
      const value = numberToHex(parseEther('7'))
      const call = { from: trading.wallets[3], to: trading.contracts.launchpad, data, value, gas: '0x80000' }
      t.match(
        await callNode(trading.url, 'eth_sendTransactionSync', [call]),
        { status: '0x1' },
        'mined at once, as ever',
      )
      const statusOf = async () => (await trading.read()).find(({ address }) => address === open!.address)?.status
      await trading.step(30)
      await trading.step(30)
      t.equal(await statusOf(), 'completed')
      await trading.step(31)
      await trading.step(30)
      t.equal(await statusOf(), 'graduated')
      const left = before.findIndex(({ status }) => status === 'completed')
      t.match((await trading.read())[left], { status: 'completed' }, 'anyone else can take it')
    },
  )

  await t.test('runs until it is stopped, and logs a failure of its node once', async (t) => {
    const log = createMemoryLog()
    const { url, contracts, wallets } = trading
    const market = createMarket({ url, contracts, wallets, seed: 'test', log, paceMs: 5 })
    const from = Number(await callNode<Hex>(url, 'eth_blockNumber'))
    market.start()
    market.start()
    while (Number(await callNode<Hex>(url, 'eth_blockNumber')) < from + 3) await sleep(10)
    await market.stop()
    await market.stop()
    // What the node was asked for before the stop it may still do; a market that goes on never lets it rest.
    for (let stopped = ''; ; await sleep(60)) {
      const height = await callNode<Hex>(url, 'eth_blockNumber')
      if (height === stopped) break
      stopped = height
    }
    t.strictSame(log.messages, [])

    market.start()
    trading.anvil.kill()
    while (log.messages.length === 0) await sleep(10)
    await sleep(100)
    const started = performance.now()
    await market.stop()
    // It pauses for up to half a minute.
    t.ok(performance.now() - started < 10_000)
    t.match(log.messages, [/^The market has stopped for now/])
    t.equal(log.messages.length, 1)
  })
})

t.test('on a chain without history the live market launches a few tokens first', async (t) => {
  const { url, contracts, wallets } = await startEmptyChain(t)
  await callNode(url, 'evm_setAutomine', [true])
  const market = new LiveMarket({ url, contracts, wallets, seed: 'test', signal })
  for (let steps = 0; steps < 8; steps++) await market.step(NOW + 2 * steps)
  t.equal((await new MarketReader(url, contracts, signal).listTokens()).length, 5)
})

t.test('a market that is stopped before its first step does nothing', async (t) => {
  const contracts = {
    launchpad: '0x1',
    uniswapRouter: '0x1',
    weth: '0x1',
    priceFeed: '0x1',
    feeStaking: '0x1',
    feeSplitter: '0x1',
    raises: '0x1',
  } as const
  const log = createMemoryLog()
  const market = createMarket({ url: 'http://127.0.0.1:1', contracts, wallets: [], seed: 'test', log })
  market.start()
  await market.stop()
  t.strictSame(log.messages, [])
})
