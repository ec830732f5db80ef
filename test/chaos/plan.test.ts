import t from 'tap'
import { type DrawnKind, describeFault, PROCESSES, planFaults, planUpgrades } from './plan.ts'

const MINUTE = 60_000

t.test('the same seed plans the same faults, and a longer run begins like a shorter one', async (t) => {
  const long = planFaults(7, 30 * MINUTE)
  t.strictSame(planFaults(7, 30 * MINUTE), long)
  t.notSame(planFaults(8, 30 * MINUTE), long)
  const short = planFaults(7, 5 * MINUTE)
  t.strictSame(
    short,
    long.filter(({ at, ms }) => at + ms <= 5 * MINUTE && at < 5 * MINUTE),
  )
})

t.test('faults come every few seconds, end within the run, and no target has two at once', async (t) => {
  for (let seed = 1; seed <= 20; seed++) {
    const faults = planFaults(seed, 10 * MINUTE)
    t.ok(faults.length > 80, `${faults.length} faults`)
    for (const [index, { at, ms, target }] of faults.entries()) {
      t.ok(at + ms <= 10 * MINUTE)
      const next = faults.slice(index + 1).find((other) => other.target === target)
      if (next) t.ok(next.at >= at + ms + 5_000, `${target} recovers before its next fault`)
    }
  }
})

t.test('half an hour has every kind of fault, each with a description of its own', async (t) => {
  const kinds: DrawnKind[] = [
    ...(['kill', 'pause', 'cut', 'stall', 'end sessions', 'full disk'] as const),
    ...(['clock', 'node', 'lag', 'reorg'] as const),
  ]
  for (let seed = 1; seed <= 5; seed++) {
    const faults = planFaults(seed, 30 * MINUTE)
    t.strictSame([...new Set(faults.map(({ kind }) => kind))].sort(), kinds.toSorted())
  }
  const described = new Set(
    kinds.map((kind) => {
      const fault = planFaults(1, 30 * MINUTE).find((one) => one.kind === kind)!
      return describeFault({ ...fault, ms: 1_500 })
    }),
  )
  t.equal(described.size, kinds.length)
  const kill = describeFault({ kind: 'kill', target: 'redis', at: 0, ms: 1_500 })
  t.equal(kill, 'kill redis, start it after 1.5 s')
})

t.test('on Citus, faults meet the coordinator and both workers, and fill no disk', async (t) => {
  const faults = planFaults(1, 30 * MINUTE, 'citus')
  const targets = new Set(faults.map(({ target }) => target))
  for (const target of ['postgres', 'worker-1', 'worker-2'] as const) t.ok(targets.has(target), target)
  t.notOk(targets.has('replica'))
  t.notOk(faults.some(({ kind }) => kind === 'full disk'))
})

t.test(
  'upgrades replace one process after another, both ways if there is time, and end with this version',
  async (t) => {
    const listVersions = (minutes: number) =>
      planUpgrades(minutes * MINUTE).map((step) =>
        step.kind === 'replace' ? `${step.target} ${step.version}` : step.kind,
      )
    const all = (version: string) => PROCESSES.map((target) => `${target} ${version}`)
    t.strictSame(listVersions(1), all('this'))
    t.strictSame(listVersions(3), [...all('this'), ...all('other'), ...all('this')])
    const steps = planUpgrades(10 * MINUTE)
    t.ok(steps.length > 40 && steps.every(({ at }, index) => at < 10 * MINUTE && at > (steps[index - 1]?.at ?? 0)))
    t.equal(describeFault(steps[0]!), 'replace api-1 by this version')
  },
)
