import t from 'tap'
import { formatDistance } from '../../sdk/src/helpers/index.ts'

const NOW = Date.parse('2026-11-27T21:30:00Z')
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

for (const [seconds, text] of [
  [1, 'in 1s'],
  [59, 'in 59s'],
  [61, 'in 2m'],
  [HOUR - 1, 'in 1h'],
  [HOUR + 1, 'in 1h 1m'],
  [DAY - 1, 'in 1d'],
  [3 * DAY, 'in 3d'],
  [3 * DAY - MINUTE, 'in 3d'],
  [2 * DAY - HOUR, 'in 1d 23h'],
  [0, '0s ago'],
  [-MINUTE, '1m ago'],
  [-2 * DAY + 1, '1d ago'],
] as const) {
  t.test(`a time ${seconds} seconds from now is ${text}`, async (t) => {
    t.equal(formatDistance(new Date(NOW + seconds * 1_000).toISOString(), NOW), text)
  })
}
