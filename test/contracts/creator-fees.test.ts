import t from 'tap'
import { type Address, encodeFunctionData, getContract, parseEther, zeroAddress } from 'viem'
import { reentererAbi } from '../../contracts/artifacts/abi/reenterer.ts'
import reentererArtifact from '../../contracts/artifacts/Reenterer.json' with { type: 'json' }
import { never, rejectsWith, startTestChain } from './fixtures/chain.ts'

const chain = await startTestChain(t)
const { pad, accounts, mine, launch, balance } = chain
const [, creator, alice, bob, carol] = accounts

/** A token that has earned fees, and how much. */
async function earn(account = creator, value = parseEther('1')) {
  const { token } = await launch(account)
  await trade(token, value)
  return { token, fees: (await pad.read.curves([token])).creatorFees }
}

const trade = (token: Address, value = parseEther('1')) =>
  mine(pad.write.buy([token, bob, 0n, never], { account: bob, value }))

/** What each account's balance changes by. None of them may send the transaction. */
async function gains(recipients: readonly Address[], send: () => Promise<`0x${string}`>) {
  const before = await Promise.all(recipients.map(balance))
  const receipt = await mine(send())
  const after = await Promise.all(recipients.map(balance))
  return { receipt, amounts: after.map((amount, index) => amount - before[index]!) }
}

async function deployRefuser() {
  const address = await chain.deploy(reentererAbi, reentererArtifact)
  const contract = getContract({ address, abi: reentererAbi, client: chain.walletClient })
  await mine(contract.write.setRefusing([true]))
  return contract
}

t.test('anyone can claim creator fees, which are paid to the creator', async (t) => {
  const { token, fees } = await earn()
  const { amounts, receipt } = await gains([creator], () => pad.write.claimCreatorFee([token], { account: bob }))
  t.same(amounts, [fees])
  t.match(chain.events(receipt), [
    { eventName: 'CreatorFeeClaimed', args: { token, recipient: creator, amount: fees } },
  ])
  await rejectsWith(t, pad.simulate.claimCreatorFee([token]), 'NothingToClaim')
  await rejectsWith(t, pad.simulate.claimCreatorFee([bob]), 'NothingToClaim', 'a token of others')
})

t.test('payouts are split by the shares, and the last recipient gets the rounding remainder', async (t) => {
  const { token, fees } = await earn(creator, parseEther('1') + 777n)
  const shares = [token, [alice, carol, creator], [3_333, 6_666, 1]] as const
  const { amounts: due } = await gains([alice, carol], () => pad.write.setFeeShares(shares, { account: creator }))
  t.same(due, [0n, 0n], 'what was due before is the creator’s alone')
  t.equal((await pad.read.curves([token])).creatorFees, 0n)
  t.same(await pad.read.feeShares([token]), [
    [alice, carol, creator],
    [3_333, 6_666, 1],
  ])
  await trade(token, parseEther('0.7') + 1n)
  const earned = (await pad.read.curves([token])).creatorFees
  const parts = [(earned * 3_333n) / 10_000n, (earned * 6_666n) / 10_000n]
  const expected = [...parts, earned - parts[0]! - parts[1]!]
  const { amounts, receipt } = await gains([alice, carol, creator], () =>
    pad.write.claimCreatorFee([token], { account: bob }),
  )
  t.same(amounts, expected)
  t.same(
    chain.events(receipt).map(({ args }) => (args as { amount: bigint }).amount),
    expected,
    'one event for each recipient',
  )
  t.ok(fees > 0n)

  await mine(pad.write.setFeeShares([token, [], []], { account: creator }))
  await trade(token)
  const rest = (await pad.read.curves([token])).creatorFees
  const { amounts: whole } = await gains([alice, creator], () => pad.write.claimCreatorFee([token], { account: bob }))
  t.same(whole, [0n, rest], 'without shares all is the creator’s again')
})

t.test('only the fee owner sets shares: at most ten, which add up to 10,000 basis points', async (t) => {
  const { token } = await earn()
  const set = (recipients: Address[], bps: number[], account = creator) =>
    pad.simulate.setFeeShares([token, recipients, bps], { account })
  await t.resolves(set(Array(10).fill(alice), Array(10).fill(1_000)))
  await rejectsWith(t, set(Array(11).fill(alice), [...Array(10).fill(900), 1_000]), 'InvalidFeeShares', 'eleven')
  await rejectsWith(t, set([alice, bob], [5_000, 4_999]), 'InvalidFeeShares', 'too little')
  await rejectsWith(t, set([alice, bob], [5_000, 5_001]), 'InvalidFeeShares', 'too much')
  await rejectsWith(t, set([alice, bob], [10_000, 0]), 'InvalidFeeShares', 'nothing for one')
  await rejectsWith(t, set([alice, bob], [10_000]), 'InvalidFeeShares', 'a share is missing')
  await rejectsWith(t, set([zeroAddress], [10_000]), 'InvalidRecipient')
  await rejectsWith(t, set([pad.address], [10_000]), 'InvalidRecipient')
  await rejectsWith(t, set([alice], [10_000], alice), 'OnlyFeeOwner')
  await rejectsWith(t, pad.simulate.setFeeShares([bob, [], []], { account: creator }), 'OnlyFeeOwner')
})

