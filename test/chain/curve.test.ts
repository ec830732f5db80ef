import fc from 'fast-check'
import t from 'tap'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseEther } from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import {
  type Curve,
  CurveError,
  getAmountOut,
  initialVirtualToken,
  newCurve,
  nominalSaleSupply,
  quoteBuy,
  quoteSell,
} from '../../chain/curve.ts'
import { predictToken } from '../../chain/token-address.ts'
import { batcherAbi } from '../../contracts/artifacts/abi/batcher.ts'
import batcherArtifact from '../../contracts/artifacts/Batcher.json' with { type: 'json' }
import { never, rejectsWith, startTestChain } from '../contracts/fixtures/chain.ts'
import { makeLaunch } from '../contracts/fixtures/launches.ts'

const seed = 20_261_121

/** A step is a share, in billionths, of what is missing to the target (buys) or of what the trader holds (sells). */
type Step = { side: 'buy' | 'sell'; share: number; extra: number }
type Trade = {
  side: 'buy' | 'sell'
  amount: bigint
  before: Curve
  after: Curve
  out: bigint
  fees: [bigint, bigint]
  refund: bigint
}

const terms = fc.record({
  target: fc.oneof(fc.bigInt(10n ** 15n, 10n ** 20n), fc.constantFrom(10n ** 15n, 6n * 10n ** 18n, 10n ** 24n)),
  protocolFeeBps: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })),
  creatorFeeBps: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })),
})
const steps = fc.array(
  fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    share: fc.oneof(fc.integer({ min: 0, max: 10 ** 9 }), fc.constantFrom(0, 1, 999_999_999, 10 ** 9)),
    extra: fc.integer({ min: 0, max: 1_000 }),
  }),
  { minLength: 1, maxLength: 12 },
)

/** Plays steps on the model, and sells what is left at the end. Steps that the curve rejects are skipped. */
function play(start: Curve, walk: Step[]): Trade[] {
  const trades: Trade[] = []
  let curve = start
  let held = 0n
  const trade = (side: 'buy' | 'sell', amount: bigint) => {
    try {
      const before = curve
      if (side === 'buy') {
        const { tokenOut, refund, protocolFee, creatorFee, after } = quoteBuy(curve, amount)
        trades.push({ side, amount, before, after, out: tokenOut, fees: [protocolFee, creatorFee], refund })
        curve = after
        held += tokenOut
      } else {
        const { quoteOut, protocolFee, creatorFee, after } = quoteSell(curve, amount)
        trades.push({ side, amount, before, after, out: quoteOut, fees: [protocolFee, creatorFee], refund: 0n })
        curve = after
        held -= amount
      }
    } catch (error) {
      if (!(error instanceof CurveError)) throw error
    }
  }
  for (const { side, share, extra } of walk) {
    const whole = side === 'buy' ? curve.targetQuote - curve.realQuote : held
    const amount = (whole * BigInt(share)) / 10n ** 9n + BigInt(extra)
    trade(side, side === 'sell' && amount > held ? held : amount)
  }
  trade('sell', held)
  return trades
}

t.test('rounding favours the curve at every step, for any order of trades', (t) => {
  const property = fc.property(terms, steps, ({ target, protocolFeeBps, creatorFeeBps }, walk) => {
    const start = newCurve(target, protocolFeeBps, creatorFeeBps)
    let paidIn = 0n
    let paidOut = 0n
    for (const { side, amount, before, after, out, fees, refund } of play(start, walk)) {
      if (side === 'buy') paidIn += amount - refund
      else paidOut += out
      if (after.virtualQuote * after.virtualToken < before.virtualQuote * before.virtualToken && after.realToken > 0n) {
        throw new Error('the product fell')
      }
      const moved = side === 'buy' ? amount - refund : out + fees[0] + fees[1]
      const ceil = (bps: number) => (moved * BigInt(bps) + 9_999n) / 10_000n
      if (fees[0] !== ceil(protocolFeeBps) || fees[1] !== ceil(creatorFeeBps)) throw new Error('a fee was rounded down')
      if (after.realQuote < 0n || after.realToken < 0n) throw new Error('a reserve is negative')
      if (after.virtualQuote - after.realQuote !== start.virtualQuote) throw new Error('quote reserves drifted apart')
      if (after.virtualToken - after.realToken !== start.virtualToken - start.realToken)
        throw new Error('token reserves')
      if (paidOut > paidIn) throw new Error('more came out than went in')
    }
  })
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 5_000 }))
  t.end()
})

