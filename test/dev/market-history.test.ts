import { createHash } from 'node:crypto'
import t from 'tap'
import { type Address, getContract, parseEventLogs, toEventSelector } from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { priceFeedAbi } from '../../chain/abi/price-feed.ts'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { callNodeAll } from '../../dev/json-rpc.ts'
import { HISTORY_SECONDS, planHistory } from '../../dev/market/plan-history.ts'
import { type MarketChain, type RpcLog, readAllLogs, startMarketChain } from './support/market-chain.ts'

const HOUR = 3_600
const NOW = 2_000_000_000
const priceUpdated = toEventSelector('AnswerUpdated(int256,uint256,uint256)')

/** What happened, but not when: price updates, raises and pools say that in their data, and raises in their calls. */
const timeless = (logs: readonly RpcLog[], { raises, feeStaking }: MarketChain['contracts']) => {
  const timed = new Set(logs.filter(({ address }) => address === raises).map(({ transactionHash }) => transactionHash))
  return logs.map(({ address, topics, data, blockNumber, transactionHash, logIndex }) => {
    const isTimed = topics[0] === priceUpdated || address === raises || address === feeStaking
    const call = timed.has(transactionHash) ? '' : transactionHash
    return [address, topics.join(), isTimed ? '' : data, blockNumber, call, logIndex].join(' ')
  })
}

/** Short, because of what a test runner makes of two long values that differ. */
const print = (value: unknown) => {
  const text = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item))
  return createHash('sha256').update(text).digest('hex')
}

