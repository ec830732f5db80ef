// A page of hooks, for the browser: it shows what they return. A test bundles it with the packed SDK.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement as h, type ReactElement, StrictMode, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient, describeError, parseUnits } from '../../../sdk/src/index.ts'
import {
  SlipwayProvider,
  useChart,
  useComments,
  useHolders,
  useNotifications,
  useQuote,
  useSignIn,
  useStatistics,
  useToken,
  useTokens,
  useTrade,
  useTrades,
} from '../../../sdk/src/react/index.ts'

export interface PageOptions {
  serviceUrl: string
  /** Where the socket goes: a relay that can break. */
  socketUrl: string
  token: string
  wallet: string
}

/** What the test gives to the page, and the parts of the DOM that the page uses. */
interface Page {
  options: PageOptions
  request(method: string, params: unknown[]): Promise<unknown>
  WebSocket: new (url: string) => never
  document: { body: Parameters<typeof createRoot>[0] }
}
const page = globalThis as unknown as Page
const { serviceUrl, socketUrl, token: address, wallet } = page.options

const provider = {
  request: ({ method, params = [] }: { method: string; params?: unknown[] }) =>
    method === 'eth_requestAccounts' ? Promise.resolve([wallet]) : page.request(method, params),
}

/** A WebSocket through the relay. */
function RelayedSocket(url: string) {
  return new page.WebSocket(url.replace(serviceUrl.replace('http', 'ws'), socketUrl.replace('http', 'ws')))
}

function Market(): ReactElement {
  const token = useToken(address)
  const trades = useTrades(address, { limit: 2 })
  const chart = useChart(address, { interval: '1m' })
  const times = chart.data?.candles.map(({ time }) => time) ?? []
  const holders = useHolders(address)
  const comments = useComments(address)
  const tokens = useTokens({ sort: 'newest' })
  const statistics = useStatistics()
  const missing = useToken(`0x${'1'.repeat(40)}`)
  const quote = useQuote({ token: address, side: 'buy', amount: parseUnits('0.01', 18) })
  const show = (id: string, text: unknown) => h('p', { id }, String(text))
  return h(
    'main',
    null,
    show('name', token.data?.name),
    show('live', [token, trades, chart].every(({ isLive }) => isLive) ? 'live' : 'polling'),
    show('price', token.data?.priceNative),
    show('liked', token.data?.likedByMe),
    show('close', chart.data?.candles.at(-1)?.close),
    show('candle', times.at(-1)),
    show('steps', [...new Set(times.slice(1).map((time, at) => time - (times[at] ?? 0)))].join()),
    show('holders', holders.items.length),
    show('comments', comments.items.map(({ text }) => text).join()),
    show('tokens', tokens.items.map(({ symbol }) => symbol).join()),
    show('total', statistics.data?.tokens.total),
    show('quote', quote.data?.amountOut),
    show('missing', missing.error && describeError(missing.error)),
    show('more', trades.hasNextPage),
    h('button', { type: 'button', id: 'next', onClick: () => void trades.fetchNextPage() }),
    h(
      'ul',
      null,
      trades.items.map(({ id, txHash, retracted }) => h('li', { key: id }, retracted ? h('s', null, txHash) : txHash)),
    ),
  )
}

/** Shows how often it was rendered. It uses nothing of the token but the data. */
function Rendered(): ReactElement {
  const count = useRef(0)
  count.current += 1
  const { data } = useToken(address)
  return h('p', { id: 'rendered', title: data?.name }, count.current)
}

function Account(): ReactElement {
  const account = useSignIn()
  const { unreadCount, markRead } = useNotifications()
  const trade = useTrade()
  const buy = () => trade.mutate({ wallet: provider, token: address, side: 'buy', amount: parseUnits('0.01', 18) })
  return h(
    'aside',
    null,
    h('p', { id: 'wallet' }, account.wallet ?? 'nobody'),
    h('p', { id: 'unread' }, unreadCount),
    h('p', { id: 'step' }, trade.step?.name ?? (trade.error ? describeError(trade.error) : 'none')),
    h('p', { id: 'bought' }, trade.data?.txHash),
    h('button', { type: 'button', id: 'sign-in', onClick: () => void account.signIn(provider) }),
    h('button', { type: 'button', id: 'sign-out', onClick: () => void account.signOut() }),
    h('button', { type: 'button', id: 'read', onClick: () => void markRead() }),
    h('button', { type: 'button', id: 'buy', onClick: buy }),
  )
}

createRoot(page.document.body).render(
  h(
    StrictMode,
    null,
    h(
      QueryClientProvider,
      { client: new QueryClient() },
      h(
        SlipwayProvider,
        {
          client: createClient({ baseUrl: serviceUrl }),
          socket: { WebSocket: RelayedSocket as never, minDelayMs: 20, maxDelayMs: 100 },
          pollMs: 200,
        },
        h(Market),
        h(Rendered),
        h(Account),
      ),
    ),
  ),
)
