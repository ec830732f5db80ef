import t from 'tap'
import { parseEther, zeroAddress } from 'viem'
import { never, rejectsWith } from './fixtures/chain.ts'
import { day, gas, startRaises, state, status } from './fixtures/raises.ts'

const chain = await startRaises(t)
const { raises, token, clock, accounts, create, send, succeed, gain, execute, propose, pass, stateOf } = chain
const [, creator, alice, bob, carol] = accounts
const ether = parseEther
type Account = typeof alice

t.test('after a dissolution the rest of the escrow is refunded in exchange for tokens', async (t) => {
  const raise = await succeed()
  const released = await pass(raise.id, ether('2'))
  await execute(released.id)
  await send(() => raises.write.claim([raise.id], { account: alice, gas }))
  t.equal(await token.read.balanceOf([alice]), 750n)
  const open = await pass(raise.id, ether('1'))
  const decision = await pass(raise.id, 'dissolve', alice)
  t.match(decision, { amount: 0n, recipient: zeroAddress })
  const pending = await propose(raise.id, 1n)
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'RefundNotOpen')
  const receipt = await execute(decision.id)
  t.match(chain.logs(receipt)[1], { eventName: 'Dissolved', args: { raiseId: raise.id, escrow: ether('6') } })
  t.equal(await raises.read.status([raise.id]), status.finalized)
  for (const { id } of [open, pending]) t.equal(await stateOf(id), state.cancelled)
  t.equal(await stateOf(released.id), state.executed)
  const another = raises.simulate.propose([raise.id, 1n, carol, 'Pay', ''], { account: creator })
  await rejectsWith(t, another, 'AlreadyDissolved')
  await rejectsWith(t, raises.simulate.execute([open.id]), 'WrongState')

  const refund = (account: Account) => gain(account, () => raises.write.refund([raise.id], { account, gas }))
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'ERC20InsufficientAllowance')
  await send(() => token.write.approve([raises.address, never], { account: alice, gas }))
  t.equal(await refund(alice), ether('4.5'))
  t.equal(await token.read.balanceOf([alice]), 187n, '563 = 750 * 6 / 8 rounded up are given back')
  await rejectsWith(t, raises.simulate.refund([raise.id], { account: alice }), 'NothingToRefund')
  await rejectsWith(t, raises.simulate.claim([raise.id], { account: alice }), 'NothingToClaim')
  t.equal(await refund(bob), ether('1.5'), 'who has not claimed gives up what is still to claim')
  await send(() => raises.write.claim([raise.id], { account: bob, gas }))
  t.equal(await token.read.balanceOf([bob]), 250n - 188n)

  const before = await token.read.balanceOf([creator])
  await send(() => raises.write.reclaimTokens([raise.id], { account: carol, gas }))
  t.equal((await token.read.balanceOf([creator])) - before, 563n + 188n)
  await rejectsWith(t, raises.simulate.reclaimTokens([raise.id]), 'NothingToClaim')
})

t.test('a raise that releases nothing for 180 days can be dissolved by anyone', async (t) => {
  const raise = await succeed()
  const first = await pass(raise.id, ether('1'))
  await execute(first.id)
  const idleAt = clock.now + 180n * day
  const vain = await propose(raise.id, ether('7'))
  await clock.reach(idleAt - 1n)
  await rejectsWith(t, raises.simulate.dissolve([raise.id]), 'NotIdle')
  // Proposing alone keeps nothing alive.
  const late = await propose(raise.id, ether('1'), alice)
  await send(() => raises.write.dissolve([raise.id], { account: bob, gas }), clock.now + 1n)
  t.equal(await stateOf(vain.id), state.defeated, 'decided before')
  t.equal(await stateOf(late.id), state.cancelled, 'not yet decided')
  await rejectsWith(t, raises.simulate.dissolve([raise.id]), 'AlreadyDissolved')
  t.equal(await gain(bob, () => raises.write.refund([raise.id], { account: bob, gas })), (ether('7') * 2n) / 8n)
  const active = await create()
  await rejectsWith(t, raises.simulate.dissolve([active.id]), 'WrongStatus')
})

t.test('a transfer fee enabled later costs the creator of the raise, and not other raises', async (t) => {
  const others = await succeed({ tokenAmount: 1_000_000n })
  const raise = await succeed({ tokenAmount: 1_000_000n })
  await send(() => raises.write.claim([raise.id], { account: alice, gas }))
  await execute((await pass(raise.id, 'dissolve', alice)).id)
  await send(() => token.write.setFee([500n], { account: creator, gas }))
  await send(() => token.write.approve([raises.address, never], { account: alice, gas }))
  const held = await token.read.balanceOf([raises.address])
  const receipt = await send(() => raises.write.refund([raise.id], { account: alice, gas }))
  t.match(chain.logs(receipt)[0], { eventName: 'Refunded', args: { tokensReturned: 712_500n } }, '95 % of 750,000')
  t.equal((await token.read.balanceOf([raises.address])) - held, 712_500n)
  t.match(await raises.read.raise([raise.id]), { tokensReclaimable: 712_500n })
  await send(() => token.write.setFee([0n], { account: creator, gas }))
  await send(() => raises.write.reclaimTokens([raise.id], { account: carol, gas }))
  for (const account of [alice, bob]) await send(() => raises.write.claim([others.id], { account, gas }))
  await send(() => raises.write.claim([raise.id], { account: bob, gas }))
})
