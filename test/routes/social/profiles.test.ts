import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { toSkeleton } from '../../../db/username-skeleton.ts'
import { checkUsername } from '../../../routes/social/username.ts'
import type { Author, Follow, FollowedList, Profile } from '../../../schemas/profiles.ts'
import type { Token } from '../../../schemas/tokens.ts'
import { HIDDEN } from '../../support/market-rows.ts'
import { creatorOf, timeOf, walletAddress } from '../../support/market-simulation.ts'
import { ann, bob, createPeopleApp, createQueryCounter, dan, eve, failure, readAll } from '../../support/people.ts'

type Person = Static<typeof Profile>
type People = Static<typeof FollowedList>

const market = await createPeopleApp(t)
const { app, db, read, send, tokens } = market
const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
const profileOf = async (wallet: string, headers = {}) => (await read<Person>(`/profiles/${wallet}`, headers)).body.data
const patch = (payload: unknown, wallet: string) => send<Person>('PATCH', '/profiles/me', payload, wallet)
const nobody = {
  username: null,
  bio: null,
  avatarUrl: null,
  followerCount: 0,
  followingCount: 0,
  createdTokens: 0,
  joinedAt: null,
}

t.test('every address has a profile', async (t) => {
  t.same(await profileOf(dan), { wallet: dan, ...nobody, followedByMe: null })
  t.same(await profileOf(dan, as(eve)), { wallet: dan, ...nobody, followedByMe: false })
  t.same(await read(`/api/profiles/0x${dan.slice(2).toUpperCase()}`), await read(`/profiles/${dan}`))
  const malformed = failure(400, 'path.wallet must be a 0x-prefixed address of 20 bytes in hexadecimal')
  t.same(await read('/profiles/me'), malformed)
})

t.test('a profile has the number of launches and the time of the first activity', async (t) => {
  const creator = creatorOf(1)
  const own = tokens.filter((token) => token.creator === creator)
  const listed = own.filter(({ index }) => !HIDDEN.includes(index))
  t.ok(listed.length < own.length)
  t.match(await profileOf(creator), {
    createdTokens: listed.length,
    joinedAt: new Date(timeOf(own[0]?.block ?? 0) * 1000).toISOString(),
  })
  const trader = walletAddress(2)
  const first = Math.min(
    ...tokens.flatMap(({ trades }) => trades.filter((one) => one.trader === trader)).map(({ block }) => block),
  )
  t.equal((await profileOf(trader)).joinedAt, new Date(timeOf(first) * 1000).toISOString())
  const items = await readAll<Static<typeof Token>>(market, `/profiles/${creator}/created?limit=2`, as(ann))
  t.same(
    items.map(({ address }) => address),
    listed.map(({ address }) => address).reverse(),
  )
  t.equal(items[0]?.likedByMe, false)
  t.same((await read(`/profiles/${dan}/created`)).body.data, { items: [], nextCursor: null })
})

t.test('a wallet updates its profile field by field, and clears a field with null', async (t) => {
  const said = { username: 'Harbour_Cat', bio: 'I launch cats.\r\nSometimes dogs. ', avatarUrl: '/uploads/0f3a.webp' }
  const { status, body } = await patch(said, ann)
  t.equal(status, 200)
  const { joinedAt, ...rest } = body.data
  const { joinedAt: _, ...unsaid } = nobody
  t.same(rest, {
    ...unsaid,
    wallet: ann,
    ...said,
    bio: 'I launch cats.\nSometimes dogs.',
    followedByMe: false,
  })
  t.ok(Math.abs(Date.parse(joinedAt as string) - Date.now()) < 60_000)
  t.match((await patch({ bio: null }, ann)).body.data, {
    username: 'Harbour_Cat',
    bio: null,
    avatarUrl: said.avatarUrl,
  })
  t.match(await profileOf(ann), { username: 'Harbour_Cat', bio: null })
})

t.test('a username is unique, in any letter case and among lookalikes', async (t) => {
  const taken = failure(409, 'This username, or one that looks like it, is taken')
  for (const username of ['harbour_cat', 'HARBOURCAT', 'harb0ur_cat', 'Harbour__Cat']) {
    t.same(await patch({ username }, bob), taken, username)
  }
  t.equal((await patch({ username: 'HarbourCat' }, ann)).status, 200, 'its own it may spell otherwise')
  t.equal((await patch({ username: null }, ann)).status, 200)
  t.equal((await patch({ username: 'harbour_cat' }, bob)).status, 200, 'a name given up is free')
  const rush = await Promise.all([ann, eve, dan].map((wallet) => patch({ username: 'first_come' }, wallet)))
  t.same(rush.map(({ status }) => status).sort(), [200, 409, 409])
})

