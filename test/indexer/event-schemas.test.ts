import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { listEvents, type OutboxEvent } from '../../db/queries/outbox.ts'
import { socket } from '../../routes/index.ts'
import { notificationTypes } from '../../schemas/social.ts'
import { makeActions } from '../support/actors.ts'
import { createChainApp } from '../support/chain-app.ts'
import type { Action, TestChain } from '../support/chain-fixture.ts'
import { ADMIN } from '../support/people.ts'
import { FOR, makeRaiseActions, reachTime, readTime } from '../support/raises.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { launchStakable } from './fixtures/staking.ts'

t.setTimeout(300_000)

/** A market with people, in which everything that is announced happens at least once. */
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
  await ask('DELETE', `/comments/${id}`, bob)

  await node.run(act.approve(bob, token), act.setPrice(owner, 3_000n * 10n ** 8n))
  await node.run(act.sell(bob, token, parseEther('1000')), act.launch(ann, 'TWO'), act.claimCreatorFee(ann, token))
  await index()
  await node.run(stake.createPool(owner, token, { cooldown: 60n }))
  await node.run(stake.stake(ann, 1n, parseEther('1000')), stake.stake(bob, 1n, parseEther('10')))
  await node.run(stake.fund(eve, 1n, parseEther('3')), stake.unstake(bob, 1n, parseEther('1')))
  await node.mine(61)
  await node.run(stake.withdraw(bob, 1n), stake.claim(ann, 1n))
  await index()
  await playRaises(test, token, index)
  await ask('PATCH', `/raises/${deployed.raises.toLowerCase()}-1`, ann, { description: 'Where it went' })
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
  return { app, events: await listEvents(db, { after: 0, limit: 1_000 }), ann, bob, eve, token }
}

/** A raise that is dissolved, one that fails and one that is cancelled, each step heard of while it is news. */
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
  await step(raise.cancel(ann, 3n))
  await reachTime(node, endAt)
  await step(raise.finalize(owner, 1n), raise.finalize(owner, 2n))
  await step(raise.propose(ann, 1n, 1n, ann), raise.proposeDissolution(bob, 1n))
  await step(raise.vote(bob, 1n, FOR), raise.vote(bob, 2n, FOR))
  await node.mine(3_600)
  await step(raise.execute(eve, 1n))
  await step(raise.execute(eve, 2n))
}

/** Holds a message against the document of the socket, in which here nothing may be that is not described. */
async function createStrictCheck(app: FastifyInstance) {
  const document = (await app.inject('/asyncapi.json')).json()
  close(document.components)
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // CJS interop: the types know the namespace, the runtime the function.
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  ajv.addSchema(document, 'document')
  return ({ type, data, rooms, seq }: OutboxEvent): string[] => {
    const validate = ajv.getSchema(`document#/components/messages/${type}/payload`)
    if (!validate) return [`${type} is not described`]
    return rooms
      .filter((room) => !validate({ type, room, seq, data: JSON.parse(data) }))
      .map((room) => `${type} in ${room}: ${ajv.errorsText(validate.errors)}`)
  }
}

function close(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const part of Object.values(schema)) close(part)
  if ('type' in schema && schema.type === 'object' && 'properties' in schema && !('additionalProperties' in schema))
    Object.assign(schema, { additionalProperties: false })
}

const market = await playMarket(t)
const { app, events, ann, bob, eve, token } = market

t.test('every event is what the document of the socket says, no more and no less', async (t) => {
  const check = await createStrictCheck(app)
  t.strictSame(events.flatMap(check), [])
  t.strictSame(
    [...new Set(events.map(({ type }) => type))].sort(),
    Object.keys(socket.events).sort(),
    'all kinds of them',
  )
})

t.test('every event is announced to rooms that the document names, and each of those rooms is used', async (t) => {
  const used = new Map<string, Set<string>>()
  for (const { type, rooms } of events) {
    const kinds = used.get(type) ?? new Set()
    used.set(type, kinds)
    for (const room of rooms) kinds.add(room.split(':', 1)[0] as string)
  }
  for (const [type, { channels }] of Object.entries(socket.events)) {
    t.strictSame([...(used.get(type) ?? [])].sort(), [...channels].sort(), type)
  }
})

t.test('wallets are told of all that the document says, and of nothing else', async (t) => {
  const told = events.filter(({ type }) => type === 'notification').map(({ data }) => JSON.parse(data).type)
  t.strictSame([...new Set(told)].sort(), Object.keys(notificationTypes).sort())
})

t.test('what is done in a pool is told there and to its wallet, and a funding to those who have a stake', async (t) => {
  const acts = events
    .filter(({ type, rooms }) => type === 'transaction' && rooms.includes('staking'))
    .map(({ rooms, data }) => [JSON.parse(data).type, rooms])
  t.strictSame(acts, [
    ['stake', [`wallet:${ann}`, 'staking']],
    ['stake', [`wallet:${bob}`, 'staking']],
    ['fund', [`wallet:${eve}`, 'staking']],
    ['unstake', [`wallet:${bob}`, 'staking']],
    ['withdraw', [`wallet:${bob}`, 'staking']],
    ['claim', [`wallet:${ann}`, 'staking']],
    ['stake', [`wallet:${ann}`, 'staking']],
  ])
  const told = events.filter(({ data }) => JSON.parse(data).type === 'reward_funded').flatMap(({ rooms }) => rooms)
  t.strictSame(told.sort(), [`wallet:${ann}`, `wallet:${bob}`].sort())
})

t.test('whatever a reorg undoes is retracted in every room that heard of it', async (t) => {
  const rooms = (type: string, id: string) =>
    events.find((event) => event.type === type && JSON.parse(event.data).id === id)?.rooms ?? []
  const retracted = events.filter(({ type }) => /^(transaction|notification|trade)\.retracted$/.test(type))
  for (const { type, data, rooms: into } of retracted) {
    t.strictSame(into, rooms(type.replace('.retracted', ''), JSON.parse(data).id), `${type} ${data}`)
  }
  const kinds = retracted.map(({ type, data }) => JSON.parse(data).type ?? type)
  t.strictSame(kinds.sort(), [
    ...['buy', 'create', 'graduate'],
    ...Array.from({ length: 5 }, () => 'notification.retracted'),
    ...['raise_create', 'stake', 'trade.retracted'],
  ])
  const launches = events.filter(({ type }) => type === 'token.created.retracted')
  t.strictSame(
    launches.map(({ rooms }) => rooms),
    [['tokens', 'feed']],
  )
})

t.test('a trade that is retracted is taken back in every room that heard of it', async (t) => {
  const retracted = events.filter(({ type }) => type === 'trade.retracted')
  t.equal(retracted.length, 1)
  const { id } = JSON.parse(retracted[0]?.data ?? '{}')
  const trade = events.find(({ type, data }) => type === 'trade' && JSON.parse(data).id === id)
  t.strictSame(retracted[0]?.rooms, trade?.rooms)
  t.ok(trade?.rooms.includes(`token:${token}`))
})
