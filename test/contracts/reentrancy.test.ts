// Each account that a contract calls or pays calls back every function of it that moves money, and reads its state.
import t, { type Test } from 'tap'
import {
  type Abi,
  type Address,
  encodeFunctionData,
  getContract,
  type Hex,
  parseEther,
  parseEventLogs,
  type TransactionReceipt,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { weth9Abi } from '../../chain/abi/weth9.ts'
import { pairTraderAbi } from '../../contracts/artifacts/abi/pair-trader.ts'
import { proberAbi } from '../../contracts/artifacts/abi/prober.ts'
import { testTokenAbi } from '../../contracts/artifacts/abi/test-token.ts'
import pairTraderArtifact from '../../contracts/artifacts/PairTrader.json' with { type: 'json' }
import proberArtifact from '../../contracts/artifacts/Prober.json' with { type: 'json' }
import { never } from './fixtures/chain.ts'
import { makeLaunch } from './fixtures/launches.ts'
import { day, gas, hour, startRaises } from './fixtures/raises.ts'

const chain = await startRaises(t)
const { raises, token, pad, accounts, walletClient, publicClient, clock } = chain
const [owner, creator, alice, bob] = accounts
const ether = parseEther
const guard = toFunctionSelector('ReentrancyGuardReentrantCall()')
const client = { public: publicClient, wallet: walletClient }
const prober = getContract({
  address: await chain.deploy(proberAbi, proberArtifact, [], ether('1000')),
  abi: proberAbi,
  client,
})
const staking = getContract({ address: chain.feeStaking, abi: feeStakingAbi, client })

type Call = { target: Address; data: Hex }
const encode = (target: Address, abi: Abi, functionName: string, args: unknown[] = []): Call => ({
  target,
  data: encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]),
})
const onPad = (name: string, ...args: unknown[]) => encode(pad.address, launchpadAbi, name, args)
const onStaking = (name: string, ...args: unknown[]) => encode(staking.address, feeStakingAbi, name, args)
const onRaises = (name: string, ...args: unknown[]) => encode(raises.address, raisesAbi, name, args)

const { send } = chain
const execute = ({ target, data }: Call, value = 0n, time = clock.now + 1n, limit = 8_000_000n) =>
  send(() => prober.write.execute([target, value, data], { account: bob, gas: limit }), time)
/** Too little for a completing buy to graduate the token as well. */
const belowGraduation = 3_000_000n
const catchUp = async () => clock.reach((await publicClient.getBlock()).timestamp + 1n)
await catchUp()

/** Does something that calls or pays the prober, which then makes the guarded calls and one read. */
async function probe(t: Test, what: string, guarded: Call[], read: Call, outer: () => Promise<unknown>) {
  await send(() => prober.write.prepare([[...guarded, read]], { account: bob, gas: 8_000_000n }))
  await outer()
  const results = await prober.read.results()
  for (const [index, call] of guarded.entries())
    t.equal(results[index], guard, `${what}: ${call.data.slice(0, 10)} meets the guard`)
  const { data } = await publicClient.call({ to: read.target, data: read.data })
  t.equal(results.at(-1), data, `${what}: it reads the state that holds afterwards`)
}

/** The token's next transfer calls the prober. */
const armToken = () => send(() => token.write.arm([prober.address, '0x'], { account: creator, gas }))

