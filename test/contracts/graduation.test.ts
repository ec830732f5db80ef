import t from 'tap'
import { type Address, parseEther } from 'viem'
import { initialVirtualToken, totalSupply } from '../../chain/curve.ts'
import { never, rejectsWith, startTestChain } from './fixtures/chain.ts'

const chain = await startTestChain(t)
const { pad, accounts, mine, launch, factory, wrapped, weth } = chain
const [owner, creator, alice, bob] = accounts
const dead = '0x000000000000000000000000000000000000dEaD'

/** The pair's reserves as [quote, token]. */
async function readReserves(pool: Address, token: Address) {
  const [reserve0, reserve1] = await chain.pair(pool).read.getReserves()
  return BigInt(token) < BigInt(weth) ? [reserve1, reserve0] : [reserve0, reserve1]
}

async function completeCurve() {
  const { token } = await launch(creator, parseEther('0.5'))
  await mine(pad.write.buy([token, alice, 0n, never], { account: alice, value: parseEther('7') }))
  return token
}

async function graduate(token: Address) {
  const receipt = await mine(pad.write.graduate([token], { account: bob }))
  const [event] = chain.events(receipt)
  if (event?.eventName !== 'CurveGraduate') throw new Error('no CurveGraduate')
  return event.args
}

t.test('graduation opens the pool at the last price of the curve and burns the liquidity', async (t) => {
  const token = await completeCurve()
  const curve = await pad.read.curves([token])
  const { pool, quoteLiquidity, tokenLiquidity, lpBurned } = await graduate(token)
  t.equal(pool, await pad.read.pairFor([token]))
  t.equal(pool, await factory.read.getPair([token, weth]))
  t.equal(quoteLiquidity, curve.targetQuote)
  t.equal(tokenLiquidity, totalSupply / 5n, 'a fifth of the supply')
  t.strictSame(await readReserves(pool, token), [quoteLiquidity, tokenLiquidity])

  // Compared as fractions, quote over token; the difference is below one part in 10^18.
  const curvePrice = curve.virtualQuote * tokenLiquidity
  const poolPrice = quoteLiquidity * curve.virtualToken
  const difference = curvePrice > poolPrice ? curvePrice - poolPrice : poolPrice - curvePrice
  t.ok(difference * 10n ** 18n < curvePrice, 'no jump of the price')

  const lp = chain.pair(pool)
  t.equal(await lp.read.balanceOf([dead]), lpBurned)
  t.equal(await lp.read.totalSupply(), lpBurned + 1000n, 'nobody else has a share')
  t.equal(await chain.token(token).read.balanceOf([pad.address]), 0n, 'no token is left over')
  const after = await pad.read.curves([token])
  t.match(after, { status: 3, pool, realQuote: 0n, realToken: 0n })
  await rejectsWith(t, pad.simulate.graduate([token]), 'CurveNotCompleted', 'once only')
})

t.test('an open curve does not graduate', async (t) => {
  const { token } = await launch(creator, parseEther('1'))
  await rejectsWith(t, pad.simulate.graduate([token]), 'CurveNotCompleted')
})

t.test('a pair that somebody made beforehand does not block graduation', async (t) => {
  const token = await completeCurve()
  await mine(factory.write.createPair([weth, token], { account: bob }))
  const { pool, quoteLiquidity, tokenLiquidity } = await graduate(token)
  t.strictSame(await readReserves(pool, token), [quoteLiquidity, tokenLiquidity])
})

t.test('nor does one that was funded and synced, and the gift is burnt with the rest', async (t) => {
  for (const synced of [true, false]) {
    const token = await completeCurve()
    await mine(factory.write.createPair([token, weth], { account: bob }))
    const pool = await pad.read.pairFor([token])
    await mine(wrapped.write.deposit({ account: bob, value: parseEther('1') }))
    await mine(wrapped.write.transfer([pool, parseEther('1')], { account: bob }))
    if (synced) {
      await mine(chain.pair(pool).write.sync({ account: bob }))
      t.strictSame(await readReserves(pool, token), [parseEther('1'), 0n])
    }
    const { quoteLiquidity, tokenLiquidity, lpBurned } = await graduate(token)
    t.equal(quoteLiquidity, parseEther('6'), 'what the curve paid')
    t.strictSame(await readReserves(pool, token), [parseEther('7'), tokenLiquidity])
    t.equal(await chain.pair(pool).read.balanceOf([dead]), lpBurned)
    t.equal(await chain.pair(pool).read.balanceOf([bob]), 0n)
  }
})

t.test('before graduation no token enters the pair by any way, afterwards any may', async (t) => {
  const token = await completeCurve()
  const coin = chain.token(token)
  const pool = await pad.read.pairFor([token])
  const { token: open } = await launch(creator)
  const openPool = await pad.read.pairFor([open])
  await mine(coin.write.approve([bob, never], { account: alice }))
  await rejectsWith(t, coin.simulate.transfer([pool, 1n], { account: alice }), 'PoolNotOpen', 'transfer')
  await rejectsWith(t, coin.simulate.transferFrom([alice, pool, 1n], { account: bob }), 'PoolNotOpen', 'transferFrom')
  const buy = pad.simulate.buy([open, openPool, 0n, never], { account: bob, value: 10n ** 18n })
  await rejectsWith(t, buy, 'PoolNotOpen', 'recipient of a buy')
  await rejectsWith(t, coin.simulate.openPool({ account: creator }), 'OnlyLaunchpad')
  await mine(coin.write.transfer([bob, 10n ** 18n], { account: alice }))
  t.equal(await coin.read.balanceOf([bob]), 10n ** 18n, 'people may')

  await graduate(token)
  await mine(coin.write.transfer([pool, 5n], { account: alice }))
  t.equal((await coin.read.balanceOf([pool])) - totalSupply / 5n, 5n)
})

t.test('tokens are not sent to the launchpad by mistake', async (t) => {
  const { token } = await launch(creator, parseEther('1'))
  const transfer = chain.token(token).simulate.transfer([pad.address, 1n], { account: creator })
  await rejectsWith(t, transfer, 'TransferToLaunchpad')
})

t.test('for every target the sale stays within four fifths and the price does not jump', async (t) => {
  for (const target of [10n ** 15n, 10n ** 15n + 1n, 123_456_789_012_345_678n, 10n ** 24n - 1n, 10n ** 24n]) {
    await mine(pad.write.setDefaults([target, 0, 0], { account: owner }))
    await chain.testClient.setBalance({ address: bob, value: 10n ** 25n })
    const { token } = await launch(bob, target)
    const curve = await pad.read.curves([token])
    t.match(curve, { status: 2, realQuote: target, realToken: 0n })
    const sold = initialVirtualToken - curve.virtualToken
    t.ok(sold <= (totalSupply * 4n) / 5n, `${sold} sold`)
    const { quoteLiquidity, tokenLiquidity } = await graduate(token)
    const ratio = Number((curve.virtualQuote * tokenLiquidity * 10n ** 15n) / (quoteLiquidity * curve.virtualToken))
    t.ok(Math.abs(ratio / 1e15 - 1) < 1e-14, `price ratio ${ratio / 1e15}`)
  }
})