t.test('every curve can be completed, from any state and to the last wei', (t) => {
  const property = fc.property(terms, steps, ({ target, protocolFeeBps, creatorFeeBps }, walk) => {
    const last = play(newCurve(target, protocolFeeBps, creatorFeeBps), walk).at(-1)
    const curve = last?.after ?? newCurve(target, protocolFeeBps, creatorFeeBps)
    if (curve.realQuote === target) return
    const { tokenOut, quoteIn, refund, after, completes } = quoteBuy(curve, target * 2n)
    if (!completes || after.realQuote !== target || after.realToken !== 0n) throw new Error('not completed')
    if (tokenOut !== curve.realToken || quoteIn + refund !== target * 2n) throw new Error('amounts do not add up')
    const exact = quoteBuy(curve, quoteIn)
    if (!exact.completes || exact.refund !== 0n || exact.tokenOut !== tokenOut)
      throw new Error('the exact amount fails')
    if (quoteBuy(curve, quoteIn - 1n).completes) throw new Error('one wei less would have done')
    if (initialVirtualToken - after.virtualToken > nominalSaleSupply) throw new Error('too much was sold')
  })
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 2_000 }))
  t.end()
})

t.test('the model rejects the same calls as the contract, with the same errors', async (t) => {
  const { pad, launch, accounts, token: tokenAt } = await startTestChain(t)
  const { token } = await launch(accounts[1], parseEther('1'))
  const curve: Curve = await pad.read.curves([token])
  const held = await tokenAt(token).read.balanceOf([accounts[1]])
  for (const amount of [0n, 1n, 2n, 2n ** 128n]) {
    const code = catchCode(() => quoteBuy(curve, amount))
    t.ok(code, `buy of ${amount}`)
    await rejectsWith(t, pad.read.quoteBuy([token, amount]), code!)
  }
  for (const amount of [0n, 1n, held + 1n]) {
    const code = catchCode(() => quoteSell(curve, amount))
    t.ok(code, `sell of ${amount}`)
    await rejectsWith(t, pad.read.quoteSell([token, amount]), code!)
  }
  const { token: completed } = await launch(accounts[1], parseEther('9'))
  const closed: Curve = await pad.read.curves([completed])
  t.equal(
    catchCode(() => quoteBuy(closed, 1n)),
    'CurveClosed',
  )
  t.equal(
    catchCode(() => quoteSell(closed, 10n ** 18n)),
    'CurveClosed',
  )
  await rejectsWith(t, pad.read.quoteSell([completed, 10n ** 18n]), 'CurveClosed')
})

t.test('the model equals the contract to the last unit, and the contract stays solvent', async (t) => {
  const chain = await startTestChain(t, { extraArgs: ['--gas-limit', '1000000000'] })
  const { pad, publicClient, walletClient, mine } = chain
  const batcher = await chain.deploy(batcherAbi, batcherArtifact)
  await chain.testClient.setBalance({ address: chain.accounts[0], value: 10n ** 30n })
  const run = { address: batcher, abi: batcherAbi, functionName: 'run' } as const
  // The batcher owns the launchpad, so that one transaction can launch under many terms.
  await mine(pad.write.transferOwnership([batcher]))
  const accept = encodeFunctionData({ abi: launchpadAbi, functionName: 'acceptOwnership' })
  await mine(walletClient.writeContract({ ...run, args: [[toCall(pad.address, accept)]] }))
  let compared = 0
  let owed = 0n

  const property = fc.asyncProperty(
    fc.array(fc.tuple(terms, steps), { minLength: 20, maxLength: 20 }),
    async (walks) => {
      const sequences = walks.map(([{ target, protocolFeeBps, creatorFeeBps }, walk]) => {
        const trades = play(newCurve(target, protocolFeeBps, creatorFeeBps), walk)
        const launch = makeLaunch('P', 'P', { terms: { targetQuote: target, protocolFeeBps, creatorFeeBps } })
        const token = predictToken(pad.address, batcher, launch.salt)
        const setup = [
          toCall(
            pad.address,
            encodeFunctionData({
              abi: launchpadAbi,
              functionName: 'setDefaults',
              args: [target, protocolFeeBps, creatorFeeBps],
            }),
          ),
          toCall(pad.address, encodeFunctionData({ abi: launchpadAbi, functionName: 'create', args: [launch] })),
        ]
        const calls = [...setup, ...trades.flatMap((trade) => toCalls(pad.address, batcher, token, trade))]
        return { token, trades, calls }
      })
      const all = sequences.flatMap(({ calls }) => calls)
      const value = all.reduce((sum, call) => sum + call.value, 0n)
      const request = { ...run, args: [all], value, gas: 500_000_000n } as const
      const { result } = await publicClient.simulateContract({ ...request, account: chain.accounts[0] })
      const before = await chain.balance(batcher)
      await mine(walletClient.writeContract(request))

      let position = 0
      for (const { token, trades, calls } of sequences) {
        const answers = result.slice(position + 2, position + calls.length)
        position += calls.length
        for (const [index, trade] of trades.entries()) {
          compareTrade(trade, ...(answers.slice(index * 3, index * 3 + 3) as [Hex, Hex, Hex]))
          compared++
        }
        const mined = await pad.read.curves([token])
        const last = trades.at(-1)
        if (last && mined.realQuote !== toState(last).realQuote) throw new Error('mined otherwise')
        owed += mined.realQuote + mined.creatorFees
      }
      const held = (await chain.balance(batcher)) - before
      if (held > value) throw new Error('the trader took out more than went in')
      const balance = await chain.balance(pad.address)
      if (balance !== owed + (await pad.read.protocolFees())) throw new Error('reserves and fees do not add up')
    },
  )
  await fc.assert(property, { seed, numRuns: 8, endOnFailure: true })
  t.ok(compared > 600, `${compared} trades compared`)
})

