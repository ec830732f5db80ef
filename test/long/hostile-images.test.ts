import t from 'tap'
import { createHostileImages } from '../support/hostile/images.ts'
import { createHostileApp, drawAll, nameAll, uploadAll } from '../support/hostile/serve-images.ts'

t.test('the service stays live while it processes 500 hostile images in uploads, metadata and cards', async (t) => {
  t.setTimeout(1_800_000)
  const images = await createHostileImages(500)
  const market = await createHostileApp(t)
  const base = await market.app.listen({ port: 0, host: '127.0.0.1' })
  const times: number[] = []
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      const from = performance.now()
      const { ok } = await fetch(`${base}/live`)
      if (!ok) throw new Error('GET /live failed')
      times.push(performance.now() - from)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  try {
    await uploadAll(t, market, images)
    await nameAll(t, market, images)
    await drawAll(t, market, images)
  } finally {
    isDone = true
    await watching
  }
  times.sort((a, b) => a - b)
  const p99 = times[Math.floor(times.length * 0.99)] as number
  t.comment(`GET /live: ${times.length} times, p99 ${p99.toFixed(1)} ms, longest ${times.at(-1)?.toFixed(1)} ms`)
  const lines = (await market.app.metrics.scrape()).split('\n')
  for (const line of lines) if (/^slipway_(child_process|images_refused)/.test(line)) t.comment(line)
})
