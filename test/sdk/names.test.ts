import t from 'tap'
import { createNames } from '../../sdk/src/helpers/index.ts'
import { createClient } from '../../sdk/src/index.ts'
import { until } from '../acceptance/support/service.ts'

const walletOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

/** A service that knows the names of wallets with an even number, and fails as long as `failures` are left. */
function serve(failures = 0) {
  const requests: string[][] = []
  let left = failures
  const client = createClient({
    baseUrl: 'http://service.example',
    fetch: async (_, init) => {
      const { wallets } = JSON.parse(String(init?.body)) as { wallets: string[] }
      requests.push(wallets)
      if (left-- > 0) return new Response('{"success":false,"data":null,"error":"Busy"}', { status: 503 })
      const items = wallets
        .filter((wallet) => Number(wallet) % 2 === 0)
        .map((wallet) => ({ wallet, username: `name-${Number(wallet)}`, avatarUrl: null }))
      return new Response(JSON.stringify({ success: true, data: { items } }))
    },
  })
  return { client, requests }
}

t.test('wallets of the same moment are one request, and each is requested once', async (t) => {
  const { client, requests } = serve()
  const names = createNames(client, { collectMs: 0 })
  let changes = 0
  const stop = names.subscribe(() => changes++)
  for (const index of [2, 3, 2, 4]) names.request(walletOf(index).toUpperCase().replace('0X', '0x'))
  await until(
    async () => changes,
    (count) => count === 1,
    'names are learnt',
  )
  t.same(requests, [[2, 3, 4].map(walletOf)])
  t.equal(names.get(walletOf(2)), 'name-2')
  t.equal(names.get(walletOf(3)), undefined)
  stop()
  for (const index of [2, 3]) names.request(walletOf(index))
  names.request(walletOf(6))
  await until(
    async () => requests,
    ({ length }) => length === 2,
    'the new wallet is requested',
  )
  t.same(requests[1], [walletOf(6)])
  t.equal(changes, 1, 'a listener that has stopped is not called')
})

t.test('more than 200 wallets are several requests', async (t) => {
  const { client, requests } = serve()
  const names = createNames(client, { collectMs: 0 })
  for (let index = 1; index <= 401; index++) names.request(walletOf(index))
  await until(
    async () => requests,
    ({ length }) => length === 3,
    'three requests are sent',
  )
  t.same(
    requests.map(({ length }) => length),
    [200, 200, 1],
  )
})

t.test('wallets of a failed request are requested again, and names of records need no request', async (t) => {
  const { client, requests } = serve(1)
  const names = createNames(client, { collectMs: 0 })
  names.learn([{ wallet: walletOf(8), username: 'known' }, null, { wallet: walletOf(10), username: null }])
  names.request(walletOf(8))
  names.request(walletOf(2))
  await until(
    async () => requests,
    ({ length }) => length === 1,
    'the first request is sent',
  )
  await until(
    async () => {
      names.request(walletOf(2))
      return names.get(walletOf(2))
    },
    (name) => name === 'name-2',
    'the second request is answered',
  )
  t.same(requests, [[walletOf(2)], [walletOf(2)]])
  t.equal(names.get(walletOf(8)), 'known')
})
