import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { FeedItem, FeedList } from '../../../schemas/social.ts'
import { HIDDEN } from '../../support/market-rows.ts'
import {
  creatorOf,
  HEAD,
  timeOf,
  tokenAddress,
  transactionHash,
  walletAddress,
} from '../../support/market-simulation.ts'
import {
  ADMIN,
  ann,
  bob,
  createPeopleApp,
  createQueryCounter,
  dan,
  eve,
  failure,
  readAll,
  say,
} from '../../support/people.ts'

type Item = Static<typeof FeedItem>

const market = await createPeopleApp(t)
const { app, db, read, send, tokens } = market
const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
const listed = tokens.filter(({ index }) => !HIDDEN.includes(index))
const iso = (block: number) => new Date(timeOf(block) * 1000).toISOString()

/** A comment as of the time of a block: the simulated market lies in another year than the test. */
async function sayAt(wallet: string, token: number, text: string, block: number): Promise<string> {
  const { id } = await say(market, wallet, tokenAddress(token), text)
  await db
    .updateTable('comments')
    .set({ created_at: iso(block) })
    .where('id', '=', Number(id))
    .execute()
  return `comment-${id}`
}

const comments = [
  await sayAt(ann, 1, 'early', 150),
  await sayAt(bob, 2, 'same minute', 1_001),
  await sayAt(ann, HIDDEN[0] as number, 'of a hidden token', 2_000),
  await sayAt(ann, 3, 'late', HEAD),
  await sayAt(ann, 3, 'later, the same moment', HEAD),
]

/** What the chain has for everybody, by id. */
const expected = new Map<string, { type: string; time: string }>()
for (const token of listed) {
  expected.set(`${transactionHash(token.block, token.log)}-${token.log}`, { type: 'launch', time: iso(token.block) })
  if (token.graduatedBlock !== null) {
    const id = `${transactionHash(token.graduatedBlock, token.log)}-${token.log}`
    expected.set(id, { type: 'graduation', time: iso(token.graduatedBlock) })
  }
  for (const { quoteAmount, txHash, log, block } of token.trades)
    if (quoteAmount >= 10n ** 18n) expected.set(`${txHash}-${log}`, { type: 'trade', time: iso(block) })
}

t.test('the feed has every launch, graduation, large trade and comment once, latest first', async (t) => {
  const all = await readAll<Item>(market, '/feed?limit=100')
  const ofChain = all.filter(({ type }) => type !== 'comment')
  t.same(ofChain.map(({ id }) => id).sort(), [...expected.keys()].sort())
  for (const { id, type, createdAt } of ofChain) t.same({ type, time: createdAt }, expected.get(id), id)
  t.same(
    all.filter(({ type }) => type === 'comment').map(({ id }) => id),
    [comments[4], comments[3], comments[1], comments[0]],
  )
  const times = all.map(({ createdAt }) => createdAt)
  t.same(times, times.toSorted().reverse())
  t.ok([...expected.values()].some(({ type }) => type === 'trade'))
  for (const limit of [1, 3, 7]) {
    t.same(await readAll<Item>(market, `/api/feed?limit=${limit}`), all, `by ${limit}`)
  }
})

t.test('an item has its actor, type and token', async (t) => {
  const all = await readAll<Item>(market, '/feed?limit=100')
  await send('PATCH', '/profiles/me', { username: 'annie' }, ann)
  const [latest] = (await read<Static<typeof FeedList>>('/feed?limit=1')).body.data.items
  t.same(latest, {
    id: comments[4],
    type: 'comment',
    actor: { wallet: ann, username: 'annie', avatarUrl: null },
    token: { address: tokenAddress(3), name: tokens[3]?.name, symbol: tokens[3]?.symbol, imageUrl: null, decimals: 18 },
    trade: null,
    comment: { id: comments[4]?.slice(8), text: 'later, the same moment' },
    createdAt: iso(HEAD),
    blockNumber: null,
    txHash: null,
    logIndex: null,
    confirmed: null,
  })
  const launch = all.find(({ type, token }) => type === 'launch' && token.address === tokenAddress(0))
  t.match(launch, {
    actor: { wallet: creatorOf(0) },
    token: { imageUrl: 'https://images.example.org/hcat.webp' },
    trade: null,
    comment: null,
    blockNumber: 1,
    logIndex: 0,
    confirmed: true,
  })
  t.match(
    all.find(({ type, token }) => type === 'graduation' && token.address === tokenAddress(5)),
    { actor: { wallet: creatorOf(5) } },
  )
  const large = tokens[4]?.trades.at(-1)
  t.match(
    all.find(({ id }) => id === `${large?.txHash}-${large?.log}`),
    {
      type: 'trade',
      actor: { wallet: large?.trader },
      trade: {
        side: 'buy',
        quote: { symbol: 'ETH', decimals: 18 },
        quoteAmount: String(large?.quoteAmount),
        tokenAmount: String(large?.tokenAmount),
      },
    },
  )
})

