import t from 'tap'
import { insertExamples } from '../../features/api-docs/insert-examples.ts'
import type { LiveExamples } from '../../features/api-docs/read-examples.ts'
import { createTestApp } from '../support/app.ts'
import { createMarketApp } from '../support/market-app.ts'

interface Parameter {
  name: string
  required: boolean
  example?: unknown
}

const { app } = await createTestApp()
t.teardown(() => app.close())
const document = app.swagger() as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> }

const live: Required<LiveExamples> = {
  token: '0x01',
  creator: '0x02',
  trader: '0x03',
  comment: '4',
  raise: '0x05-1',
  proposal: '0x05-2',
  pool: '0x06-1',
  ticker: '0x01_0x07',
  block: { number: 1_000, time: 1_795_000_000 },
}
const examplesOf = (rows: LiveExamples, path: string, method = 'get') =>
  Object.fromEntries(
    (insertExamples(document, rows).paths[path]?.[method]?.parameters ?? []).flatMap(({ name, example }) =>
      example === undefined ? [] : [[name, example]],
    ),
  )

t.test('examples of required parameters are ids of stored rows', async (t) => {
  t.same(examplesOf(live, '/tokens/{address}'), { address: '0x01' })
  t.same(examplesOf(live, '/tokens/{address}/like', 'post'), { address: '0x01' })
  t.same(examplesOf(live, '/profiles/{wallet}'), { wallet: '0x03' })
  t.same(examplesOf(live, '/profiles/{wallet}/created'), { wallet: '0x02' })
  t.same(examplesOf(live, '/raises/{id}/proposals'), { id: '0x05-1' })
  t.same(examplesOf(live, '/proposals/{id}'), { id: '0x05-2' })
  t.same(examplesOf(live, '/staking/pools/{id}'), { id: '0x06-1' })
  t.same(examplesOf(live, '/comments/{id}/like', 'post'), { id: '4' })
  t.same(examplesOf(live, '/integrations/geckoterminal/events'), { fromBlock: 900, toBlock: 1_000 })
  t.same(examplesOf(live, '/integrations/coingecko/historical_trades'), { ticker_id: '0x01_0x07' })
  t.match(examplesOf(live, '/integrations/udf/history'), { symbol: '0x01', to: 1_795_000_000, countback: 100 })
})

t.test('optional parameters stay empty, unless an operation returns nothing without them', async (t) => {
  t.same(examplesOf(live, '/transactions'), {})
  t.same(examplesOf(live, '/raises'), {})
  t.same(examplesOf(live, '/portfolio'), { wallet: '0x03' })
})

t.test('examples of admin operations are never ids of stored rows', async (t) => {
  const examples = Object.keys(document.paths)
    .filter((path) => path.startsWith('/admin/'))
    .flatMap((path) =>
      Object.keys(document.paths[path] ?? {}).flatMap((method) =>
        Object.values(examplesOf(live, path, method)).map((example) => ({ example, name: `${method} ${path}` })),
      ),
    )
  t.ok(examples.length > 5, `${examples.length} parameters`)
  for (const { example, name } of examples) t.notOk((Object.values(live) as unknown[]).includes(example), name)
})

t.test('without rows the documented examples of required parameters remain', async (t) => {
  t.match(examplesOf({}, '/tokens/{address}').address, /^0x[0-9a-f]{40}$/)
  t.same(examplesOf({}, '/transactions'), {})
})

t.test('the examples in the document of the page are ids of stored rows', async (t) => {
  const { app, read } = await createMarketApp(t)
  const { paths } = (await app.inject('/api/docs/live.json')).json() as typeof document
  for (const path of ['/tokens/{address}', '/profiles/{wallet}', '/integrations/udf/symbols']) {
    const parameters = paths[path]?.get?.parameters ?? []
    t.ok(parameters.length > 0, path)
    for (const { name, example } of parameters) {
      const url = path.includes('{') ? path.replace(`{${name}}`, String(example)) : `${path}?${name}=${example}`
      t.equal((await read(url)).status, 200, url)
    }
  }
})

t.test('the document of the page omits cookie security, which openapi.json declares', async (t) => {
  const { app } = await createMarketApp(t)
  const read = async (url: string) => {
    const { paths, components } = (await app.inject(url)).json()
    const schemes = Object.keys(components.securitySchemes)
    return { schemes, refresh: paths['/auth/refresh'].post.security, logout: paths['/auth/logout'].post.security }
  }
  const whole = await read('/openapi.json')
  const shown = await read('/docs/live.json')
  t.same(whole.schemes, ['bearer', 'session'])
  t.match(whole.refresh, [{ session: [] }])
  t.same(shown, { schemes: ['bearer'], refresh: [], logout: whole.logout })
})

t.test('the page keeps its place in the address, and stores no token', async (t) => {
  const { body } = await app.inject('/api/docs/static/swagger-initializer.js')
  for (const setting of ['deepLinking', 'tryItOutEnabled', 'displayRequestDuration'])
    t.match(body, new RegExp(`"?${setting}"?:\\s*true`), setting)
  t.match(body, /"?persistAuthorization"?:\s*false/)
})
