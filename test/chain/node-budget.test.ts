import t from 'tap'
import { NodeBudget } from '../../chain/rpc/node-budget.ts'

/** Takes so long, without letting anything else happen. */
function spend(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

t.test('requests that overlap are deducted once, and time between requests is not', async (t) => {
  const budget = new NodeBudget(60_000)
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const start = performance.now()
  const [one, other] = [first, second].map(({ promise }) => budget.track(() => promise)) as [
    Promise<void>,
    Promise<void>,
  ]
  spend(20)
  first.resolve()
  await one
  spend(5)
  second.resolve()
  await other
  const spent = performance.now() - start
  const left = budget.leftMs
  t.ok(left >= 60_000 - spent && left <= 60_000 - 25, `${60_000 - left} of ${spent} ms are deducted`)
  spend(5)
  t.equal(budget.leftMs, left)
})

t.test('the budget ends while a request waits', async (t) => {
  const budget = new NodeBudget(10)
  await t.rejects(
    budget.run(() => budget.track(() => new Promise(() => {}))),
    { name: 'NodeTimeoutError', message: 'The nodes did not answer within 10 ms' },
  )
  t.ok(budget.signal.aborted)
})