t.test('no payment of the launchpad allows re-entrancy', async (t) => {
  const launch = async (value: bigint) => {
    const call = onPad('create', makeLaunch('Own', 'OWN'))
    return findToken(await execute(call, value, clock.now + 1n, belowGraduation))
  }
  await send(() => prober.write.prepare([[]], { account: bob, gas }))
  const own = await launch(ether('1'))
  const completed = await launch(ether('10'))
  const open = await launch(ether('1'))
  const guarded = [
    onPad('create', makeLaunch('In', 'IN')),
    onPad('buy', own, prober.address, 0n, never),
    onPad('sell', own, 10n ** 20n, prober.address, 0n, never),
    onPad('graduate', completed),
    onPad('claimCreatorFee', own),
    onPad('setFeeShares', own, [], []),
    onPad('transferFeeRight', own, bob),
    onPad('withdrawHeldFees', bob),
    onPad('claimProtocolFee'),
  ]
  const curve = onPad('curves', own)
  await probe(t, 'payment of a sale', guarded, curve, () =>
    execute(onPad('sell', own, 10n ** 24n, prober.address, 0n, never)),
  )
  // What a payout calls gets too little gas for all of this, so the coins are held.
  await send(() => prober.write.prepare([guarded], { account: bob, gas: 8_000_000n }))
  await execute(onPad('claimCreatorFee', own))
  t.not(await pad.read.heldFees([prober.address]), 0n)
  await probe(t, 'held fees', guarded, curve, () => execute(onPad('withdrawHeldFees', prober.address)))
  await send(() => pad.write.setFeeRecipient([prober.address], { account: owner, gas }))
  await probe(t, 'protocol fees', guarded, onPad('protocolFees'), () => execute(onPad('claimProtocolFee')))
  await probe(t, 'refund of the last buy', [...guarded, onPad('graduate', open)], onPad('curves', open), () =>
    execute(onPad('buy', open, prober.address, 0n, never), ether('20')),
  )
  t.equal((await pad.read.curves([open])).status, 3, 'and the buy graduates it')
  await probe(t, 'refund of a launch', guarded, onPad('launchCount'), () => launch(ether('10')))
  await probe(t, 'bounty of a graduation', guarded, onPad('protocolFees'), () => execute(onPad('graduate', completed)))
})

t.test('no payment or token transfer of the staking contract allows re-entrancy', async (t) => {
  const pools = { native: 1n, token: 2n }
  for (const reward of [zeroAddress, token.address])
    await send(() => staking.write.createPool([token.address, reward, 0n, 1_000n], { account: owner, gas }))
  await send(() => prober.write.prepare([[]], { account: bob, gas }))
  await send(() => token.write.mint([prober.address, 10n ** 20n], { account: creator, gas }))
  await execute(encode(token.address, testTokenAbi, 'approve', [staking.address, never]))
  for (const pool of Object.values(pools)) await execute(onStaking('stake', pool, 1_000n))
  const guarded = [
    onStaking('stake', pools.native, 1n),
    onStaking('requestUnstake', pools.native, 1n),
    onStaking('withdraw', pools.native),
    onStaking('claim', pools.native),
    onStaking('fund', pools.token, 1n),
  ]
  const read = onStaking('position', pools.token, prober.address)
  const hooks: [string, Call, bigint?][] = [
    ['transfer of a stake', onStaking('stake', pools.token, 7n)],
    ['transfer of a funding', onStaking('fund', pools.token, 10n ** 18n)],
    ['transfer of a reward', onStaking('claim', pools.token)],
    ['transfer of a withdrawal', onStaking('withdraw', pools.token)],
  ]
  for (const [what, outer] of hooks) {
    if (what.endsWith('withdrawal')) await execute(onStaking('requestUnstake', pools.token, 5n))
    await armToken()
    await probe(t, what, guarded, read, () => execute(outer, 0n, clock.now + 100n))
  }
  await execute(onStaking('fund', pools.native, 10n ** 18n), 10n ** 18n)
  const own = onStaking('position', pools.native, prober.address)
  await probe(t, 'coins of a reward', guarded, own, () =>
    execute(onStaking('claim', pools.native), 0n, clock.now + 100n),
  )
})

