import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import t from 'tap'
import { createApi } from '../../sdk/src/api/index.ts'
import { getToken, listTokens } from '../../sdk/src/index.ts'
import { keyOf, SlipwayProvider, useList, useOperation } from '../../sdk/src/react/index.ts'

const address = `0x${'1'.repeat(40)}`
const POLL_MS = 7_000
const api = createApi({ baseUrl: 'http://service.example' })

function Caller({ useHook }: { useHook: () => unknown }) {
  useHook()
  return null
}

/** The query that a hook makes, without a socket. */
function render(useHook: () => unknown) {
  const client = new QueryClient()
  const provider = createElement(
    SlipwayProvider,
    { client: api, socket: false, pollMs: POLL_MS },
    createElement(Caller, { useHook }),
  )
  renderToString(createElement(QueryClientProvider, { client }, provider))
  const [query] = client.getQueryCache().getAll()
  const { enabled, refetchInterval, placeholderData } = (query?.options ?? {}) as {
    enabled: boolean
    refetchInterval: number | false
    placeholderData: (previous: unknown) => unknown
  }
  return { key: query?.queryKey, enabled, refetchInterval, keep: placeholderData }
}

t.test('settings follow a prepared call, and the options of an operation', async (t) => {
  const settings = { enabled: false, scope: 'me' }
  const scoped = (...key: unknown[]) => [...key, { scope: 'me' }]
  const prepared = api.tokens.get.with(address)
  t.match(
    render(() => useOperation(prepared, settings)),
    { key: scoped(...keyOf(prepared)), enabled: false },
  )
  t.match(
    render(() => useOperation(prepared)),
    { key: [...keyOf(prepared)], enabled: true },
  )
  const options = { path: { address } }
  t.match(
    render(() => useOperation(getToken, options, settings)),
    { key: scoped(...keyOf(getToken, options)), enabled: false },
  )
  const listed = { query: { limit: 5 } }
  t.match(
    render(() => useList(listTokens, listed, settings)),
    { key: [...scoped(...keyOf(listTokens, listed)), 'pages'], enabled: false },
  )
})

t.test('only what events change is polled without a socket', async (t) => {
  const prepared = api.tokens.get.with(address)
  t.equal(render(() => useOperation(prepared)).refetchInterval, false)
  t.equal(render(() => useOperation(prepared, { rooms: ['tokens'] })).refetchInterval, POLL_MS)
})

t.test('the data of former options are kept where that is asked for', async (t) => {
  const prepared = api.tokens.get.with(address)
  const former = { address }
  for (const [keepPrevious, kept] of [
    [undefined, undefined],
    [false, undefined],
    [true, former],
    [() => true, former],
    [() => false, undefined],
  ] as const) {
    const { keep } = render(() => useOperation(prepared, keepPrevious === undefined ? {} : { keepPrevious }))
    t.equal(keep(former), kept)
    t.equal(keep(undefined), undefined)
  }
})
