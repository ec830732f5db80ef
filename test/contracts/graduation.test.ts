import t from 'tap'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContract,
  type Hex,
  parseEther,
  type TransactionReceipt,
} from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { initialVirtualToken, totalSupply } from '../../chain/curve.ts'
import { reentererAbi } from '../../contracts/artifacts/abi/reenterer.ts'
import launchpadArtifact from '../../contracts/artifacts/Launchpad.json' with { type: 'json' }
import reentererArtifact from '../../contracts/artifacts/Reenterer.json' with { type: 'json' }
import { GRADUATING_GAS, GRADUATION_BOUNTY } from '../support/chain-fixture.ts'
import { never, rejectsWith, startTestChain } from './fixtures/chain.ts'
import { makeLaunch } from './fixtures/launches.ts'

const chain = await startTestChain(t)
const { pad, accounts, mine, launch, factory, wrapped, weth } = chain
const [owner, creator, alice, bob] = accounts
const dead = '0x000000000000000000000000000000000000dEaD'

/** The pair's reserves as [quote, token]. */
async function readReserves(pool: Address, token: Address) {
  const [reserve0, reserve1] = await chain.pair(pool).read.getReserves()
  return BigInt(token) < BigInt(weth) ? [reserve1, reserve0] : [reserve0, reserve1]
}

/** Without the gas to graduate it. */
async function completeCurve() {
  const { token } = await launch(creator, parseEther('0.5'))
  const buy = pad.write.buy([token, alice, 0n, never], { account: alice, value: parseEther('7'), gas: 1_000_000n })
  await mine(buy)
  return token
}

const graduate = async (token: Address) => readGraduation(await mine(pad.write.graduate([token], { account: bob })))

function readGraduation(receipt: TransactionReceipt) {
  const events = chain.events(receipt)
  const event = events.find(({ eventName }) => eventName === 'CurveGraduate')
  if (event?.eventName !== 'CurveGraduate') throw new Error('no CurveGraduate')
  const paid = events.find(({ eventName }) => eventName === 'GraduationBountyPaid')
  return { ...event.args, paid: paid?.eventName === 'GraduationBountyPaid' ? paid.args : null }
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

t.test('a buy that completes the curve graduates the token if it has the gas, and gets the bounty', async (t) => {
  const { token } = await launch(creator)
  const [before, fees] = [await chain.balance(alice), await pad.read.protocolFees()]
  const options = { account: alice, value: parseEther('7'), gas: GRADUATING_GAS }
  const receipt = await mine(pad.write.buy([token, alice, 0n, never], options))
  t.strictSame(
    chain.events(receipt).map(({ eventName }) => eventName),
    ['CurveBuy', 'CurveCompleted', 'CurveGraduate', 'GraduationBountyPaid'],
  )
  const { pool, quoteLiquidity, tokenLiquidity, paid } = readGraduation(receipt)
  t.strictSame(await readReserves(pool, token), [quoteLiquidity, tokenLiquidity])
  t.match(paid, { token, recipient: alice, amount: GRADUATION_BOUNTY })
  const [buy] = chain.events(receipt)
  if (buy?.eventName !== 'CurveBuy') throw new Error('no CurveBuy')
  const { quoteIn, protocolFee, tokenOut } = buy.args
  const spent = before - (await chain.balance(alice)) - receipt.gasUsed * receipt.effectiveGasPrice
  t.equal(spent, quoteIn - GRADUATION_BOUNTY, 'the rest of the seven coins is refunded')
  t.equal(await pad.read.protocolFees(), fees + protocolFee - GRADUATION_BOUNTY)
  t.equal(await chain.token(token).read.balanceOf([alice]), tokenOut)
  await rejectsWith(t, pad.simulate.graduate([token]), 'CurveNotCompleted', 'it has graduated')
})

t.test('a launch whose first buy completes the curve graduates the token and gets the bounty', async (t) => {
  const [targetQuote, protocolFeeBps, creatorFeeBps] = await pad.read.defaults()
  const terms = { targetQuote, protocolFeeBps, creatorFeeBps }
  const options = { account: creator, value: parseEther('7'), gas: GRADUATING_GAS }
  const receipt = await mine(pad.write.create([makeLaunch('Ketch', 'KTCH', { terms })], options))
  const { token, paid } = { ...readGraduation(receipt) }
  t.match(await pad.read.curves([token]), { status: 3 })
  t.match(paid, { recipient: creator, amount: GRADUATION_BOUNTY })
})

t.test('the account that calls graduate later gets the bounty', async (t) => {
  const token = await completeCurve()
  t.match(await pad.read.curves([token]), { status: 2 }, 'the buy had too little gas')
  const before = await chain.balance(bob)
  const receipt = await mine(pad.write.graduate([token], { account: bob }))
  t.match(readGraduation(receipt).paid, { token, recipient: bob, amount: GRADUATION_BOUNTY })
  t.equal(await chain.balance(bob), before + GRADUATION_BOUNTY - receipt.gasUsed * receipt.effectiveGasPrice)
})

t.test('a failed graduation does not revert the buy that completes the curve', async (t) => {
  const { token } = await launch(creator)
  const address = factory.address
  const code = await chain.publicClient.getCode({ address })
  // INVALID takes all the gas that it gets.
  await chain.testClient.setCode({ address, bytecode: '0xfe' })
  const options = { account: alice, value: parseEther('7'), gas: GRADUATING_GAS }
  const receipt = await mine(pad.write.buy([token, alice, 0n, never], options))
  t.strictSame(
    chain.events(receipt).map(({ eventName }) => eventName),
    ['CurveBuy', 'CurveCompleted'],
  )
  t.match(await pad.read.curves([token]), { status: 2, realToken: 0n })
  await chain.testClient.setCode({ address, bytecode: code! })
  t.equal((await graduate(token)).quoteLiquidity, parseEther('6'))
})

t.test('a buyer contract that rejects coins graduates the token without a bounty', async (t) => {
  const buyer = await chain.deploy(reentererAbi, reentererArtifact, [], parseEther('10'))
  const contract = getContract({ address: buyer, abi: reentererAbi, client: chain.walletClient })
  await mine(contract.write.setRefusing([true]))
  const { token } = await launch(creator)
  const [, , , refund] = await pad.read.quoteBuy([token, parseEther('7')])
  const value = parseEther('7') - refund
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'buy', args: [token, buyer, 0n, never] })
  const [fees, gas] = [await pad.read.protocolFees(), GRADUATING_GAS + 200_000n]
  const receipt = await mine(contract.write.execute([pad.address, value, data], { gas }))
  t.equal(readGraduation(receipt).paid, null)
  const [buy] = chain.events(receipt)
  if (buy?.eventName !== 'CurveBuy') throw new Error('no CurveBuy')
  t.equal(await pad.read.protocolFees(), fees + buy.args.protocolFee, 'it stays with the fees')
})

