import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { socket } from '../../routes/index.ts'
import { notificationTypes } from '../../schemas/social.ts'
import { makeActions } from '../support/actors.ts'
import { createChainApp } from '../support/chain-app.ts'
import type { Action, TestChain } from '../support/chain-fixture.ts'
import { checkEvents } from '../support/check-events.ts'
import { listLiveEvents } from '../support/outbox.ts'
import { ADMIN } from '../support/people.ts'
import { EXIT_WINDOW, FOR, makeRaiseActions, reachTime, readTime } from '../support/raises.ts'
import { readNamesInCalls } from '../support/read-sources.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { launchStakable } from './fixtures/staking.ts'

t.setTimeout(300_000)

/** A market with users, in which every event occurs that is not checked by the test of its own domain. */
async function playMarket(t: Test) {
  const market = await createChainApp(t)
  const { test, node, db, app, deployed } = market
  const act = makeActions(deployed)
  const { token, stake, owner, ann, bob, eve } = await launchStakable(test)
  const index = () => indexToHead(db, test)
  const ask = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, wallet: string, payload?: object) => {
    const headers = { authorization: `Bearer ${app.issueToken(wallet)}` }
    const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
    if (response.statusCode !== 200) throw new Error(`${method} ${url} was answered ${response.body}`)
    return response.json().data
  }
  await index()
  await ask('PATCH', `/tokens/${token}`, ann, { description: 'About it', links: { website: 'https://one.example' } })
  const { id } = await ask('POST', `/tokens/${token}/comments`, bob, { text: 'Says who' })
  await ask('POST', `/tokens/${token}/comments`, ann, { text: 'I do', parentId: id })
  await ask('POST', `/comments/${id}/like`, eve)
  await ask('POST', `/tokens/${token}/like`, eve)
  await ask('POST', `/follows/${ann}`, eve)
  await ask('POST', '/alerts', eve, { type: 'price', token, metric: 'priceNative', direction: 'below', value: 1 })
  await ask('POST', '/alerts', eve, { type: 'graduation', token })
  await ask('POST', '/alerts', eve, { type: 'trade', wallet: bob })

  await node.run(act.setPrice(owner, 3_000n * 10n ** 8n))
  await node.run(act.sell(bob, token, parseEther('1000')), act.launch(ann, 'TWO'), act.claimCreatorFee(ann, token))
  await index()
  await node.run(stake.createPool(owner, token, { cooldown: 60n }))
  await node.run(stake.stake(ann, 1n, parseEther('1000')), stake.stake(bob, 1n, parseEther('10')))
  await node.run(stake.fund(eve, 1n, parseEther('3')), stake.unstake(bob, 1n, parseEther('1')))
  await node.mine(61)
  await node.run(stake.withdraw(bob, 1n), stake.claim(ann, 1n))
  await index()
  await playRaises(test, token, index)
  for (const [wallet, status] of [
    [bob, 'approved'],
    [eve, 'rejected'],
  ] as const) {
    const person = {
      name: 'A gull',
      email: `${wallet}@example.org`,
      wallet,
      country: 'PT',
      audience: 'a',
      motivation: 'm',
    }
    const { id } = await ask('POST', '/ambassador-applications', wallet, person)
    await ask('PATCH', `/admin/ambassador-applications/${id}`, ADMIN, { status })
  }
  await node.run(act.buy(eve, token, parseEther('100')))
  // One of each kind of event that can be retracted.
  const endAt = (await readTime(node)) + 1_000n
  const raise = makeRaiseActions(deployed.raises).create(ann, { token, endAt })
  await node.run(act.graduate(bob, token), act.launch(ann, 'TRE'), stake.stake(ann, 1n, 1n), raise)
  await node.run(act.swapBuy(eve, token, parseEther('1')))
  await index()
  await node.reorg(2)
  await index()
  return { app, db, events: await listLiveEvents(db, { after: 0, limit: 1_000 }), ann, bob, eve, token }
}

