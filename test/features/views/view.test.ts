import t from 'tap'
import { defineView } from '../../../features/views/definition.ts'
import type { ViewEvent } from '../../../features/views/view.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { listNaively, makeViewQuery } from '../../support/views/naive-view.ts'
import { RandomMarket, Replica } from '../../support/views/random-market.ts'
import { ViewList } from '../../support/views/view-list.ts'

/* Views against a look at every token, after each of many commits. SEED=n repeats a run with another seed. */

const SEED = Number(process.env.SEED ?? 1)
const VIEWS = 30
const TOKENS = 200
const COMMITS = 120
/** Clients that are cut off and resume. */
const CUTS = 1_000

function createWorld(seed: number, replicas: number, viewCount = VIEWS) {
  const random = createRandom(seed)
  const market = new RandomMarket(random, TOKENS)
  const queries = Array.from({ length: viewCount }, () => makeViewQuery(random))
  const definitions = queries.map((query) => defineView(query))
  const processes = Array.from({ length: replicas }, () => new Replica(market, definitions))
  return { random, market, queries, processes: processes as [Replica, ...Replica[]] }
}

const toMessage = ({ data, ...event }: ViewEvent) => ({ ...event, data: JSON.parse(data) as unknown })

t.test(`a view lists what a look at every token finds, and its events lead there (SEED=${SEED})`, async (t) => {
  const { market, queries, processes } = createWorld(SEED, 1)
  const [{ views }] = processes
  processes[0].refresh()
  const clients = views.map(({ snapshot }) => {
    const client = new ViewList()
    client.receive({ type: 'subscribed', seq: -1, snapshot: JSON.parse(snapshot) })
    return client
  })
  const problems: string[] = []
  const seen = new Map<string, number>()
  for (let commit = 0; commit < COMMITS; commit++) {
    market.change()
    for (const [index, events] of processes[0].refresh().entries()) {
      const client = clients[index]!
      for (const event of events) {
        seen.set(event.type, (seen.get(event.type) ?? 0) + 1)
        client.receive(toMessage(event))
      }
      const expected = JSON.stringify(listNaively(market, queries[index]!))
      const query = JSON.stringify(queries[index])
      if (views[index]!.snapshot !== expected) problems.push(`commit ${commit}: ${query} lists others`)
      if (JSON.stringify(client.tokens) !== expected)
        problems.push(`commit ${commit}: the client of ${query} has others`)
    }
  }
  t.strictSame(problems.slice(0, 5), [])
  t.strictSame(clients.flatMap((client) => client.problems).slice(0, 5), [])
  for (const type of ['view.added', 'view.updated', 'view.removed'])
    t.ok((seen.get(type) ?? 0) > COMMITS / 2, `${seen.get(type)} ${type}`)
})

t.test(
  `a client that is cut off at random ends with the list of a fresh one, ${CUTS} times (SEED=${SEED})`,
  async (t) => {
    const { random, market, processes } = createWorld(SEED + 1, 2, 8)
    for (const process of processes) process.refresh()
    const pick = <T>(values: readonly T[]) => values[random(values.length)]!
    const counts = { resumed: 0, elsewhere: 0, gaps: 0, partly: 0 }
    const problems: string[] = []
    for (let cut = 0; cut < CUTS; cut++) {
      const process = pick(processes)
      const index = random(8)
      const client = new ViewList()
      const list = ({ views, point }: Replica) =>
        client.receive({ type: 'subscribed', seq: point * 256 + 255, snapshot: JSON.parse(views[index]!.snapshot) })
      list(process)
      /** Commits, at some of which the processes evaluate their views. The client receives events until it is cut off. */
      const goOn = (commits: number, receive: (events: readonly ViewEvent[]) => void) => {
        for (let left = commits; left > 0; left--) {
          market.change()
          // A process may read several commits at once.
          const order = random(2) === 0 ? processes : [...processes].reverse()
          for (const one of order) {
            if (random(4) === 0) continue
            const events = one.refresh()[index]!
            if (one === process) receive(events)
          }
        }
      }
      goOn(random(4), (events) => {
        for (const event of events) client.receive(toMessage(event))
      })
      // The last events of a point may be lost.
      let isCut = false
      goOn(1, (events) => {
        const received = random(3) === 0 ? random(events.length + 1) : events.length
        for (const event of events.slice(0, received)) client.receive(toMessage(event))
        isCut = received < events.length
      })
      if (isCut) counts.partly++
      goOn(random(6), () => {})
      const next = pick(processes)
      next.refresh()
      const missed = next.replay(next.views[index]!, client.seq)
      if (missed === null) {
        counts.gaps++
        list(next)
      } else {
        counts.resumed++
        if (next !== process) counts.elsewhere++
        for (const event of missed) client.receive(toMessage(event))
        if (isCut && client.seq % 256 !== 255) problems.push(`cut ${cut}: resumed in the middle of a point`)
      }
      if (JSON.stringify(client.tokens) !== next.views[index]!.snapshot)
        problems.push(`cut ${cut}: the list is another one`)
    }
    t.comment(counts)
    t.strictSame(problems.slice(0, 5), [])
    t.ok(
      counts.resumed > CUTS / 4 &&
        counts.elsewhere > CUTS / 20 &&
        counts.gaps > CUTS / 20 &&
        counts.partly > CUTS / 100,
      counts,
    )
  },
)
