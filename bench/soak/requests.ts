import { address, type Sent, send } from './client.ts'
import type { People } from './people.ts'
import { pick, type World } from './world.ts'

const SORTS = ['trending', 'newest', 'mcap', 'volume']
const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d']
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

const word = () => Array.from({ length: 2 + Math.floor(Math.random() * 6) }, () => pick([...LETTERS])).join('')

function get(path: string, expect: readonly number[] = [200], headers: Record<string, string> = {}): Sent {
  const mount = Math.random() < 0.3 ? '/api' : ''
  return { method: 'GET', path: mount + path, headers: { 'x-forwarded-for': address(), ...headers }, expect }
}

type Draw = [weight: number, make: (world: World, people: People) => Sent]

const hot: Draw[] = [
  [14, ({ tokens }) => get(`/tokens/${pick(tokens).address}`)],
  [8, () => get(`/tokens?sort=trending&limit=${pick([5, 20, 50])}`)],
  [5, () => get('/stats')],
  [3, () => get('/config')],
  [4, ({ tokens }, people) => ({ ...get(`/tokens/${pick(tokens).address}`), headers: people.headers() })],
  [1, () => get('/health')],
]
const lists: Draw[] = [
  [5, ({ tokens }) => get(`/tokens/${pick(tokens).address}/trades?limit=${pick([10, 50])}`)],
  [4, ({ tokens }) => get(`/tokens/${pick(tokens).address}/holders`)],
  [4, ({ tokens }) => get(`/tokens/${pick(tokens).address}/comments`)],
  [4, () => get(`/tokens?sort=${pick(SORTS)}&page=${pick([1, 2, 3])}&limit=10`)],
  [3, () => get('/transactions?limit=20')],
  [2, ({ wallets }) => get(`/transactions?wallet=${pick(wallets)}`)],
  [2, ({ wallets }) => get(`/portfolio?wallet=${pick(wallets)}`)],
  [2, ({ wallets }) => get(`/profiles/${pick(wallets)}`)],
  [2, () => get('/leaderboard')],
  [2, () => get('/raises')],
  [1, ({ raises }) => get(`/raises/${pick(raises)}`)],
  [1, () => get('/staking/pools')],
  [1, () => get('/integrations/tokenlist.json')],
  [1, () => get('/integrations/coingecko/tickers')],
  [1, (_, people) => ({ ...get('/notifications'), headers: people.headers() })],
  [1, (_, people) => ({ ...get('/feed'), headers: people.headers() })],
]
const heavy: Draw[] = [
  [8, ({ tokens }) => get(`/tokens/${pick(tokens).address}/chart?interval=${pick(INTERVALS)}`)],
  [4, ({ tokens }) => get(`/search?q=${encodeURIComponent(pick(tokens).name.slice(0, 4))}`)],
  [4, () => get(`/search?q=${word()}`)],
  [2, ({ tokens }) => get(`/tokens/${pick(tokens).address}/quote?side=buy&amount=1000000000000000`, [200, 409, 422])],
  [0.2, ({ tokens }) => get(`/og/token/${pick(tokens).address}`, [200, 302, 304])],
  [4, ({ uploads, tokens }) => (uploads.length > 0 ? get(pick(uploads)) : get(`/tokens/${pick(tokens).address}`))],
]
const wrong: Draw[] = [
  [0.5, () => get(`/nowhere/${word()}`, [404])],
  [0.5, () => get('/tokens?limit=minus', [400])],
  [0.5, () => ({ ...get('/auth/me', [401]), headers: { authorization: `Bearer ${word()}` } })],
  [0.5, () => send('POST', '/auth/login', undefined, { wallet: word() }, [400])],
]
const writes: Draw[] = [
  [2, ({ tokens }, people) => send('POST', `/tokens/${pick(tokens).address}/like`, people.token(), undefined, [200])],
  [2, ({ tokens }, people) => send('DELETE', `/tokens/${pick(tokens).address}/like`, people.token(), undefined, [200])],
  [2, (world, people) => people.comment(world)],
  [
    0.5,
    ({ comments, tokens }, people) =>
      comments.length > 0
        ? send('POST', `/comments/${pick(comments)}/like`, people.token(), undefined, [200, 404])
        : get(`/tokens/${pick(tokens).address}`),
  ],
  [1, ({ wallets }, people) => send('POST', `/follows/${pick(wallets)}`, people.token(), undefined, [200, 409])],
  [1, ({ wallets }, people) => send('DELETE', `/follows/${pick(wallets)}`, people.token(), undefined, [200, 404])],
  [0.5, (_, people) => send('PATCH', '/profiles/me', people.token(), { bio: word() }, [200])],
  [0.3, (world, people) => people.upload(world)],
  [0.3, (_, people) => people.uploadMetadata()],
  [0.5, ({ wallets }) => send('POST', '/auth/nonce', undefined, { wallet: pick(wallets) }, [200])],
  // Already synced, of another wallet, or unknown.
  [
    1,
    ({ hashes }, people) =>
      send('POST', pick(['/buy', '/sell']), people.token(), { txHash: pick(hashes) }, [403, 409, 422]),
  ],
  [0.3, (_, people) => send('POST', '/buy', people.token(), { txHash: `0x${people.hex(32)}` }, [404])],
  [
    1,
    ({ wallets }) =>
      send(
        'POST',
        '/rpc',
        undefined,
        { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [pick(wallets), 'latest'] },
        [200],
      ),
  ],
  [1, () => send('POST', '/rpc', undefined, { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }, [200])],
]
const draws = [...hot, ...lists, ...heavy, ...wrong, ...writes]
const total = draws.reduce((sum, [weight]) => sum + weight, 0)

export function drawRequest(world: World, people: People): Sent {
  let at = Math.random() * total
  for (const [weight, make] of draws) {
    at -= weight
    if (at < 0) return make(world, people)
  }
  return get('/live')
}
