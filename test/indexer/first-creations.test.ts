import t from 'tap'
import type { LogPosition } from '../../db/queries/positions.ts'
import type { EventContext } from '../../indexer/engine/batch.ts'
import { findFirstCreations } from '../../indexer/engine/first-creations.ts'

interface Event {
  at: EventContext
  contract: string
  id?: string
}
const event = (blockNumber: number, logIndex: number, id?: string): Event => ({
  at: { blockNumber, logIndex } as EventContext,
  contract: 'c',
  ...(id !== undefined && { id }),
})
const open = (creations: Event[], stored: [string, LogPosition][] = []) => {
  const asked: string[][] = []
  const find = async (ids: readonly string[]) => {
    asked.push([...ids])
    return new Map(stored)
  }
  return { asked, opened: findFirstCreations(find, creations, ({ id }) => id) }
}
/** The events that are kept, and why others are not. */
async function keep(events: Event[], stored?: [string, LogPosition][]) {
  const rejected: [number, string][] = []
  const kept = (await open(events, stored).opened).keep(events, (at, _, reason) => rejected.push([at.logIndex, reason]))
  return { kept: kept.map(({ at }) => at.logIndex), rejected }
}

t.test('something is created by the first event with its id', async (t) => {
  const repeated: [number, string] = [2, 'a was created before']
  t.strictSame(await keep([event(5, 1, 'a'), event(5, 2, 'a')]), { kept: [1], rejected: [repeated] })
  t.strictSame(await keep([event(5, 2, 'a'), event(5, 1, 'a')]), { kept: [1], rejected: [repeated] }, 'in any order')
  t.strictSame(await keep([event(5, 2, 'a'), event(4, 3, 'a')]), { kept: [3], rejected: [repeated] })
  t.strictSame(await keep([event(5, 1, 'a'), event(5, 2, 'b'), event(5, 3)]), { kept: [1, 2, 3], rejected: [] })
})

t.test('a stored creation counts before later ones', async (t) => {
  const stored: [string, LogPosition][] = [['a', { blockNumber: 4, logIndex: 9 }]]
  t.strictSame(await keep([event(5, 1, 'a'), event(5, 2)], stored), {
    ...{ kept: [2], rejected: [[1, 'a was created before']] },
  })
  t.strictSame(await keep([event(4, 9, 'a'), event(4, 10, 'a')], stored), {
    ...{ kept: [9], rejected: [[10, 'a was created before']] },
  })
})

t.test('a creation before the stored one is out of order', async (t) => {
  const events = [event(4, 8, 'a')]
  const { opened } = open(events, [['a', { blockNumber: 4, logIndex: 9 }]])
  const creations = await opened
  t.throws(() => creations.keep(events, () => {}), {
    ...{ name: 'OutOfOrderError', message: 'a was created earlier than the stored creation' },
  })
})

t.test('only created ids are looked up, each once', async (t) => {
  const { asked, opened } = open([event(5, 1, 'a'), event(5, 2, 'a'), event(5, 3), event(5, 4, 'b')])
  await opened
  t.strictSame(asked, [['a', 'b']])
  const none = open([event(5, 1)])
  t.strictSame((await none.opened).keep([event(5, 1)], () => {}).length, 1)
  t.strictSame(none.asked, [])
})