t.test('a profile is found by its username, in any letter case', async (t) => {
  const found = await read<Person>('/profiles/named/Harbour_CAT', as(eve))
  t.same(found.body.data, await profileOf(bob, as(eve)))
  const missing = (id: string) => failure(404, `Profile ${id} not found`)
  for (const name of ['harb0ur_cat', 'HarbourCat', 'somebody_else'])
    t.same(await read(`/profiles/named/${name}`), missing(name), `${name} is another name`)
  for (const name of ['ab', '0xharbour', 'caf%C3%A9', '123'])
    t.equal((await read(`/profiles/named/${name}`)).status, 400, `${name} is no username`)
  await db.updateTable('profiles').set({ banned_at: new Date() }).where('wallet', '=', bob).execute()
  t.same(await read('/profiles/named/harbour_cat'), missing('harbour_cat'), 'nor that of a banned wallet')
  await db.updateTable('profiles').set({ banned_at: null }).where('wallet', '=', bob).execute()
})

t.test('names and avatars of many wallets are read at once', async (t) => {
  type Authors = { items: Static<typeof Author>[] }
  const upper = `0x${bob.slice(2).toUpperCase()}`
  const wallets = [bob, upper, walletAddress(7_500)]
  for (const mount of ['', '/api']) {
    const { body } = await send<Authors>('POST', `${mount}/profiles/batch`, { wallets })
    t.same(body.data.items, [{ wallet: bob, username: 'harbour_cat', avatarUrl: null }])
  }
  const batch = (count: number) => ({ wallets: Array.from({ length: count }, (_, n) => walletAddress(n)) })
  t.equal((await send('POST', '/profiles/batch', batch(200))).status, 200)
  for (const count of [0, 201]) t.equal((await send('POST', '/profiles/batch', batch(count))).status, 400)
  await db.updateTable('profiles').set({ banned_at: new Date() }).where('wallet', '=', bob).execute()
  t.same((await send<Authors>('POST', '/profiles/batch', { wallets })).body.data, { items: [] }, 'not of banned ones')
  await db.updateTable('profiles').set({ banned_at: null }).where('wallet', '=', bob).execute()
})

t.test('equal-looking names have the same skeleton', async (t) => {
  const pairs = [
    ['b0b', 'bob'],
    ['Bil1', 'Bill'],
    ['BiII', 'Bill'],
    ['rnira', 'mira'],
    ['vvave', 'wave'],
    ['5ea1_8ay', 'seal_bay'],
  ]
  for (const [one, other] of pairs) t.equal(toSkeleton(one as string), toSkeleton(other as string), one as string)
  for (const [one, other] of [
    ['bob', 'rob'],
    ['mira', 'mina'],
  ])
    t.not(toSkeleton(one as string), toSkeleton(other as string))
  t.equal(checkUsername('gullible', 'Slipway'), 'gulllble')
})

const form =
  'body.username must be 3 to 20 letters a to z, digits and underscores, with a letter, and not begin with 0x'
const bad: [payload: unknown, error: string][] = [
  ...['ab', 'a'.repeat(21), 'a b', 'bоb', 'josé', '猫猫猫', '0xabc', '0Xabc', '123', '___', 'a\u202eb', 'a.b'].map(
    (username): [unknown, string] => [{ username }, form],
  ),
  ...['admin', 'Adm1n', 'the_admin', '0fficial_cat', 'Slipway', 's1ipway_help', 'support', 'system', 'r00t'].map(
    (username): [unknown, string] => [{ username }, 'body.username is reserved'],
  ),
  [{ bio: 'x'.repeat(301) }, 'body.bio must have at most 300 characters'],
  [{ bio: 'a\u202eb' }, 'body.bio must not contain control characters or bidirectional overrides'],
  [{ avatarUrl: 'http://images.example.org/a.png' }, 'body.avatarUrl must be an https URL or a path under /uploads'],
  [{ avatarUrl: 'javascript:alert(1)' }, 'body.avatarUrl must be an https URL or a path under /uploads'],
  [{ banned_at: null }, 'body.banned_at is not a known field'],
  [{}, 'body must have at least 1 field'],
]
for (const [payload, error] of bad) {
  t.test(`a profile of ${JSON.stringify(payload).slice(0, 40)} is rejected`, async (t) => {
    t.same(await patch(payload, eve), failure(400, error))
  })
}

