import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { tokenId } from '../../../db/token-ids.ts'
import type { Token } from '../../../schemas/tokens.ts'
import { ADMIN, createMarketApp } from '../../support/market-app.ts'
import { creatorOf, tokenAddress, transactionHash, walletAddress } from '../../support/market-simulation.ts'

const { read, send, db } = await createMarketApp(t)
const url = `/tokens/${tokenAddress(1)}`
const creator = creatorOf(1)
const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })
const patch = (payload: unknown, wallet = creator) => send<Static<typeof Token>>('PATCH', url, payload, wallet)

t.test('the creator updates metadata field by field, and clears a field with null', async (t) => {
  const first = await patch({
    description: 'A dog on a boat.\nBarks at gulls.',
    imageUrl: 'https://images.example.org/dog.webp',
    bannerUrl: '/uploads/0f3a.webp',
    links: { website: 'https://dog.example.org/a?b=c#d', twitter: 'https://x.com/boatdog' },
  })
  t.equal(first.status, 200)
  t.match(first.body.data, {
    address: tokenAddress(1),
    description: 'A dog on a boat.\nBarks at gulls.',
    imageUrl: 'https://images.example.org/dog.webp',
    bannerUrl: '/uploads/0f3a.webp',
    links: {
      website: 'https://dog.example.org/a?b=c#d',
      twitter: 'https://x.com/boatdog',
      telegram: null,
      discord: null,
    },
  })
  const links = { telegram: 'https://t.me/boatdog', discord: 'https://discord.gg/boatdog', twitter: null }
  const second = await patch({ imageUrl: null, links })
  t.match(second.body.data, {
    description: 'A dog on a boat.\nBarks at gulls.',
    imageUrl: null,
    links: { ...links, website: 'https://dog.example.org/a?b=c#d' },
  })
  const {
    likedByMe: _liked,
    watchedByMe: _watched,
    risk: _risk,
    suspicious: _suspicious,
    ...seen
  } = (await read<Static<typeof Token>>(`/api${url}`)).body.data
  const { likedByMe, watchedByMe, ...answered } = second.body.data
  t.same([likedByMe, watchedByMe], [false, false])
  t.same(seen, answered)
})

t.test('an operator can change any token, and is recorded', async (t) => {
  t.equal((await patch({ description: 'Checked.' }, ADMIN)).status, 200)
  const row = await db
    .selectFrom('token_metadata')
    .where('token_id', '=', tokenId(tokenAddress(1)))
    .select('updated_by')
    .executeTakeFirst()
  t.equal(row?.updated_by, ADMIN)
})

t.test('other wallets cannot change metadata', async (t) => {
  t.same(await patch({ description: 'Mine.' }, walletAddress(1)), failure(403, 'Only the owner may change this token'))
  t.same(await send('PATCH', url, { description: 'Mine.' }), failure(401, 'Missing bearer token'))
  t.same(
    await send('PATCH', `/tokens/${walletAddress(1)}`, { description: 'x' }, creator),
    failure(404, `Token ${walletAddress(1)} not found`),
  )
})

const https = 'must be an https URL or a path under /uploads'
const bad: [payload: unknown, error: string][] = [
  [{ description: 'x'.repeat(1001) }, 'body.description must have at most 1000 characters'],
  [{ description: '' }, 'body.description must have at least 1 character'],
  [{ description: 'a\u0000b' }, 'body.description must not contain control characters or bidirectional overrides'],
  [{ description: 'a\u202eb' }, 'body.description must not contain control characters or bidirectional overrides'],
  [{ description: 5 }, 'body.description must be a string'],
  [{ imageUrl: 'http://images.example.org/a.png' }, `body.imageUrl ${https}`],
  [{ imageUrl: 'javascript:alert(1)' }, `body.imageUrl ${https}`],
  [{ imageUrl: '/uploads/../config' }, `body.imageUrl ${https}`],
  [{ bannerUrl: 'https://user@evil.example.org/' }, `body.bannerUrl ${https}`],
  [
    { links: { website: 'ftp://a.example.org' } },
    'body.links.website must be an https URL, with letters, digits, dots and hyphens in its host',
  ],
  [
    { links: { twitter: 'https://evil.example.org/x.com/a' } },
    'body.links.twitter must be the URL of a profile or community on X, without a query',
  ],
  [
    { links: { telegram: 'https://t.me.example.org/a' } },
    'body.links.telegram must be the URL of a channel or group on Telegram, without a query',
  ],
  [
    { links: { discord: 'https://discord.com/channels/1' } },
    'body.links.discord must be the URL of an invitation to a Discord server, without a query',
  ],
  [{ links: { myspace: 'https://myspace.com/a' } }, 'body.links.myspace is not a known field'],
  [{ links: null }, 'body.links must be an object'],
  [{ name: 'Other' }, 'body.name is not a known field'],
  [{}, 'body must have at least 1 field'],
  [[], 'body must be an object'],
]
for (const [payload, error] of bad) {
  t.test(`PATCH with ${JSON.stringify(payload).slice(0, 50)} is rejected`, async (t) => {
    t.same(await patch(payload), failure(400, error))
  })
}

const txHash = transactionHash(1, 1)
for (const path of ['/tokens/create', '/buy', '/sell']) {
  t.test(`POST ${path} requires a token, a transaction hash and a node`, async (t) => {
    const hash = 'must be a 0x-prefixed transaction hash of 32 bytes in hexadecimal'
    t.same(await send('POST', path, { txHash }), failure(401, 'Missing bearer token'))
    t.same(await send('POST', path, {}, creator), failure(400, 'body.txHash is required'))
    t.same(await send('POST', path, { txHash: '0x12' }, creator), failure(400, `body.txHash ${hash}`))
    t.same(await send('POST', `/api${path}`, { txHash: 12 }, creator), failure(400, 'body.txHash must be a string'))
    t.same(await send('POST', path, { txHash, amount: '1' }, creator), failure(400, 'body.amount is not a known field'))
    t.same(await send('POST', path, { txHash }, creator), failure(503, 'The chain node is unreachable'))
  })
}

t.test('metadata of a creation is validated before the node is requested', async (t) => {
  t.same(
    await send('POST', '/tokens/create', { txHash, imageUrl: 'data:image/png;base64,AA' }, creator),
    failure(400, `body.imageUrl ${https}`),
  )
})