t.test('claims of protocol fees leave one bounty, and without fees there is none', async (t) => {
  await mine(pad.write.claimProtocolFee({ account: bob }))
  t.equal(await pad.read.protocolFees(), GRADUATION_BOUNTY)
  t.equal(await pad.read.claimableProtocolFees(), 0n)
  await rejectsWith(t, pad.simulate.claimProtocolFee(), 'NothingToClaim')
  await mine(pad.write.setDefaults([parseEther('6'), 0, 50], { account: owner }))
  const [first, second] = [await completeCurve(), await completeCurve()]
  t.match((await graduate(first)).paid, { amount: GRADUATION_BOUNTY }, 'the one that was left')
  t.equal((await graduate(second)).paid, null)
  t.equal(await pad.read.protocolFees(), 0n)
  await mine(pad.write.setDefaults([parseEther('6'), 100, 50], { account: owner }))
  const { token } = await launch(creator, 10n ** 13n)
  t.equal(await pad.read.protocolFees(), 10n ** 11n, 'less than a bounty')
  await mine(pad.write.buy([token, alice, 0n, never], { account: alice, value: 10n ** 13n }))
  t.equal(await pad.read.claimableProtocolFees(), 0n)
})

t.test('only the launchpad can call graduateInBuy', async (t) => {
  const token = await completeCurve()
  await rejectsWith(t, pad.simulate.graduateInBuy([token], { account: owner }), 'OnlyLaunchpad')
})

t.test('the smallest target is a hundred times the bounty, and at least 0.001 coins', async (t) => {
  const { walletClient, uniswapFactory } = chain
  const hash = await pad.read.pairInitCodeHash()
  const create = (bounty: bigint) => {
    const args = [owner, owner, weth, uniswapFactory, hash, bounty] as const
    const data = encodeDeployData({ abi: launchpadAbi, bytecode: launchpadArtifact.bytecode as Hex, args })
    return walletClient.sendTransaction({ data, gas: 8_000_000n })
  }
  const read = async (bounty: bigint) => {
    const { contractAddress: address } = await mine(create(bounty))
    const other = getContract({ address: address!, abi: launchpadAbi, client: chain.publicClient })
    const [target] = await other.read.defaults()
    return { smallest: await other.read.MIN_TARGET(), target, bounty: await other.read.graduationBounty() }
  }
  const [least, six] = [10n ** 15n, parseEther('6')]
  t.strictSame(await read(0n), { smallest: least, target: six, bounty: 0n })
  t.strictSame(await read(10n ** 13n + 1n), { smallest: least + 100n, target: six, bounty: 10n ** 13n + 1n })
  const large = parseEther('0.07')
  t.strictSame(await read(large), { smallest: parseEther('7'), target: parseEther('7'), bounty: large })
  await t.rejects(mine(create(parseEther('10000') + 1n)), /reverted/)
})

t.test('graduating an open curve is rejected', async (t) => {
  const { token } = await launch(creator, parseEther('1'))
  await rejectsWith(t, pad.simulate.graduate([token]), 'CurveNotCompleted')
})

t.test('a pair created in advance does not block graduation', async (t) => {
  const token = await completeCurve()
  await mine(factory.write.createPair([weth, token], { account: bob }))
  const { pool, quoteLiquidity, tokenLiquidity } = await graduate(token)
  t.strictSame(await readReserves(pool, token), [quoteLiquidity, tokenLiquidity])
})

t.test('coins sent to the pair in advance do not block graduation, and are burnt as liquidity', async (t) => {
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

t.test('before graduation no token can be sent to the pair, and afterwards any can', async (t) => {
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

t.test('a transfer of tokens to the launchpad is rejected', async (t) => {
  const { token } = await launch(creator, parseEther('1'))
  const transfer = chain.token(token).simulate.transfer([pad.address, 1n], { account: creator })
  await rejectsWith(t, transfer, 'TransferToLaunchpad')
})

t.test('for every target at most four fifths are sold, and the price does not jump at graduation', async (t) => {
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
