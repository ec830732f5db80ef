import t from 'tap'
import { defineView } from '../../../features/views/definition.ts'
import { filterProperties } from '../../../schemas/screener.ts'
import type { ViewQuery } from '../../../schemas/view-query.ts'

const [first, second] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]
/** Two values of each filter that is no range. */
const values: Record<string, readonly [unknown, unknown]> = {
  status: ['curve', 'graduated'],
  hasLinks: [true, false],
  featured: [true, false],
  creator: [first, second],
  launchpad: ['slipway', 'nad-fun'],
  quote: [first, second],
  exclude: ['inu', 'elon'],
}
const nameOf = (query: unknown) => defineView(query as ViewQuery).name

t.test('views of other filters, orders and limits have other names', async (t) => {
  const names = Object.keys(filterProperties).flatMap((name) =>
    (values[name] ?? [1, 2]).map((value) => nameOf({ filter: { [name]: value } })),
  )
  names.push(nameOf({}), nameOf({ limit: 5 }), nameOf({ sort: 'volume' }), nameOf({ sort: 'newest' }))
  t.equal(new Set(names).size, names.length)
  t.equal(names.length, 2 * Object.keys(filterProperties).length + 4)
})

t.test('sets are equal in any order', async (t) => {
  const view = nameOf({ filter: { status: 'curve,completed', launchpad: 'slipway,nad-fun', minHolders: 1, maxAge: 2 } })
  const same = { maxAge: 2, minHolders: 1, launchpad: 'nad-fun,slipway,nad-fun', status: 'completed,curve' }
  t.equal(nameOf({ filter: same }), view)
  t.equal(nameOf({ filter: { status: 'graduated,curve,completed' } }), nameOf({}))
  t.equal(nameOf({ sort: 'newest' }), 'view:new')
  t.equal(nameOf({ sort: 'curve', filter: { minProgressPct: 70 }, limit: 20 }), 'view:graduating')
  t.match(nameOf({ sort: 'curve', limit: 21 }), /^view:[0-9a-f]{32}$/)
})