/** A raise that is dissolved, one that fails and one that is cancelled. Each step is indexed while it is recent. */
async function playRaises({ node, deployed, accounts }: TestChain, token: Address, index: () => Promise<void>) {
  const [owner, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  const raise = makeRaiseActions(deployed.raises)
  const step = async (...actions: Action[]) => {
    await node.run(...actions)
    await index()
  }
  const endAt = (await readTime(node)) + 1_000n
  await node.run(makeActions(deployed).approve(ann, token, deployed.raises))
  await step(...Array.from({ length: 3 }, () => raise.create(ann, { token, endAt })))
  await step(raise.commit(bob, 1n, parseEther('6')), raise.commit(bob, 2n, 1n), raise.commit(eve, 3n, 1n))
  // Who does not vote.
  await step(raise.commit(eve, 1n, parseEther('1')))
  await step(raise.cancel(ann, 3n))
  await reachTime(node, endAt)
  await step(raise.finalize(owner, 1n), raise.finalize(owner, 2n))
  await step(raise.propose(ann, 1n, 1n, ann), raise.proposeDissolution(bob, 1n))
  await step(raise.vote(bob, 1n, FOR), raise.vote(bob, 2n, FOR))
  await node.mine(3_600 + EXIT_WINDOW)
  await index()
  await step(raise.execute(eve, 1n))
  await step(raise.execute(eve, 2n))
}

const market = await playMarket(t)
const { events, ann, bob, eve, token } = market

t.test('every declared event that no other test checks occurs in its channels, and matches its schema', async (t) => {
  const checked = await readNamesInCalls('checkEvents')
  await checkEvents(
    t,
    market,
    // Events of views are not stored.
    Object.keys(socket.events).filter((type) => !checked.includes(type) && !type.startsWith('view.')),
  )
})

t.test('every declared type of notification occurs, and no other', async (t) => {
  const types = events.filter(({ type }) => type === 'notification').map(({ data }) => JSON.parse(data).type)
  t.strictSame([...new Set(types)].sort(), Object.keys(notificationTypes).sort())
})

t.test('an action at a pool is sent to `staking` and to its wallet, and a funding notifies the stakers', async (t) => {
  const actions = events
    .filter(({ type, rooms }) => type === 'transaction' && rooms.includes('staking'))
    .map(({ rooms, data }) => [JSON.parse(data).type, rooms])
  t.strictSame(actions, [
    ['stake', [`wallet:${ann}`, 'staking']],
    ['stake', [`wallet:${bob}`, 'staking']],
    ['fund', [`wallet:${eve}`, 'staking']],
    ['unstake', [`wallet:${bob}`, 'staking']],
    ['withdraw', [`wallet:${bob}`, 'staking']],
    ['claim', [`wallet:${ann}`, 'staking']],
    ['stake', [`wallet:${ann}`, 'staking']],
  ])
  const notified = events.filter(({ data }) => JSON.parse(data).type === 'reward_funded').flatMap(({ rooms }) => rooms)
  t.strictSame(notified.sort(), [`wallet:${ann}`, `wallet:${bob}`].sort())
})

t.test('a retraction is sent to all channels of the event that a reorg undid', async (t) => {
  const rooms = (type: string, id: string) =>
    events.find((event) => event.type === type && JSON.parse(event.data).id === id)?.rooms ?? []
  const retracted = events.filter(({ type }) => /^(transaction|notification|trade)\.retracted$/.test(type))
  for (const { type, data, rooms: into } of retracted) {
    t.strictSame(into, rooms(type.replace('.retracted', ''), JSON.parse(data).id), `${type} ${data}`)
  }
  const kinds = retracted.map(({ type, data }) => JSON.parse(data).type ?? type)
  t.strictSame(kinds.sort(), [
    ...['buy', 'create', 'graduate'],
    // The raise is not the first of its creator that day, so nobody was notified of it.
    ...Array.from({ length: 5 }, () => 'notification.retracted'),
    ...['raise_create', 'stake', 'trade.retracted'],
  ])
  const launches = events.filter(({ type }) => type === 'token.created.retracted')
  t.strictSame(
    launches.map(({ rooms }) => rooms),
    [['tokens', 'feed']],
  )
})

t.test('the retraction of a trade is sent to all channels of the trade', async (t) => {
  const retracted = events.filter(({ type }) => type === 'trade.retracted')
  t.equal(retracted.length, 1)
  const { id } = JSON.parse(retracted[0]?.data ?? '{}')
  const trade = events.find(({ type, data }) => type === 'trade' && JSON.parse(data).id === id)
  t.strictSame(retracted[0]?.rooms, trade?.rooms)
  t.ok(trade?.rooms.includes(`token:${token}`))
})
