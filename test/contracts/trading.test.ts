import t from 'tap'
import { encodeFunctionData, parseEther, toFunctionSelector, zeroAddress } from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { reentererAbi } from '../../contracts/artifacts/abi/reenterer.ts'
import reentererArtifact from '../../contracts/artifacts/Reenterer.json' with { type: 'json' }
import { never, rejectsWith, startTestChain } from './fixtures/chain.ts'
import { makeLaunch } from './fixtures/launches.ts'

const chain = await startTestChain(t)
const { pad, accounts, mine, launch, balance } = chain
const [owner, creator, alice, bob] = accounts

/** What an account's balance changes by in a transaction, gas not counted. */
async function gain(account: `0x${string}`, send: () => Promise<`0x${string}`>) {
  const before = await balance(account)
  const receipt = await mine(send())
  const gas = receipt.from === account.toLowerCase() ? receipt.gasUsed * receipt.effectiveGasPrice : 0n
  return { amount: (await balance(account)) - before + gas, receipt }
}

t.test('a buy and a sell emit both fees and the new reserves', async (t) => {
  const { token } = await launch(creator)
  const value = parseEther('1')
  const buy = await gain(alice, () => pad.write.buy([token, bob, 0n, never], { account: alice, value }))
  const bought = chain.events(buy.receipt)[0]!
  if (bought.eventName !== 'CurveBuy') return t.fail(bought.eventName)
  const afterBuy = await pad.read.curves([token])
  t.equal(buy.amount, -value)
  t.match(bought.args, {
    token,
    trader: alice,
    recipient: bob,
    quoteIn: value,
    protocolFee: 10n ** 16n,
    creatorFee: 5n * 10n ** 15n,
  })
  t.equal(await chain.token(token).read.balanceOf([bob]), bought.args.tokenOut)
  const reserves = ['virtualQuote', 'virtualToken', 'realQuote', 'realToken'] as const
  for (const key of reserves) t.equal(bought.args[key], afterBuy[key], `${key} after the buy`)
  t.equal(afterBuy.realQuote, value - 15n * 10n ** 15n)

  const tokenIn = bought.args.tokenOut / 2n
  const sell = await gain(alice, () => pad.write.sell([token, tokenIn, alice, 0n, never], { account: bob }))
  const sold = chain.events(sell.receipt)[0]!
  if (sold.eventName !== 'CurveSell') return t.fail(sold.eventName)
  const afterSell = await pad.read.curves([token])
  t.match(sold.args, { token, trader: bob, recipient: alice, tokenIn, quoteOut: sell.amount })
  for (const key of reserves) t.equal(sold.args[key], afterSell[key], `${key} after the sell`)
  const { quoteOut, protocolFee, creatorFee } = sold.args
  t.equal(afterBuy.realQuote - afterSell.realQuote, quoteOut + protocolFee + creatorFee)
  t.equal(await chain.token(token).read.balanceOf([bob]), bought.args.tokenOut - tokenIn)
})

t.test('a sell takes tokens from its sender only', async (t) => {
  const { token } = await launch(creator, parseEther('1'))
  await mine(pad.write.buy([token, alice, 0n, never], { account: alice, value: parseEther('1') }))
  const coin = chain.token(token)
  const held = await coin.read.balanceOf([creator])
  await mine(coin.write.approve([pad.address, never], { account: creator }))
  await mine(pad.write.sell([token, 10n ** 20n, creator, 0n, never], { account: alice }))
  t.equal(await coin.read.balanceOf([creator]), held, 'an allowance for the launchpad is of no use to others')
})

t.test('a sell needs the balance, and no allowance', async (t) => {
  const { token } = await launch(creator, parseEther('1'))
  const sell = (account: typeof alice) => pad.simulate.sell([token, 10n ** 20n, account, 0n, never], { account })
  t.equal(await chain.token(token).read.allowance([creator, pad.address]), 0n)
  await t.resolves(sell(creator))
  await rejectsWith(t, sell(alice), 'ERC20InsufficientBalance')
})

