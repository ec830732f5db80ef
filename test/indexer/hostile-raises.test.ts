import t from 'tap'
import { getRaiseFigures } from '../../db/queries/raises/raises.ts'
import { readTime } from '../support/raises.ts'
import { startHostile } from './fixtures/hostile.ts'

t.setTimeout(400_000)

const MAX_64 = 2n ** 64n - 1n

/** What a raise says of itself when nothing is the matter with it. */
const terms = {
  token: `0x${'11'.repeat(20)}`,
  registrationRequired: false,
  ...{ quorumBps: 4_000, votingDelay: 0, votingPeriod: 3_600, registrationStart: 0n, startAt: 0n, endAt: 0n },
  ...{ tokenAmount: 1_000n, goalMin: 4n, goalMax: 10n, walletMin: 0n, walletMax: 10n },
  ...{ title: 'A harbour for cats', metadataURI: 'ipfs://harbour' },
}
const creation = (raiseId: bigint, params: Partial<Record<keyof typeof terms, unknown>>) => {
  const all = { ...terms, ...params }
  const rules = { minVotingDelay: 0, minVotingPeriod: 0, exitWindow: 0, releasePeriod: 0, releaseBps: 2_500 }
  return ['RaiseCreated', { raiseId, creator: `0x${'22'.repeat(20)}`, token: all.token, params: all, rules }] as [
    string,
    Record<string, unknown>,
  ]
}

t.test('raises with impossible times are indexed with clamped times, and only the current one is open', async (t) => {
  const { hostile, node, db, expectSame, emitters } = await startHostile(t)
  const now = await readTime(node)
  await hostile.emit(
    'raises',
    creation(1n, { startAt: now + 100n, endAt: now - 100n }),
    creation(2n, { startAt: now - 100n, endAt: now - 200n }),
    creation(3n, { registrationStart: MAX_64, startAt: MAX_64, endAt: MAX_64 }),
    creation(4n, { startAt: 0n, endAt: MAX_64 }),
    creation(5n, { startAt: 0n, endAt: 0n }),
  )
  await expectSame('whenever it starts and ends')
  const raises = await db.selectFrom('raises').select(['id', 'start_at', 'end_at']).orderBy('number').execute()
  const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1000
  t.strictSame(raises, [
    { id: `${emitters.raises}-1`, start_at: Number(now) + 100, end_at: Number(now) - 100 },
    { id: `${emitters.raises}-2`, start_at: Number(now) - 100, end_at: Number(now) - 200 },
    { id: `${emitters.raises}-3`, start_at: lastSecond, end_at: lastSecond },
    { id: `${emitters.raises}-4`, start_at: 0, end_at: lastSecond },
    { id: `${emitters.raises}-5`, start_at: 0, end_at: 0 },
  ])
  t.match(await getRaiseFigures(db), { total: 5, open: 1 }, 'one has begun and not ended')
})