t.test('getAmountOut equals the router’s', async (t) => {
  const chain = await startTestChain(t)
  const amount = fc.bigInt(1n, 10n ** 30n)
  const router = { address: chain.uniswapRouter, abi: uniswapV2Router02Abi, functionName: 'getAmountOut' } as const
  const property = fc.asyncProperty(amount, amount, amount, async (...args) => {
    const expected = await chain.publicClient.readContract({ ...router, args })
    if (getAmountOut(...args) !== expected) throw new Error(`${args}: ${expected}`)
  })
  await fc.assert(property, { seed, numRuns: 100, endOnFailure: true })
  t.throws(() => getAmountOut(1n, 0n, 1n), { code: 'ZeroAmount' })
  t.throws(() => getAmountOut(0n, 1n, 1n), { code: 'ZeroAmount' })
})

function catchCode(run: () => unknown) {
  try {
    run()
  } catch (error) {
    if (error instanceof CurveError) return error.code
    throw error
  }
  return undefined
}

function toCall(target: Address, data: Hex, value = 0n) {
  return { account: '0x0000000000000000000000000000000000000000' as const, target, value, data }
}

function toCalls(pad: Address, trader: Address, token: Address, { side, amount }: Trade) {
  const state = encodeFunctionData({ abi: launchpadAbi, functionName: 'curves', args: [token] })
  if (side === 'buy') {
    const quote = encodeFunctionData({ abi: launchpadAbi, functionName: 'quoteBuy', args: [token, amount] })
    const buy = encodeFunctionData({ abi: launchpadAbi, functionName: 'buy', args: [token, trader, 0n, never] })
    return [toCall(pad, quote), toCall(pad, buy, amount), toCall(pad, state)]
  }
  const quote = encodeFunctionData({ abi: launchpadAbi, functionName: 'quoteSell', args: [token, amount] })
  const sell = encodeFunctionData({ abi: launchpadAbi, functionName: 'sell', args: [token, amount, trader, 0n, never] })
  return [toCall(pad, quote), toCall(pad, sell), toCall(pad, state)]
}

function compareTrade(trade: Trade, quoted: Hex, executed: Hex, state: Hex) {
  const expected = trade.side === 'buy' ? [trade.out, ...trade.fees, trade.refund] : [trade.out, ...trade.fees]
  const quote =
    trade.side === 'buy'
      ? decodeFunctionResult({ abi: launchpadAbi, functionName: 'quoteBuy', data: quoted })
      : decodeFunctionResult({ abi: launchpadAbi, functionName: 'quoteSell', data: quoted })
  if (quote.join() !== expected.join()) throw new Error(`the view says ${quote}, the model ${expected}`)
  const out = decodeFunctionResult({ abi: launchpadAbi, functionName: trade.side, data: executed })
  if (out !== trade.out) throw new Error(`the trade gave ${out}, the model ${trade.out}`)
  const curve = decodeFunctionResult({ abi: launchpadAbi, functionName: 'curves', data: state })
  for (const key of ['virtualQuote', 'virtualToken', 'realQuote', 'realToken'] as const) {
    const expected = toState(trade)[key]
    if (curve[key] !== expected) throw new Error(`${key} is ${curve[key]}, the model says ${expected}`)
  }
}

/** A batch has the gas for the graduation in a completing buy, which takes the coins out of the curve. */
const toState = ({ after }: Trade): Curve => (after.realToken === 0n ? { ...after, realQuote: 0n } : after)