t.test('no payment or token transfer of the raises contract allows re-entrancy', async (t) => {
  await send(() => prober.write.prepare([[]], { account: bob, gas }))
  const released = await chain.succeed()
  const passed = await chain.pass(released.id, ether('1'), creator, prober.address)
  const left = await chain.create({ startAt: 0n, goalMax: ether('4') })
  await chain.commit(left.id, alice, ether('3'))
  await execute(onRaises('commit', left.id), ether('1'))
  await execute(onRaises('finalize', left.id))
  const exited = await chain.pass(left.id, ether('1'))
  const open = await chain.create({ startAt: 0n, walletMax: ether('3') })
  const failed = await chain.create({ startAt: 0n })
  const cancelled = await chain.create({ startAt: 0n })
  const done = await chain.create({ startAt: 0n, goalMax: ether('4') })
  await execute(onRaises('commit', done.id), ether('4'))
  await execute(onRaises('commit', failed.id), 5n)
  await execute(onRaises('finalize', done.id))
  await execute(encode(token.address, testTokenAbi, 'approve', [raises.address, never]))
  const parameters = { ...chain.parameters(), tokenAmount: 1n }
  const guarded = [
    onRaises('createRaise', parameters),
    onRaises('commit', open.id),
    onRaises('finalize', released.id),
    onRaises('cancel', open.id),
    onRaises('claim', done.id),
    onRaises('refund', failed.id),
    onRaises('reclaimTokens', done.id),
    onRaises('execute', passed.id),
    onRaises('exit', passed.id),
  ]
  const asToken = async (what: string, id: bigint, outer: () => Promise<unknown>) => {
    await armToken()
    await probe(t, what, guarded, onRaises('raise', id), outer)
  }
  const asCreator = (name: 'cancel' | 'finalize' | 'reclaimTokens', id: bigint) => () =>
    send(() => raises.write[name]([id], { account: creator, gas }))
  await probe(t, 'rest of a commitment', guarded, onRaises('raise', open.id), () =>
    execute(onRaises('commit', open.id), ether('5')),
  )
  await probe(t, 'coins of an exit', guarded, onRaises('commitment', left.id, prober.address), () =>
    execute(onRaises('exit', exited.id)),
  )
  await probe(t, 'coins of a release', guarded, onRaises('proposal', passed.id), () =>
    execute(onRaises('execute', passed.id)),
  )
  const nextId = (await raises.read.raiseCount()) + 1n
  await asToken('transfer for a new raise', nextId, () => chain.create())
  await asToken('transfer of a claim', done.id, () => execute(onRaises('claim', done.id)))
  await asToken('transfer of a cancelled raise', cancelled.id, asCreator('cancel', cancelled.id))
  await clock.reach(failed.endAt)
  await asToken('transfer of a failed raise', failed.id, asCreator('finalize', failed.id))
  await probe(t, 'coins of a refund', guarded, onRaises('commitment', failed.id, prober.address), () =>
    execute(onRaises('refund', failed.id)),
  )
  await clock.reach(clock.now + 180n * day)
  await send(() => raises.write.dissolve([done.id], { account: creator, gas }))
  const before = await token.read.balanceOf([prober.address])
  await send(() => prober.write.prepare([guarded.slice(0, 5)], { account: bob, gas: 8_000_000n }))
  await armToken()
  // This one calls the prober twice: the token when it is returned, and the coins. The second list of results is kept.
  await execute(onRaises('refund', done.id))
  const results = await prober.read.results()
  t.equal(results.length, 5)
  t.ok(
    results.every((result) => result === guard),
    'refund of a dissolved raise',
  )
  t.equal(before - (await token.read.balanceOf([prober.address])), 1_000n, 'all tokens are given back')
  await asToken('transfer of tokens that were given up', done.id, asCreator('reclaimTokens', done.id))
})

t.test('a recipient may vote and propose while it is paid, and its vote counts once', async (t) => {
  await send(() => prober.write.prepare([[]], { account: bob, gas }))
  const raise = await chain.create({ startAt: 0n, goalMax: ether('8') })
  await execute(onRaises('commit', raise.id), ether('2'))
  await chain.commit(raise.id, alice, ether('6'))
  await execute(onRaises('finalize', raise.id))
  const first = await chain.propose(raise.id, ether('1'), creator, prober.address)
  await chain.vote(first.id, alice, 1, first.voteStart)
  await clock.reach(first.voteStart + 2n * hour)
  const second = await chain.propose(raise.id, ether('1'), alice)
  // The second vote began after the first, and is longer than the exit window of the first.
  await clock.reach(first.executableAt)
  const vote = onRaises('vote', second.id, 1)
  const propose = onRaises('propose', raise.id, ether('7'), alice, 'All of the rest', '')
  const tooMuch = onRaises('propose', raise.id, ether('7') + 1n, alice, 'More', '')
  await send(() => prober.write.prepare([[vote, vote, tooMuch, propose]], { account: bob, gas: 8_000_000n }))
  await execute(onRaises('execute', first.id))
  const results = await prober.read.results()
  t.equal(results[0], '0x')
  t.equal(results[1], toFunctionSelector('AlreadyVoted()'))
  t.match(results[2], toFunctionSelector('ExceedsEscrow(uint256)'), 'the escrow is already less what is paid')
  t.equal(BigInt(results[3]!), await raises.read.proposalCount())
  t.match(await raises.read.proposal([second.id]), { forVotes: ether('2') })
})