t.test('the last buy is clipped to the target and its excess refunded, to the wei', async (t) => {
  for (const [protocolBps, creatorBps, first] of [
    [100, 50, '1.234567890123456789'],
    [0, 0, '0.7'],
    [500, 500, '5.000000000000000007'],
    [333, 667, '0'],
  ] as const) {
    await mine(pad.write.setDefaults([parseEther('6') + 1n, protocolBps, creatorBps], { account: owner }))
    const { token } = await launch(creator, parseEther(first))
    const { targetQuote, realQuote, realToken } = await pad.read.curves([token])
    const value = parseEther('50')
    const [tokenOut, protocolFee, creatorFee, refund] = await pad.read.quoteBuy([token, value])
    const { amount, receipt } = await gain(alice, () =>
      pad.write.buy([token, bob, 0n, never], { account: alice, value }),
    )
    const [buy, completed] = chain.events(receipt)
    const paid = targetQuote - realQuote + protocolFee + creatorFee
    t.equal(-amount, paid, 'the trader pays what was missing and the fees on it')
    t.equal(refund, value - paid)
    t.equal(tokenOut, realToken)
    t.match(buy!.args, { quoteIn: paid, tokenOut, protocolFee, creatorFee, realQuote: targetQuote, realToken: 0n })
    t.match(completed, { eventName: 'CurveCompleted', args: { token, realQuote: targetQuote, realToken: 0n } })
    t.equal((await pad.read.curves([token])).status, 2)
    // One wei less would not have completed it, so nobody is overcharged.
    const ceil = (gross: bigint, bps: number) => (gross * BigInt(bps) + 9_999n) / 10_000n
    const net = paid - 1n - ceil(paid - 1n, protocolBps) - ceil(paid - 1n, creatorBps)
    t.ok(net < targetQuote - realQuote, 'the smallest payment that completes')
  }
  await mine(pad.write.setDefaults([parseEther('6'), 100, 50], { account: owner }))
})

t.test('trades of a completed curve or an unknown token are rejected', async (t) => {
  const { token } = await launch(creator, parseEther('10'))
  const options = { account: creator, value: 10n ** 18n }
  await rejectsWith(t, pad.simulate.buy([token, creator, 0n, never], options), 'CurveClosed')
  await rejectsWith(t, pad.simulate.sell([token, 10n ** 18n, creator, 0n, never], { account: creator }), 'CurveClosed')
  await rejectsWith(t, pad.read.quoteBuy([token, 1n]), 'CurveClosed')
  await rejectsWith(t, pad.simulate.buy([bob, creator, 0n, never], options), 'UnknownToken')
  await rejectsWith(t, pad.simulate.graduate([bob]), 'UnknownToken')
})

t.test('trades beyond their slippage or deadline, or to an invalid recipient, are rejected', async (t) => {
  const { token } = await launch(creator, parseEther('1'))
  const value = 10n ** 17n
  const tokenIn = 10n ** 24n
  const [tokenOut] = await pad.read.quoteBuy([token, value])
  const [quoteOut] = await pad.read.quoteSell([token, tokenIn])
  const { timestamp } = await chain.publicClient.getBlock()
  const buy = (to: typeof bob, minimum: bigint, deadline: bigint) =>
    pad.simulate.buy([token, to, minimum, deadline], { account: bob, value })
  const sell = (to: typeof bob, minimum: bigint, deadline: bigint) =>
    pad.simulate.sell([token, tokenIn, to, minimum, deadline], { account: creator })
  await t.resolves(buy(bob, tokenOut, never))
  await rejectsWith(t, buy(bob, tokenOut + 1n, never), 'Slippage')
  await t.resolves(sell(bob, quoteOut, never))
  await rejectsWith(t, sell(bob, quoteOut + 1n, never), 'Slippage')
  await t.resolves(buy(bob, 0n, timestamp + 600n))
  await rejectsWith(t, buy(bob, 0n, timestamp - 1n), 'Expired')
  await rejectsWith(t, sell(bob, 0n, timestamp - 1n), 'Expired')
  await rejectsWith(t, buy(zeroAddress, 0n, never), 'InvalidRecipient')
  await rejectsWith(t, buy(pad.address, 0n, never), 'InvalidRecipient')
  await rejectsWith(t, sell(zeroAddress, 0n, never), 'InvalidRecipient')
})

t.test('trades with zero, too small or too large amounts are rejected', async (t) => {
  const { token } = await launch(creator, parseEther('1'))
  const sold = await chain.token(token).read.balanceOf([creator])
  await rejectsWith(t, pad.read.quoteBuy([token, 0n]), 'ZeroAmount')
  await rejectsWith(t, pad.read.quoteBuy([token, 2n]), 'ZeroOutput', 'the fees take all')
  await rejectsWith(t, pad.read.quoteBuy([token, 2n ** 128n]), 'AmountTooLarge')
  await rejectsWith(t, pad.read.quoteSell([token, 0n]), 'ZeroAmount')
  await rejectsWith(t, pad.read.quoteSell([token, 1n]), 'ZeroOutput')
  await rejectsWith(t, pad.read.quoteSell([token, sold + 1n]), 'ExceedsSold')
})

