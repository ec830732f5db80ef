import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import t from 'tap'
import { createMetrics } from '../../lib/telemetry/create-metrics.ts'
import { Distribution } from '../../lib/telemetry/distribution.ts'

const BUCKETS = [0.001, 0.5, 1, 30]

t.test('a distribution is exported like a histogram of prom-client', async (t) => {
  const values = fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 100, noNaN: true }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('read', 'write'), values)), async (observations) => {
      const registry = new Registry()
      const [name, help] = ['slipway_wait_seconds', 'Waits']
      const peer = new Histogram({ name, help, labelNames: ['operation'], buckets: BUCKETS, registers: [registry] })
      const metrics = createMetrics()
      const distributions = new Map<string, Distribution>()
      metrics.distributions('wait_seconds', help, 'operation', () => distributions)
      for (const [operation, value] of observations) {
        const distribution = distributions.get(operation) ?? new Distribution(BUCKETS)
        distributions.set(operation, distribution)
        distribution.add(value)
        peer.observe({ operation }, value)
      }
      const scraped = await metrics.scrape()
      const expected = await registry.metrics()
      return scraped.includes(expected.trim())
    }),
    { numRuns: 30 },
  )
  t.pass()
})