t.test('before graduation a pair that holds coins cannot mint, burn, swap or lend', async (t) => {
  const { token: launched } = await launchOpen()
  await send(() => chain.factory.write.createPair([launched, chain.weth], { account: bob, gas: 4_000_000n }))
  const address = await pad.read.pairFor([launched])
  await send(() => chain.wrapped.write.deposit({ account: bob, value: ether('2'), gas }))
  await send(() => chain.wrapped.write.transfer([address, ether('1')], { account: bob, gas }))
  const pair = chain.pair(address)
  await t.rejects(pair.simulate.mint([bob], { account: bob }), /sub-underflow/, 'no liquidity without tokens')
  await send(() => pair.write.sync({ account: bob, gas }))
  await send(() => chain.wrapped.write.transfer([address, ether('1')], { account: bob, gas }))
  await t.rejects(pair.simulate.mint([bob], { account: bob }), /sub-underflow/, 'nor after a sync')
  await t.rejects(pair.simulate.burn([bob], { account: bob }), /InvalidFEOpcode/)
  const borrow = BigInt(launched) < BigInt(chain.weth) ? ([0n, 1n] as const) : ([1n, 0n] as const)
  await t.rejects(pair.simulate.swap([...borrow, bob, '0x'], { account: bob }), /INSUFFICIENT_LIQUIDITY/, 'no swap')
  await t.rejects(pair.simulate.swap([...borrow, bob, '0x00'], { account: bob }), /INSUFFICIENT_LIQUIDITY/, 'no loan')
})

t.test('a curve can graduate inside a flash loan of another pair', async (t) => {
  const trader = getContract({
    address: await chain.deploy(pairTraderAbi, pairTraderArtifact),
    abi: pairTraderAbi,
    client,
  })
  await catchUp()
  const first = await launchOpen(ether('10'))
  await send(() => pad.write.graduate([first.token], { account: bob, gas: 5_000_000n }))
  const second = await launchOpen(ether('10'))
  const address = await pad.read.pairFor([first.token])
  const isFirst = BigInt(first.token) > BigInt(chain.weth)
  await send(() => chain.wrapped.write.deposit({ account: bob, value: ether('1'), gas }))
  await send(() => chain.wrapped.write.transfer([trader.address, ether('1')], { account: bob, gas }))
  const calls = [
    onPad('graduate', second.token),
    encode(address, uniswapV2PairAbi, 'sync'),
    encode(chain.weth, weth9Abi, 'transfer', [address, ether('1.1')]),
  ]
  const borrow = (calls: Call[]) =>
    trader.write.borrow([address, isFirst ? ether('1') : 0n, isFirst ? 0n : ether('1'), calls], {
      account: bob,
      gas: 8_000_000n,
    })
  await t.rejects(
    send(() => borrow(calls)),
    { message: /^transaction 0x\w+ reverted$/ },
    'the pair itself is locked',
  )
  await catchUp()
  await send(() => borrow(calls.filter((_, index) => index !== 1)))
  t.equal((await pad.read.curves([second.token])).status, 3)
})

async function launchOpen(value = ether('1')) {
  const create = () => pad.write.create([makeLaunch('A', 'A')], { account: creator, value, gas: belowGraduation })
  return { token: findToken(await send(create)) }
}

function findToken({ logs }: TransactionReceipt): Address {
  const [event] = parseEventLogs({ abi: launchpadAbi, logs, eventName: 'CurveCreate' })
  return event!.args.token
}
