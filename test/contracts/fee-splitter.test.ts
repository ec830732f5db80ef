import t from 'tap'
import { getAddress, parseEther, parseEventLogs, zeroAddress } from 'viem'
import { feeSplitterAbi } from '../../chain/abi/fee-splitter.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { reentererAbi } from '../../contracts/artifacts/abi/reenterer.ts'
import reentererArtifact from '../../contracts/artifacts/Reenterer.json' with { type: 'json' }
import { deployContracts, findDeployedContracts } from '../../dev/deploy.ts'
import { GRADUATION_BOUNTY } from '../support/chain-fixture.ts'
import { rejectsWith } from './fixtures/chain.ts'
import { gas, startStaking } from './fixtures/staking.ts'

const chain = await startStaking(t)
const { staking, splitter, pad, accounts, mine, balance, clock } = chain
const [owner, creator, alice, bob, treasury] = accounts
const setTerms = (poolId: bigint, shareBps: bigint, account = owner) =>
  splitter.simulate.setTerms([treasury, poolId, shareBps], { account })

t.test('anyone can distribute trading fees to the stakers and the treasury', async (t) => {
  const { token } = await chain.launch(creator, parseEther('0.1'))
  await mine(pad.write.setFeeRecipient([splitter.address], { account: owner }))
  await mine(chain.token(token).write.approve([staking.address, 10n ** 30n], { account: creator }))
  await clock.next(60)
  const pool = await chain.createPool(token)
  await mine(splitter.write.setTerms([treasury, pool, 3_000n], { account: owner }))
  await mine(staking.write.stake([pool, 10n ** 18n], { account: creator, gas }))

  await chain.launch(creator, parseEther('1'))
  const fees = await pad.read.claimableProtocolFees()
  t.equal(fees, parseEther('0.01'))
  t.equal(await pad.read.protocolFees(), fees + GRADUATION_BOUNTY, 'a bounty of the earlier fees is left')
  const before = await balance(treasury)
  const receipt = await mine(splitter.write.distribute({ account: bob, gas }))
  const [event] = parseEventLogs({ abi: feeSplitterAbi, logs: receipt.logs, eventName: 'Distributed' })
  const toStakers = (fees * 3n) / 10n
  t.match(event!.args, { caller: bob, poolId: pool, toStakers, toTreasury: fees - toStakers })
  t.equal((await balance(treasury)) - before, fees - toStakers)
  t.match(chain.logs(receipt)[0], {
    eventName: 'Funded',
    args: { poolId: pool, funder: getAddress(splitter.address), amount: toStakers, totalFunded: toStakers },
  })
  t.equal(await pad.read.claimableProtocolFees(), 0n)

  await chain.testClient.increaseTime({ seconds: 2_000 })
  await mine(staking.write.claim([pool], { account: creator, gas }))
  const { claimed } = await staking.read.position([pool, creator])
  t.equal(claimed, toStakers)
  await rejectsWith(t, splitter.simulate.distribute({ account: bob }), 'NothingToDistribute')
})

t.test('fees that were claimed directly to the splitter are distributed later', async (t) => {
  await mine(splitter.write.setTerms([treasury, 0n, 0n], { account: owner }))
  await chain.launch(creator, parseEther('1'))
  await mine(pad.write.claimProtocolFee({ account: alice }))
  t.equal(await balance(splitter.address), parseEther('0.01'))
  const before = await balance(treasury)
  await mine(splitter.write.distribute({ account: alice, gas }))
  t.equal((await balance(treasury)) - before, parseEther('0.01'), 'without a pool the treasury gets all')
})

t.test('a treasury that re-enters distribute is paid once', async (t) => {
  const greedy = await chain.deploy(reentererAbi, reentererArtifact)
  const as = { address: greedy, abi: reentererAbi, account: bob } as const
  await mine(splitter.write.setTerms([greedy, 0n, 0n], { account: owner }))
  await mine(chain.walletClient.sendTransaction({ to: splitter.address, value: 1_000n }))
  const again = '0xe4fc6b6d' as const // distribute()
  await mine(chain.walletClient.writeContract({ ...as, functionName: 'arm', args: [splitter.address, 0n, again], gas }))
  await mine(splitter.write.distribute({ account: bob, gas }))
  t.equal(await chain.publicClient.readContract({ ...as, functionName: 'attempted' }), true)
  t.equal(await chain.publicClient.readContract({ ...as, functionName: 'succeeded' }), false)
  t.equal(await balance(greedy), 1_000n)
})

