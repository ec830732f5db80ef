import t from 'tap'
import { numberToHex } from 'viem'
import { type RaiseEventKind, raiseEventTopics } from '../../../chain/raises-events.ts'
import type { RaiseChainEvent } from '../../../indexer/raises/events.ts'
import { findRaisePrerequisites } from '../../../indexer/raises/find-prerequisites.ts'
import { createTestDatabase } from '../../support/database.ts'

const contract = `0x${'ab'.repeat(20)}`
const { db } = await createTestDatabase(t)
/** Raises of which these times are known. */
const known = {
  1: { created_block: 1 },
  2: { created_block: 1, finalized_at: 5 },
  3: { created_block: 1, finalized_at: 5, dissolved_at: 6 },
  4: { created_block: 1, cancelled_at: 5 },
  5: { finalized_at: 5 },
}
await db
  .insertInto('raises')
  .values(Object.entries(known).map(([number, times]) => ({ id: `${contract}-${number}`, contract, number, ...times })))
  .execute()

type Change = { tokensReturned?: bigint; proposalNumber?: bigint }
const event = (kind: RaiseEventKind, raise: number, change: Change = {}) => {
  const { proposalNumber } = change
  const ids = {
    raise: `${contract}-${raise}`,
    proposal: proposalNumber === undefined ? null : `${contract}-${proposalNumber}`,
  }
  return { kind, contract, raiseNumber: BigInt(raise), ...ids, ...change } as unknown as RaiseChainEvent
}
/** The kinds of events that are looked for, with the number of their raise or proposal. */
async function find(...events: RaiseChainEvent[]): Promise<string[]> {
  const kinds = Object.entries(raiseEventTopics)
  return (await findRaisePrerequisites(db, events)).map(({ addresses, topics, topic1 }) => {
    t.same(addresses, [contract])
    return `${kinds.find(([, topic]) => topic === topics[0])?.[0]} ${Number(topic1)}`
  })
}

t.test('events of an unknown raise need its creation, and after its end its finalization', async (t) => {
  for (const kind of ['register', 'commit', 'finalize', 'cancel_raise', 'reclaim_tokens'] as const) {
    t.same(await find(event(kind, 9)), ['raise_create 9'], kind)
    t.same(await find(event(kind, 1)), [], kind)
    t.same(await find(event(kind, 5)), ['raise_create 5'], `${kind}, of a raise whose creation is missing`)
  }
  for (const kind of ['claim_raise', 'dissolve'] as const) {
    t.same(await find(event(kind, 9)), ['raise_create 9', 'finalize 9'], kind)
    t.same(await find(event(kind, 1)), ['finalize 1'], kind)
    t.same(await find(event(kind, 2)), [], kind)
  }
  t.same(await find(), [])
})

t.test('events of an unknown proposal need its creation', async (t) => {
  for (const kind of ['vote', 'exit', 'execute', 'cancel_proposal'] as const) {
    t.same(await find(event(kind, 2, { proposalNumber: 7n })), ['propose 7'], kind)
    t.same(await find(event(kind, 1, { proposalNumber: 7n })), ['finalize 1', 'propose 7'], kind)
  }
})

t.test('a refund needs the cancellation, or with returned tokens the dissolution and the exits', async (t) => {
  const refund = (raise: number, tokensReturned: bigint) => find(event('refund', raise, { tokensReturned }))
  t.same(await refund(1, 0n), ['cancel_raise 1'])
  t.same(await refund(4, 0n), [])
  t.same(await refund(1, 1n), ['finalize 1', 'dissolve 1', 'exit 1'])
  t.same(await refund(2, 1n), ['dissolve 2', 'exit 2'])
  t.same(await refund(3, 1n), [])
  t.same(await refund(9, 0n), ['raise_create 9', 'cancel_raise 9'])
})

t.test('each prerequisite is looked up once', async (t) => {
  const events = [event('claim_raise', 1), event('claim_raise', 1), event('dissolve', 1), event('commit', 9)]
  t.same(await find(...events), ['finalize 1', 'raise_create 9'])
  const [{ topic1 } = { topic1: '' }] = await findRaisePrerequisites(db, [event('commit', 9)])
  t.equal(topic1, numberToHex(9))
})