t.test('fees and reserves add up to the balance, and each party claims its own', async (t) => {
  const tokens = [await launch(alice, parseEther('0.3')), await launch(creator, parseEther('2'))].map((l) => l.token)
  const before = await pad.read.protocolFees()
  await mine(pad.write.buy([tokens[0]!, bob, 0n, never], { account: bob, value: parseEther('1') }))
  await mine(pad.write.buy([tokens[1]!, bob, 0n, never], { account: bob, value: parseEther('9') }))
  t.ok((await pad.read.protocolFees()) > before)
  const creatorFees = await Promise.all(tokens.map(async (token) => (await pad.read.curves([token])).creatorFees))

  const claim = await gain(alice, () => pad.write.claimCreatorFee([tokens[0]!], { account: bob }))
  t.equal(claim.amount, creatorFees[0])
  t.match(chain.events(claim.receipt)[0], {
    eventName: 'CreatorFeeClaimed',
    args: { token: tokens[0]!, recipient: alice },
  })
  await rejectsWith(t, pad.simulate.claimCreatorFee([tokens[0]!], { account: alice }), 'NothingToClaim')

  const protocolFees = await pad.read.claimableProtocolFees()
  const paid = await gain(chain.feeRecipient, () => pad.write.claimProtocolFee({ account: bob }))
  t.equal(paid.amount, protocolFees)
  await rejectsWith(t, pad.simulate.claimProtocolFee({ account: bob }), 'NothingToClaim')

  // Every curve of this file: what the contract holds is what it owes, no more and no less.
  const logs = await chain.publicClient.getContractEvents({ ...pad, eventName: 'CurveCreate', fromBlock: 0n })
  const curves = await Promise.all(logs.map((log) => pad.read.curves([log.args.token!])))
  const owed = curves.reduce((sum, curve) => sum + curve.realQuote + curve.creatorFees, 0n)
  t.equal(await balance(pad.address), owed + (await pad.read.protocolFees()))
})

t.test('a refund, a sale or a claim does not allow re-entrancy', async (t) => {
  const address = await chain.deploy(reentererAbi, reentererArtifact, [], parseEther('100'))
  const call = { address, abi: reentererAbi, account: bob } as const
  const write = (functionName: 'arm' | 'execute', target: typeof bob, value: bigint, data: `0x${string}`) =>
    mine(chain.walletClient.writeContract({ ...call, functionName, args: [target, value, data] }))
  const read = (functionName: 'attempted' | 'succeeded' | 'result') =>
    chain.publicClient.readContract({ ...call, functionName })
  const encode = (functionName: 'buy' | 'sell' | 'claimCreatorFee' | 'create', args: unknown[]) =>
    encodeFunctionData({ abi: launchpadAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  const guard = toFunctionSelector('ReentrancyGuardReentrantCall()')
  const attack = async (inner: [bigint, `0x${string}`], outer: [bigint, `0x${string}`], what: string) => {
    await write('arm', pad.address, ...inner)
    await write('execute', pad.address, ...outer)
    t.equal(await read('attempted'), true, `${what}: it was paid and tried`)
    t.equal(await read('succeeded'), false, `${what}: it failed`)
    t.equal(await read('result'), guard, `${what}: for the guard's sake`)
  }
  const { token } = await launch(bob)
  const ether = parseEther('1')
  await write('execute', pad.address, parseEther('0.1'), encode('create', [makeLaunch('Own', 'OWN')]))
  const logs = await chain.publicClient.getContractEvents({ ...pad, eventName: 'CurveCreate', fromBlock: 0n })
  const own = logs.at(-1)!.args.token!
  const buyOther: [bigint, `0x${string}`] = [ether, encode('buy', [token, address, 0n, never])]
  const sellOwn: [bigint, `0x${string}`] = [0n, encode('sell', [own, 10n ** 24n, address, 0n, never])]
  await attack(sellOwn, sellOwn, 'sell in sell')
  await attack(buyOther, [0n, encode('claimCreatorFee', [own])], 'buy in claim')
  await attack(sellOwn, [parseEther('20'), encode('buy', [token, address, 0n, never])], 'sell in a refund')
})

t.test('a buy reverts if the buyer contract rejects its refund', async (t) => {
  const address = await chain.deploy(reentererAbi, reentererArtifact, [], parseEther('20'))
  const call = { address, abi: reentererAbi, account: bob } as const
  await mine(chain.walletClient.writeContract({ ...call, functionName: 'setRefusing', args: [true] }))
  const { token } = await launch(creator)
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'buy', args: [token, address, 0n, never] })
  const execute = (value: bigint) =>
    chain.publicClient.simulateContract({ ...call, functionName: 'execute', args: [pad.address, value, data] })
  await rejectsWith(t, execute(parseEther('20')), 'Refused')
  await t.resolves(execute(parseEther('1')))
})