t.test('a transfer of the fee right moves later fees to the new owner and removes the split', async (t) => {
  const { token, fees } = await earn()
  await mine(pad.write.setFeeShares([token, [carol], [10_000]], { account: creator }))
  await trade(token)
  const due = (await pad.read.curves([token])).creatorFees
  const { amounts, receipt } = await gains([carol, alice], () =>
    pad.write.transferFeeRight([token, alice], { account: creator }),
  )
  t.same(amounts, [due, 0n], 'what is due is paid by the old split')
  t.match(chain.events(receipt).at(-1), { eventName: 'FeeRightTransferred', args: { token, from: creator, to: alice } })
  t.equal(await pad.read.feeOwner([token]), alice)
  t.same(await pad.read.feeShares([token]), [[], []])
  t.equal((await pad.read.curves([token])).creator, creator, 'the creator stays the creator')
  await trade(token)
  const later = (await pad.read.curves([token])).creatorFees
  const { amounts: next } = await gains([alice, creator, carol], () =>
    pad.write.claimCreatorFee([token], { account: bob }),
  )
  t.same(next, [later, 0n, 0n])
  t.ok(fees > 0n)
  await rejectsWith(t, pad.simulate.transferFeeRight([token, creator], { account: creator }), 'OnlyFeeOwner')
  await rejectsWith(t, pad.simulate.transferFeeRight([token, zeroAddress], { account: alice }), 'InvalidRecipient')
  await t.resolves(pad.simulate.setFeeShares([token, [bob], [10_000]], { account: alice }))
})

t.test('fees of a recipient that rejects coins are held, and can be withdrawn to another address', async (t) => {
  const refuser = await deployRefuser()
  const { token } = await earn()
  await mine(pad.write.setFeeShares([token, [refuser.address, alice], [5_000, 5_000]], { account: creator }))
  await trade(token)
  const fees = (await pad.read.curves([token])).creatorFees
  const half = fees / 2n
  const { amounts, receipt } = await gains([refuser.address, alice], () =>
    pad.write.claimCreatorFee([token], { account: bob }),
  )
  t.same(amounts, [0n, fees - half])
  t.same(
    chain.events(receipt).map(({ eventName }) => eventName),
    ['CreatorFeeClaimed', 'FeesHeld', 'CreatorFeeClaimed'],
  )
  t.equal(await pad.read.heldFees([refuser.address]), half)
  await rejectsWith(t, pad.simulate.withdrawHeldFees([alice], { account: alice }), 'NothingToClaim')

  const withdrawTo = (to: Address) => encodeFunctionData({ abi: pad.abi, functionName: 'withdrawHeldFees', args: [to] })
  await rejectsWith(
    t,
    refuser.simulate.execute([pad.address, 0n, withdrawTo(refuser.address)], { account: bob }),
    'Refused',
  )
  const { amounts: out } = await gains([carol], () =>
    refuser.write.execute([pad.address, 0n, withdrawTo(carol)], { account: bob }),
  )
  t.same(out, [half])
  t.equal(await pad.read.heldFees([refuser.address]), 0n)
})

t.test('a caller cannot make a payment fail by sending little gas', async (t) => {
  const account = await chain.deploy(reentererAbi, reentererArtifact)
  const { token } = await earn()
  await mine(pad.write.setFeeShares([token, [account], [10_000]], { account: creator }))
  await trade(token)
  await rejectsWith(t, pad.simulate.claimCreatorFee([token], { account: bob, gas: 150_000n }), 'TooLittleGas')
  for (let gas = 60_000n; gas <= 240_000n; gas += 4_000n) {
    const id = await chain.testClient.snapshot()
    const hash = await pad.write.claimCreatorFee([token], { account: bob, gas })
    const { status } = await chain.publicClient.waitForTransactionReceipt({ hash })
    const held = await pad.read.heldFees([account])
    if (held !== 0n) t.fail(`with ${gas} gas the payment failed, and the claim did not`)
    await chain.testClient.revert({ id })
    if (status === 'success') return t.pass(`it is paid from ${gas} gas on`)
  }
  t.fail('it is never paid')
})

t.test('the balance of the launchpad equals reserves, fees and held fees', async (t) => {
  const logs = await chain.publicClient.getContractEvents({ ...pad, eventName: 'CurveCreate', fromBlock: 0n })
  const curves = await Promise.all(logs.map((log) => pad.read.curves([log.args.token!])))
  const refuser = await deployRefuser()
  const { token } = await earn()
  await mine(pad.write.transferFeeRight([token, refuser.address], { account: creator }))
  await trade(token)
  await mine(pad.write.claimCreatorFee([token], { account: bob }))
  const last = await pad.read.curves([token])
  const owed = [...curves, last].reduce((sum, { realQuote, creatorFees }) => sum + realQuote + creatorFees, 0n)
  const held = await pad.read.heldFees([refuser.address])
  t.ok(held > 0n)
  t.equal(await balance(pad.address), owed + held + (await pad.read.protocolFees()))
})
