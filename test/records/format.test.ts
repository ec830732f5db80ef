import t from 'tap'
import { toIso } from '../../records/format.ts'
import { createRandom } from '../support/seeded-random.ts'

const LAST_SECOND = 253_402_300_799

t.test('toIso formats times like Date, and clamps them to the end of the year 9999', async (t) => {
  const random = createRandom(1)
  const drawn = Array.from({ length: 2_000 }, () => random(2 ** 31) * (1 + random(100)))
  const edges = [0, 1, 59, 60, 3_599, 3_600, 86_399, 86_400, 951_782_399, 951_782_400, LAST_SECOND - 1, LAST_SECOND, -1]
  // Each twice: the second time its date is known.
  for (const seconds of [...edges, ...drawn, ...edges]) t.equal(toIso(seconds), new Date(seconds * 1000).toISOString())
  for (const later of [LAST_SECOND + 1, 2 ** 60]) t.equal(toIso(later), '9999-12-31T23:59:59.000Z')
})