t.test('scope=following has launches, comments and all trades of followed wallets', async (t) => {
  t.same((await read('/feed?scope=following', as(dan))).body.data, { items: [], nextCursor: null })
  for (const wallet of [creatorOf(1), walletAddress(2), ann]) await send('POST', `/follows/${wallet}`, undefined, dan)
  const items = await readAll<Item>(market, '/feed?scope=following&limit=5', as(dan))
  const launches = listed.filter(({ creator }) => creator === creatorOf(1))
  const trades = listed.flatMap((token) => token.trades).filter(({ trader }) => trader === walletAddress(2))
  t.same(
    items.map(({ id }) => id).sort(),
    [
      ...launches.map(({ block, log }) => `${transactionHash(block, log)}-${log}`),
      ...trades.map(({ txHash, log }) => `${txHash}-${log}`),
      ...[comments[0], comments[3], comments[4]],
    ].sort(),
  )
  t.ok(trades.length > 10)
  const times = items.map(({ createdAt }) => createdAt)
  t.same(times, times.toSorted().reverse())
})

t.test('neither feed has comments that are hidden, deleted, of a banned author or on a hidden token', async (t) => {
  const [shown, hidden, deleted, banned] = [
    await sayAt(ann, 4, 'shown', HEAD),
    await sayAt(ann, 4, 'hidden', HEAD),
    await sayAt(ann, 4, 'deleted', HEAD),
    await sayAt(eve, 4, 'of a banned author', HEAD),
  ]
  await send('POST', `/follows/${eve}`, undefined, dan)
  const idOf = (item: string) => item.slice('comment-'.length)
  const listOf = async (scope: 'all' | 'following') => {
    const items = await readAll<Item>(market, `/feed?limit=100&scope=${scope}`, as(dan))
    return items.map(({ id }) => id).filter((id) => [shown, hidden, deleted, banned].includes(id))
  }
  for (const scope of ['all', 'following'] as const)
    t.same((await listOf(scope)).sort(), [shown, hidden, deleted, banned].sort(), `${scope}, before`)
  t.equal((await send('POST', `/admin/comments/${idOf(hidden)}/hide`, {}, ADMIN)).status, 200)
  t.equal((await send('DELETE', `/comments/${idOf(deleted)}`, undefined, ann)).status, 200)
  t.equal((await send('POST', `/admin/wallets/${eve}/ban`, undefined, ADMIN)).status, 200)
  for (const scope of ['all', 'following'] as const) t.same(await listOf(scope), [shown], scope)
  t.equal((await send('POST', `/admin/tokens/${tokenAddress(4)}/hide`, {}, ADMIN)).status, 200)
  for (const scope of ['all', 'following'] as const) t.same(await listOf(scope), [], `${scope}, on a hidden token`)
  await send('POST', `/admin/tokens/${tokenAddress(4)}/unhide`, {}, ADMIN)
  await send('POST', `/admin/wallets/${eve}/unban`, undefined, ADMIN)
  await send('DELETE', `/comments/${idOf(shown)}`, undefined, ann)
  await send('DELETE', `/comments/${idOf(banned)}`, undefined, eve)
  await send('DELETE', `/follows/${eve}`, undefined, dan)
})

t.test('scope=following requires a token', async (t) => {
  t.same(await read('/feed?scope=following'), failure(401, 'Missing bearer token'))
  t.same(
    await read('/api/feed?scope=following', { authorization: 'Bearer a.b.c' }),
    failure(401, 'Invalid or expired token'),
  )
})

t.test('an invalid scope, limit or cursor is rejected', async (t) => {
  t.same(await read('/feed?scope=none'), failure(400, 'query.scope must be one of all, following'))
  t.same(await read('/feed?limit=101'), failure(400, 'query.limit must be <= 100'))
  const { nextCursor } = (await read<Static<typeof FeedList>>('/feed?limit=1')).body.data
  const foreign = failure(400, 'query.cursor is not a cursor of this list')
  t.same(await read(`/feed?scope=following&cursor=${nextCursor}`, as(dan)), foreign)
})

t.test('a page of the feed is one query', async (t) => {
  const count = await createQueryCounter(t, market)
  for (const limit of [1, 40]) {
    t.same(await count(`/feed?limit=${limit}`), { items: limit, queries: 1 })
    t.match(await count(`/feed?scope=following&limit=${limit}`, dan), { queries: 1 })
  }
})