t.test('a wallet follows another once, and both profiles count it', async (t) => {
  const first = await send<Static<typeof Follow>>('POST', `/follows/${bob}`, undefined, ann)
  t.equal(first.status, 200)
  t.match(first.body.data, { actor: ann, target: bob, followerCount: 1, createdAt: /Z$/ })
  t.same(
    await send('POST', `/api/follows/0x${bob.slice(2).toUpperCase()}`, undefined, ann),
    first,
    'again changes nothing',
  )
  await send('POST', `/follows/${bob}`, undefined, eve)
  await send('POST', `/follows/${eve}`, undefined, ann)
  t.match(await profileOf(bob, as(ann)), { followerCount: 2, followingCount: 0, followedByMe: true })
  t.match(await profileOf(bob, as(dan)), { followedByMe: false })
  t.match(await profileOf(ann), { followerCount: 0, followingCount: 2, followedByMe: null })
  const followers = (await read<People>(`/profiles/${bob}/followers`)).body.data
  t.match(followers, {
    items: [
      { wallet: eve, avatarUrl: null, followerCount: 1 },
      { wallet: ann, followerCount: 0, followedAt: first.body.data.createdAt },
    ],
    nextCursor: null,
  })
  t.same(
    (await read<People>(`/profiles/${ann}/following`)).body.data.items.map(({ wallet, username }) => [
      wallet,
      username,
    ]),
    [
      [eve, (await profileOf(eve)).username],
      [bob, 'harbour_cat'],
    ],
  )
  const over = { actor: ann, target: bob, createdAt: null, followerCount: 1 }
  t.same((await send('DELETE', `/follows/${bob}`, undefined, ann)).body.data, over)
  t.same((await send('DELETE', `/api/follows/${bob}`, undefined, ann)).body.data, over, 'again changes nothing')
  t.match(await profileOf(ann), { followingCount: 1 })
})

/** As if a wallet had followed so many others, one after another. */
async function followMany(follower: string, count: number): Promise<void> {
  const many = Array.from({ length: count }, (_, n) => ({ follower, followee: walletAddress(5_000 + n) }))
  await db.insertInto('follows').values(many).execute()
  await db
    .insertInto('follow_counts')
    .values({ wallet: follower, following: count })
    .onConflict((conflict) => conflict.column('wallet').doUpdateSet({ following: count }))
    .execute()
}

t.test('a wallet follows neither itself nor more than a thousand others', async (t) => {
  t.same(await send('POST', `/follows/${dan}`, undefined, dan), failure(409, 'A wallet cannot follow itself'))
  await followMany(dan, 1_000)
  t.same(await send('POST', `/follows/${bob}`, undefined, dan), failure(409, 'A wallet follows at most 1000 others'))
  t.match(await profileOf(dan), { followingCount: 1000 })
  const again = await send<Static<typeof Follow>>('POST', `/follows/${walletAddress(5_000)}`, undefined, dan)
  t.equal(again.status, 200, 'following again at the limit changes nothing')
})

t.test('concurrent follows do not exceed the limit', async (t) => {
  const gil = walletAddress(15)
  await followMany(gil, 995)
  const others = Array.from({ length: 10 }, (_, n) => walletAddress(9_000 + n))
  const statuses = await Promise.all(
    others.map(async (other) => (await send('POST', `/follows/${other}`, undefined, gil)).status),
  )
  t.same(statuses.toSorted(), [200, 200, 200, 200, 200, 409, 409, 409, 409, 409])
  t.match(await profileOf(gil), { followingCount: 1000 })
})

t.test('followers are listed page by page, each once, also with equal times', async (t) => {
  const crowd = Array.from({ length: 7 }, (_, n) => walletAddress(8_000 + n))
  await db
    .insertInto('follows')
    .values(crowd.map((follower, n) => ({ follower, followee: LIKED, created_at: new Date(1e12 + Math.floor(n / 3)) })))
    .execute()
  const items = await readAll<People['items'][number]>(market, `/profiles/${LIKED}/followers?limit=2`)
  t.same(
    items.map(({ wallet }) => wallet),
    crowd.toReversed(),
  )
  const { nextCursor } = (await read<People>(`/profiles/${LIKED}/followers?limit=2`)).body.data
  const foreign = failure(400, 'query.cursor is not a cursor of this list')
  t.same(await read(`/profiles/${LIKED}/following?cursor=${nextCursor}`), foreign)
  const count = await createQueryCounter(t, market)
  for (const limit of [1, 7]) {
    t.same(await count(`/profiles/${LIKED}/followers?limit=${limit}`), { items: limit, queries: 1 })
  }
})
const LIKED = walletAddress(7_000)