t.test('the market of three days', async (t) => {
  // At another time of another day, down to the second.
  const [chain, twin] = await Promise.all([startMarketChain(t, NOW), startMarketChain(t, NOW + 123_457)])
  const { history, contracts, client } = chain
  const logs = await readAllLogs(chain.url)
  const times = history.blocks.map(({ time }) => time)

  t.test('is equal on every chain', async (t) => {
    t.equal(print(timeless(await readAllLogs(twin.url), contracts)), print(timeless(logs, contracts)))
  })

  t.test('differs with another seed', async (t) => {
    const plan = (seed: string) => planHistory({ seed, endTime: NOW, contracts, wallets: chain.wallets })
    t.equal(print(plan('test').blocks), print(history.blocks))
    t.not(print(plan('other').blocks), print(history.blocks))
  })

  t.test('has tokens in every stage, and no failed transaction', async (t) => {
    const launchpad = getContract({ address: contracts.launchpad, abi: launchpadAbi, client })
    const tokens = history.tokens.map(({ address }) => address)
    t.equal(await launchpad.read.launchCount(), BigInt(tokens.length))
    const curves = await Promise.all(tokens.map((token) => launchpad.read.curves([token])))
    const progress = curves.map(({ realQuote, targetQuote }) => Number((realQuote * 1_000n) / targetQuote) / 1_000)
    const count = (isIt: (curve: (typeof curves)[number], at: number) => boolean) =>
      curves.filter((curve, index) => isIt(curve, progress[index] ?? 0)).length
    t.ok(tokens.length >= 12)
    t.ok(count(({ status }, at) => status === 1 && at === 0) >= 1, 'one that nobody has bought')
    t.ok(count(({ status }, at) => status === 1 && at > 0.1 && at < 0.9) >= 4, 'some on their way')
    t.equal(
      count(({ status }, at) => status === 1 && at >= 0.95),
      1,
      'one that is nearly complete',
    )
    t.equal(
      count(({ status }) => status === 2),
      1,
      'one that is complete',
    )
    t.equal(
      count(({ status }) => status === 3),
      3,
      'three in their pools',
    )

    const numbers = Array.from({ length: Number(await client.getBlockNumber()) }, (_, index) => index + 1)
    const receipts = await callNodeAll<{ status: string }[]>(
      chain.url,
      numbers.map((number) => ['eth_getBlockReceipts', [`0x${number.toString(16)}`]] as const),
    )
    t.ok(receipts.flat().length > 380, `${receipts.flat().length} transactions`)
    t.ok(receipts.flat().every(({ status }) => status === '0x1'))
  })

  t.test('has pools that pay their stakers, and stakers in every state', async (t) => {
    const staking = getContract({ address: contracts.feeStaking, abi: feeStakingAbi, client })
    const pools = await Promise.all([1n, 2n].map((id) => staking.read.pool([id])))
    for (const pool of pools) {
      t.ok(pool.totalStaked > 0n)
      t.ok(pool.totalFunded > 0n)
      t.ok(pool.periodFinish > BigInt(NOW), 'it is still paying')
    }
    t.ok((pools[0]?.totalPaid ?? 0n) > 0n)
    const events = parseEventLogs({ abi: feeStakingAbi, logs: logs as never }).map(({ eventName }) => eventName)
    const names = ['Staked', 'UnstakeRequested', 'Withdrawn', 'RewardPaid', 'Funded']
    t.same(new Set(names.filter((name) => !(events as string[]).includes(name))), new Set())
  })

  t.test('has a raise in every status, and a proposal under vote', async (t) => {
    const raises = getContract({ address: contracts.raises, abi: raisesAbi, client })
    const count = Number(await raises.read.raiseCount())
    const statuses = await Promise.all(
      Array.from({ length: count }, (_, index) => raises.read.status([BigInt(index + 1)])),
    )
    t.same(statuses.toSorted(), [1, 2, 3, 4, 5, 6, 7])
    const [executed, open] = [await raises.read.proposalState([1n]), await raises.read.proposalState([2n])]
    t.same([executed, open], [5, 2], 'one executed, one active')
    const { forVotes, abstainVotes } = await raises.read.proposal([2n])
    t.ok(forVotes > 0n && abstainVotes > 0n)
  })

  t.test('is spread over three days, more densely towards its end now', async (t) => {
    const { timestamp } = await client.getBlock()
    t.equal(timestamp, BigInt(NOW), 'the time of the chain is now')
    t.ok(times.length <= 300, 'few blocks')
    t.ok((times[0] ?? 0) <= NOW - 0.97 * HISTORY_SECONDS)
    const gaps = times.map((time, index) => time - (times[index - 1] ?? time))
    t.ok(Math.max(...gaps) < 3 * HOUR)
    t.ok(times.filter((time) => time > NOW - 6 * HOUR).length >= 40)
    t.ok(times.filter((time) => time > NOW - 300).length >= 2, 'something in the last five minutes')
  })

  t.test('has hundreds of buys and sells, on curves and in pools', async (t) => {
    const onCurve = parseEventLogs({ abi: launchpadAbi, logs: logs as never })
    const buys = onCurve.filter(({ eventName }) => eventName === 'CurveBuy').length
    const sells = onCurve.filter(({ eventName }) => eventName === 'CurveSell').length
    const swaps = parseEventLogs({ abi: uniswapV2PairAbi, logs: logs as never, eventName: 'Swap' })
    t.equal(buys + sells + swaps.length, history.trades)
    t.ok(history.trades >= 380 && history.trades <= 500, `${history.trades} trades`)
    t.ok(sells >= 60, `${sells} sales on curves`)
    t.ok(swaps.length >= 60, `${swaps.length} swaps`)
    const traders = new Set(onCurve.flatMap(({ args }) => ('trader' in args ? [args.trader] : [])))
    t.ok(traders.size >= 15)
    t.ok(
      [...traders].every((trader) => chain.wallets.includes(trader.toLowerCase() as Address)),
      'all by accounts of the node',
    )
  })

  t.test('has plain transfers, also to unknown wallets, and claims of fees', async (t) => {
    const involved = new Set([contracts.launchpad, contracts.uniswapRouter].map((address) => address.toLowerCase()))
    const traded = new Set(
      logs.filter(({ address }) => involved.has(address)).map(({ transactionHash }) => transactionHash),
    )
    const swapped = new Set(
      parseEventLogs({ abi: uniswapV2PairAbi, logs: logs as never, eventName: 'Swap' }).map(
        ({ transactionHash }) => transactionHash,
      ),
    )
    const plain = parseEventLogs({ abi: erc20Abi, logs: logs as never, eventName: 'Transfer' }).filter(
      ({ transactionHash }) => !traded.has(transactionHash as never) && !swapped.has(transactionHash),
    )
    t.ok(plain.length >= 10, `${plain.length} transfers`)
    t.ok(plain.some(({ args }) => !chain.wallets.includes(args.to.toLowerCase() as Address)))
    const events = parseEventLogs({ abi: launchpadAbi, logs: logs as never }).map(({ eventName }) => eventName)
    t.ok(events.includes('CreatorFeeClaimed'))
    t.ok(events.includes('ProtocolFeeClaimed'))
  })

  t.test('has USD prices before the first launch and after it', async (t) => {
    const prices = parseEventLogs({ abi: priceFeedAbi, logs: logs as never, eventName: 'AnswerUpdated' })
    const [launch] = parseEventLogs({ abi: launchpadAbi, logs: logs as never, eventName: 'CurveCreate' })
    const answers = prices.map(({ args }) => Number(args.current) / 1e8)
    t.ok(prices.filter(({ blockNumber }) => Number(blockNumber) > Number(launch?.blockNumber)).length >= 20)
    t.ok(prices.filter(({ blockNumber }) => Number(blockNumber) <= Number(launch?.blockNumber)).length >= 2)
    t.ok(answers.every((answer) => answer > 2_000 && answer < 4_000))
    t.ok(new Set(answers).size > 15)
  })

  t.test('has a repeated symbol, names in other scripts and readable metadata', async (t) => {
    const created = parseEventLogs({ abi: launchpadAbi, logs: logs as never, eventName: 'CurveCreate' })
    const symbols = created.map(({ args }) => args.symbol)
    t.equal(symbols.length - new Set(symbols).size, 1, 'one symbol twice')
    t.ok(
      symbols.some((symbol) => !/\p{Script=Latin}/u.test(symbol)),
      'one without a Latin letter',
    )
    for (const { args } of created) {
      const { contractURI, name, token } = args
      t.ok(Buffer.byteLength(contractURI) <= 512)
      t.equal(
        await client.readContract({ address: token, abi: launchTokenAbi, functionName: 'contractURI' }),
        contractURI,
      )
      if (/^ipfs:\/\/b[a-z2-7]{58}$/.test(contractURI)) continue
      const [prefix, base64 = ''] = contractURI.split(',')
      t.equal(prefix, 'data:application/json;base64')
      const metadata = JSON.parse(Buffer.from(base64, 'base64').toString())
      t.match(metadata, { name, description: /\S/, image: /^data:image\/svg\+xml,%3Csvg / })
    }
  })
})