t.test('new terms first distribute what is due under the old ones', async (t) => {
  const { token } = await chain.launch(creator)
  const { timestamp } = await chain.publicClient.getBlock()
  await clock.next(timestamp - clock.now)
  const pool = await chain.createPool(token)
  const send = (value: bigint) => mine(chain.walletClient.sendTransaction({ to: splitter.address, value }))
  const fundedOf = async () => (await staking.read.pool([pool])).totalFunded
  await mine(splitter.write.setTerms([treasury, pool, 4_000n], { account: owner }))
  await send(1_000n)
  await chain.launch(creator, parseEther('1'))
  const due = 1_000n + (await pad.read.claimableProtocolFees())
  const before = await balance(treasury)
  await mine(splitter.write.setTerms([bob, 0n, 0n], { account: owner, gas }))
  t.equal(await fundedOf(), (due * 4n) / 10n, 'the stakers')
  t.equal((await balance(treasury)) - before, due - (due * 4n) / 10n, 'the treasury')
  t.strictSame([await balance(splitter.address), await pad.read.claimableProtocolFees()], [0n, 0n])

  // A treasury that takes no coins keeps nobody else from theirs.
  await mine(splitter.write.setTerms([staking.address, pool, 4_000n], { account: owner }))
  await send(1_000n)
  const refused = await mine(splitter.write.distribute({ account: alice, gas }))
  const [event] = parseEventLogs({ abi: feeSplitterAbi, logs: refused.logs, eventName: 'Distributed' })
  t.match(event!.args, { toStakers: 400n, toTreasury: 0n })
  t.equal(await splitter.read.owedToTreasury(), 600n)
  await send(100n)
  await mine(splitter.write.distribute({ account: alice, gas }))
  t.equal(await splitter.read.owedToTreasury(), 660n, 'what is owed is not shared again')
  t.equal(await fundedOf(), (due * 4n) / 10n + 440n)
  await mine(splitter.write.setTerms([treasury, 0n, 0n], { account: owner, gas }))
  t.equal(await splitter.read.owedToTreasury(), 660n)
  const then = await balance(treasury)
  await mine(splitter.write.distribute({ account: alice, gas }))
  t.equal((await balance(treasury)) - then, 660n, 'the next treasury gets it')
  t.equal(await splitter.read.owedToTreasury(), 0n)
})

t.test('only the owner sets the terms, and invalid terms are rejected', async (t) => {
  const { token } = await chain.launch(creator)
  const { timestamp } = await chain.publicClient.getBlock()
  await clock.next(timestamp - clock.now)
  const native = await chain.createPool(token)
  const rewarded = await chain.createPool(token, { reward: token })
  await rejectsWith(t, setTerms(native, 1n, alice), 'OwnableUnauthorizedAccount')
  await rejectsWith(t, setTerms(native, 10_001n), 'InvalidShare')
  await rejectsWith(t, setTerms(native + 9n, 1n), 'InvalidPool')
  await rejectsWith(t, setTerms(rewarded, 1n), 'InvalidPool', 'its rewards are no coins')
  await rejectsWith(t, splitter.simulate.setTerms([zeroAddress, native, 1n], { account: owner }), 'InvalidTreasury')
  await t.resolves(setTerms(native, 10_000n))
})

t.test('a deployment sets its splitter as the fee recipient of its launchpad', async (t) => {
  const { publicClient, walletClient } = chain
  const found = await findDeployedContracts(publicClient, owner)
  t.match(found, { feeStaking: chain.feeStaking, raises: chain.raises, feeSplitter: chain.feeSplitter })
  const recipientOf = (address: typeof owner) =>
    publicClient.readContract({ address, abi: launchpadAbi, functionName: 'feeRecipient' })
  const deployed = await deployContracts({ publicClient, walletClient }, { treasury })
  t.equal(await recipientOf(deployed.launchpad), getAddress(deployed.feeSplitter))
  const read = (functionName: 'launchpad' | 'staking' | 'treasury' | 'owner') =>
    publicClient.readContract({ address: deployed.feeSplitter, abi: feeSplitterAbi, functionName })
  t.equal(await read('launchpad'), getAddress(deployed.launchpad))
  t.equal(await read('staking'), getAddress(deployed.feeStaking))
  t.strictSame([await read('treasury'), await read('owner')], [getAddress(treasury), getAddress(owner)])
  await chain.testClient.setCode({ address: chain.feeSplitter, bytecode: '0x' })
  t.equal(await findDeployedContracts(publicClient, owner), undefined, 'an incomplete one is none')
})
