import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import images from '../../features/images/index.ts'
import cards from '../../features/link-previews/index.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import cache from '../../plugins/cache.ts'
import metrics from '../../plugins/metrics.ts'
import requestRoute from '../../plugins/request-route.ts'
import services from '../../plugins/services.ts'
import { createEmptyDb, testConfig } from '../../test/support/app.ts'
import { brand, makeCard } from './cards.ts'

const WARM_UP = 20

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number

/** Cards per second of concurrent bare loops. */
async function runBare(threads: number, count: number): Promise<number> {
  const workerData = { warmUp: WARM_UP, count }
  const rates = await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL('./bare-loop.ts', import.meta.url), { workerData })
      const [rate] = await once(worker, 'message')
      return rate as number
    }),
  )
  return rates.reduce((sum, rate) => sum + rate, 0)
}

/** Cards per second of the service's pool, each card unique, and the event loop delay meanwhile. */
async function runPool(ogWorkers: number, count: number) {
  const app = Fastify()
  await app.register(requestRoute)
  await app.register(metrics)
  await app.register(cache, { cache: createMemoryCache() })
  const config = {
    brand: { ...brand, url: 'https://launch.example', logoUrl: null },
    ogWorkers,
    imageWorkers: 1,
    ogPatienceMs: 30_000,
    redis: null,
  }
  await app.register(services, { config: testConfig(), db: createEmptyDb() } as never)
  await app.register(images, { config })
  await app.register(cards, { config })
  await app.ready()
  let next = 0
  let missed = 0
  const draw = async (until: number) => {
    while (next < until) {
      const { fresh } = await app.cards.draw({ card: makeCard(next++), ratio: '1.91:1' })
      if (!fresh) missed++
    }
  }
  const drawAll = (until: number) => Promise.all(Array.from({ length: ogWorkers * 3 }, () => draw(until)))
  await drawAll(WARM_UP * ogWorkers)
  // Cards may time out while children start; from here on every card must arrive.
  missed = 0
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = performance.now()
  await drawAll((WARM_UP + count) * ogWorkers)
  const rate = ((count * ogWorkers) / (performance.now() - start)) * 1000
  delay.disable()
  if (missed > 0) throw new Error(`${missed} cards were not drawn`)
  await app.close()
  return { rate, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }
}

/** Prints cards per second with 1, 2 and 4 workers, each of which draws `count` cards. */
export async function measureCards(count: number): Promise<void> {
  for (const workers of [1, 2, 4]) {
    // Alternating, so that other load affects both sides.
    const bare: number[] = []
    const pool: Awaited<ReturnType<typeof runPool>>[] = []
    for (let turn = 0; turn < 3; turn++) {
      bare.push(await runBare(workers, count))
      pool.push(await runPool(workers, count))
    }
    const [ours, theirs] = [median(pool.map(({ rate }) => rate)), median(bare)]
    const p99 = median(pool.map((one) => one.p99))
    const line = [
      `${workers} worker${workers === 1 ? ' ' : 's'}`,
      `${ours.toFixed(1)} cards/s`,
      `bare satori+resvg ${theirs.toFixed(1)}/s`,
      `ratio ${(ours / theirs).toFixed(2)}`,
      `event loop delay p99 ${p99.toFixed(1)} ms, max ${median(pool.map((one) => one.max)).toFixed(1)} ms`,
    ]
    console.log(line.join('   '))
  }
}
