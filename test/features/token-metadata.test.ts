import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import sharp from 'sharp'
import t from 'tap'
import { enqueueEvents } from '../../db/queries/outbox.ts'
import { claimMetadataRead } from '../../db/queries/token-metadata.ts'
import { findTokens } from '../../db/queries/tokens.ts'
import { readUri } from '../../features/token-metadata/read-uri.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { createGuardedFetch } from '../../lib/http/guarded-fetch.ts'
import { toEvent, toTokenRecord } from '../../records/events.ts'
import type { Token } from '../../schemas/tokens.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createMarketApp } from '../support/market-app.ts'
import { creatorOf, tokenAddress } from '../support/market-simulation.ts'
import { endPauses, nameMetadata } from '../support/name-metadata.ts'

const png = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#e63946' } })
  .png()
  .toBuffer()
const CID = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const IMAGE_CID = 'bafkreibwjuzzns6yf4wytfr5nk6vujb4yja4iejff2k76nshn2z5jkmiy4'
const inline = (document: object) =>
  `data:application/json;base64,${Buffer.from(JSON.stringify(document)).toString('base64')}`
const drawing = (inner: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${inner}</svg>`)}`

/** A gateway of IPFS: the only server that a test of this may ask. */
const asked: string[] = []
let isBusy = false
const unanswered: ServerResponse[] = []
const gateway = createServer((request, response) => {
  asked.push(request.url ?? '')
  if (isBusy) response.writeHead(504).end()
  else if (request.url?.startsWith(`/ipfs/${CID}/silent`)) unanswered.push(response)
  else if (request.url === `/ipfs/${CID}`)
    response.end(JSON.stringify({ name: 'A', image: `ipfs://${CID}/cat%201.png` }))
  else if ([`/ipfs/${CID}/cat%201.png`, `/ipfs/${IMAGE_CID}`].includes(request.url ?? '')) response.end(png)
  else if (request.url === `/ipfs/${CID}/inside`) response.writeHead(302, { location: 'https://127.0.0.1/' }).end()
  else response.writeHead(404).end()
})
await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
t.teardown(() => gateway.close())
const { port } = gateway.address() as AddressInfo

const env = { PUBLIC_URL: 'https://launch.example', IPFS_GATEWAY: `http://127.0.0.1:${port}` }
const { app, db, read, send } = await createMarketApp(t, { ...env, FETCH_METADATA: 'on', DATA_DIR: t.testdir({}) })

let next = 1
const show = async (address: string) => (await read<Static<typeof Token>>(`/tokens/${address}`)).body.data
/** A token of the market that names this on the chain, after it was read. */
async function readToken(metadataUri: string): Promise<Static<typeof Token>> {
  const address = tokenAddress(next++)
  if ((await show(address)).imageUrl !== null) throw new Error('It has an image already')
  await nameMetadata(db, address, metadataUri)
  await app.tokenMetadata.readDue()
  return show(address)
}
const imageOf = async (metadataUri: string) => (await readToken(metadataUri)).imageUrl
const postponeAll = (minutes: number) =>
  db
    .updateTable('metadata_reads')
    .set({ due_at: new Date(Date.now() + minutes * 60_000) })
    .execute()
const listReads = () => db.selectFrom('metadata_reads').selectAll().execute()

const served = async (url: string | null) => sharp((await app.inject(url ?? '/')).rawPayload).metadata()

t.test('an image on IPFS is fetched through the gateway, and stored like an upload', async (t) => {
  const url = await imageOf(`ipfs://${CID}`)
  t.match(url, /^\/uploads\/[0-9a-f]{64}\.webp$/)
  t.same(asked, [`/ipfs/${CID}`, `/ipfs/${CID}/cat%201.png`])
  t.match(await served(url), { format: 'webp', width: 30, height: 20 })
})

t.test('a metadata URI of an image is accepted as the image', async (t) => {
  t.ok(await imageOf(`ipfs://ipfs/${CID}/cat 1.png`))
  t.ok(await imageOf(`data:image/png;base64,${png.toString('base64')}`))
})

t.test('a document may name its image by a CID alone, and its home page as `website`', async (t) => {
  const website = 'https://okie.example.org'
  const token = await readToken(inline({ description: 'Okie', image: IMAGE_CID, twitter: null, website }))
  t.match(token, { description: 'Okie', imageUrl: /^\/uploads\//, links: { website } })
  t.equal(asked.at(-1), `/ipfs/${IMAGE_CID}`)
})

t.test('a document and its image are read from data: URIs', async (t) => {
  const circle = '<circle cx="4" cy="4" r="3" fill="#e63946"/>'
  t.match(await served(await imageOf(inline({ image: drawing(circle) }))), { format: 'webp', width: 512, height: 512 })
  const plain = `data:application/json,${encodeURIComponent(JSON.stringify({ image: drawing(circle) }))}`
  t.ok(await imageOf(plain))
})

t.test('description and links of a document are stored even if its image is unavailable', async (t) => {
  const external_link = 'https://hcat.example.org'
  const communities = { twitter: 'https://x.com/hcat', telegram: 'javascript:alert(1)', discord: 5 }
  const token = await readToken(
    inline({ description: ' The cat.\r\nAsleep. ', external_link, ...communities, image: 'https://127.0.0.1/' }),
  )
  const links = { website: external_link, twitter: communities.twitter, telegram: null, discord: null }
  t.match(token, { description: 'The cat.\nAsleep.', imageUrl: null, links })
  const image = drawing('<circle cx="4" cy="4" r="3"/>')
  const whole = await readToken(inline({ description: 'All of it.', image }))
  t.match(whole, { description: 'All of it.', imageUrl: /^\/uploads\//, links: { website: null } })
})

t.test('only paths below /ipfs/ of the gateway are requested', async (t) => {
  const before = asked.length
  const secret = `http://127.0.0.1:${port}/secret`
  const below = `ipfs://${CID}`
  const uris = [
    ...[secret, `http://127.0.0.1:${port}/ipfs/${CID}`, `${below}/%2e%2e/%2e%2e/secret`, `${below}/../../secret`],
    ...[`${below}/..%2f..%2fsecret`, `${below}/%252e%252e/%252e%252e/secret`, `${below}/..%5c..%5csecret`],
    ...[`${below}/a%00`, `${below}/a?b`, `${below}/a%3Fb`, `${below}/a#b`, `ipfs://${CID}%2f..%2fsecret`],
  ]
  const settings = { publicUrl: env.PUBLIC_URL, ipfsGateway: env.IPFS_GATEWAY, fetchMetadata: 'on' as const }
  const reader = { settings, storage: app.storage, fetch: createGuardedFetch() }
  const bounds = () => ({ maxBytes: 100_000, signal: AbortSignal.timeout(5_000) })
  for (const uri of uris) await t.rejects(readUri(reader, uri, bounds()), { name: 'FetchRejectedError' }, uri)
  t.same(asked.slice(before), [])
  t.ok((await readUri(reader, `ipfs://${CID}/cat%201.png`, bounds())).equals(png))
})

t.test('a metadata upload of this service is read from its storage', async (t) => {
  const answer = await send<{ uri: string }>(
    'POST',
    '/uploads/metadata' as never,
    { name: 'A', image: `ipfs://${CID}/cat%201.png` },
    creatorOf(1),
  )
  t.equal(answer.status, 200)
  const before = asked.length
  t.ok(await imageOf(answer.body.data.uri))
  t.same(asked.slice(before), [`/ipfs/${CID}/cat%201.png`], 'the document was not fetched')
})

const bad: [name: string, uri: string][] = [
  ['a private address', 'https://127.0.0.1/a.png'],
  ['a private address in a document', inline({ image: 'https://169.254.169.254/latest' })],
  ['a redirect to a private address', `ipfs://${CID}/inside`],
  ['plain HTTP', inline({ image: 'http://images.example.org/a.png' })],
  ['a file: URL', inline({ image: 'file:///etc/passwd' })],
  ['a document without an image', inline({ name: 'A' })],
  ['an image that is not a string', inline({ image: { url: 'x' } })],
  ['a document within a document', inline({ image: inline({ image: drawing('<g/>') }) })],
  ['broken JSON', 'data:application/json,{"image":'],
  ['an HTML page', 'data:text/html,<script>alert(1)</script>'],
  ['a document that the gateway lacks', `ipfs://${CID}/missing`],
  ['an invalid IPFS URI', 'ipfs://HCAT/../../admin'],
  ['a drawing with a script', inline({ image: drawing('<script>alert(1)</script>') })],
  ['a drawing that reads files', inline({ image: drawing('<image href="/etc/hostname" width="8" height="8"/>') })],
  ['a drawing that multiplies', inline({ image: drawing('<g id="a"/><use xlink:href="#a"/>') })],
]
for (const [name, uri] of bad) {
  t.test(`${name} leaves a token without an image`, async (t) => {
    t.equal(await imageOf(uri), null)
  })
}

t.test('a document that the gateway lacks is not requested again', async (t) => {
  t.equal(await imageOf(`ipfs://${CID}/nowhere`), null)
  t.same(await listReads(), [])
})

t.test('requests for a token, a list or a preview start no metadata read', async (t) => {
  const address = tokenAddress(next)
  await nameMetadata(db, address, `ipfs://${CID}`)
  await postponeAll(60)
  const [before, queued] = [asked.length, await listReads()]
  for (const path of [`/tokens/${address}`, '/tokens?sort=newest&limit=100', '/tokens/new?limit=100'])
    t.equal((await read(path)).status, 200)
  t.equal((await app.inject(`/og/token/${address}`)).statusCode, 200)
  await app.tokenMetadata.readDue()
  t.same(await listReads(), queued)
  t.equal(asked.length, before)
  await db.deleteFrom('metadata_reads').execute()
})

t.test('reads from a busy gateway are retried after 5 minutes, then 10, at most twelve times', async (t) => {
  const address = tokenAddress(next)
  isBusy = true
  t.equal(await imageOf(`ipfs://${CID}`), null)
  const pause = async () => {
    const { rows } = await sql<{ seconds: number; attempts: number }>`
      select extract(epoch from due_at - now())::float8 as seconds, attempts from metadata_reads`.execute(db)
    return rows[0]
  }
  const first = await pause()
  t.ok(first && first.seconds > 200 && first.seconds <= 300 && first.attempts === 1, JSON.stringify(first))
  const before = asked.length
  await app.tokenMetadata.readDue()
  t.equal(asked.length, before, 'it is left alone meanwhile')
  await endPauses(db)
  await app.tokenMetadata.readDue()
  const second = await pause()
  t.ok(second && second.seconds > 500 && second.seconds <= 600 && second.attempts === 2, JSON.stringify(second))
  await db.updateTable('metadata_reads').set({ attempts: 11 }).execute()
  await endPauses(db)
  await app.tokenMetadata.readDue()
  t.same(await listReads(), [], 'the twelfth attempt is the last')
  await nameMetadata(db, address, `ipfs://${CID}`)
  await db.updateTable('metadata_reads').set({ attempts: 12 }).execute()
  const tried = asked.length
  await app.tokenMetadata.readDue()
  t.same([await listReads(), asked.length], [[], tried], 'also of processes that did not live to see it fail')

  await nameMetadata(db, address, `ipfs://${CID}`)
  await app.tokenMetadata.readDue()
  isBusy = false
  await endPauses(db)
  await app.tokenMetadata.readDue()
  t.ok((await show(address)).imageUrl)
})

t.test('silent servers that one creator names do not delay the tokens of others', async (t) => {
  await db.deleteFrom('token_metadata').execute()
  const before = asked.length
  const silent = [2, 6, 10, 14].map(tokenAddress)
  const honest = tokenAddress(3)
  await nameMetadata(db, honest, `ipfs://${CID}`)
  for (const [index, token] of silent.entries()) await nameMetadata(db, token, `ipfs://${CID}/silent${index}`)
  const updated = Promise.withResolvers<void>()
  const stop = app.live.subscribe(({ type, data }) => {
    if (type === 'token.updated' && data.includes(honest) && JSON.parse(data).imageUrl) updated.resolve()
  })
  t.teardown(stop)
  const done = app.tokenMetadata.readDue()
  await updated.promise
  t.equal(asked.slice(before).filter((path) => path.includes('/silent')).length, 1, 'its own wait for each other')
  // Those that are asked meanwhile.
  isBusy = true
  for (const response of unanswered.splice(0)) response.writeHead(504).end()
  await done
  isBusy = false
  t.equal(asked.slice(before).filter((path) => path.includes('/silent')).length, 4)
  await db.deleteFrom('metadata_reads').execute()
})

t.test('the metadata of a launch is fetched without a request, and token.updated is sent', async (t) => {
  const address = tokenAddress(29)
  const uri = inline({ description: 'New.', image: drawing('<circle cx="4" cy="4" r="3"/>') })
  await nameMetadata(db, address, uri)
  const received: Static<typeof Token>[] = []
  const whole = Promise.withResolvers<void>()
  const stop = app.live.subscribe(({ type, rooms, data }) => {
    if (type !== 'token.updated' || !rooms.includes(`token:${address}`)) return
    received.push(JSON.parse(data))
    if (received.at(-1)?.imageUrl) whole.resolve()
  })
  t.teardown(stop)
  await app.transactionWithEvents(async (trx) => {
    const [row] = await findTokens(trx, [address])
    await enqueueEvents(trx, [toEvent('token.created', ['tokens'], toTokenRecord(row!, testConfig().chainId))])
  })
  const before = app.live.versions.head
  await whole.promise
  t.match(received.at(-1), { address, description: 'New.', imageUrl: /^\/uploads\// })
  await app.tokenMetadata.readDue()
  const { versions } = app.live
  versions.confirm(Number.POSITIVE_INFINITY)
  t.notOk(versions.isCurrent([cacheTagOf(address)], before), 'answers about the token are computed again')
  t.ok(versions.isCurrent([cacheTagOf(tokenAddress(28)), 'staking', 'raises', 'social'], before), 'others are kept')
})

t.test('an image that the creator set is not overwritten', async (t) => {
  const address = tokenAddress(28)
  const image = `data:image/png;base64,${png.toString('base64')}`
  const said = 'https://images.example.org/own.webp'
  await send('PATCH', `/tokens/${address}`, { imageUrl: said }, creatorOf(28))
  await nameMetadata(db, address, image)
  await app.tokenMetadata.readDue()
  t.equal((await read<Static<typeof Token>>(`/tokens/${address}`)).body.data.imageUrl, said)
})

t.test('metadata adds a missing description, and keeps image and links that the creator set', async (t) => {
  const [address, before] = [tokenAddress(0), asked.length]
  const uri = inline({ description: 'Of the chain.', external_link: 'https://a.example', image: `ipfs://${CID}` })
  const said = { imageUrl: 'https://images.example.org/own.webp', links: { website: 'https://own.example.org' } }
  await send('PATCH', `/tokens/${address}`, { ...said, description: null }, creatorOf(0))
  await nameMetadata(db, address, uri)
  await app.tokenMetadata.readDue()
  const { body } = await read<Static<typeof Token>>(`/tokens/${address}`)
  t.match(body.data, { description: 'Of the chain.', ...said })
  t.equal(asked.length, before, 'nothing was fetched')
})

t.test('a metadata read that is interrupted by the stop of its process is due at once', async (t) => {
  // It would claim the reads of the others.
  await app.close()
  await db.deleteFrom('token_metadata').execute()
  const asked = Promise.withResolvers<void>()
  const silent = createServer(() => asked.resolve())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const gateway = { IPFS_GATEWAY: `http://127.0.0.1:${port}`, FETCH_METADATA: 'on', DATA_DIR: t.testdir({}) }
  await nameMetadata(db, tokenAddress(23), `ipfs://${CID}`)
  const { app: other } = await createTestApp({ config: testConfig({ ...env, ...gateway }), services: { db } })
  await other.ready()
  await asked.promise
  await other.close()
  const left = await claimMetadataRead(db, { except: [], seconds: 1 })
  t.match(left, { token: tokenAddress(23) })
  await db.deleteFrom('metadata_reads').execute()
})

t.test('FETCH_METADATA=inline reads only data: URIs, and off reads nothing', async (t) => {
  const before = asked.length
  let index = 24
  for (const mode of ['inline', 'off']) {
    const config = testConfig({ ...env, DATA_DIR: t.testdir({}), FETCH_METADATA: mode })
    const { app: other } = await createTestApp({ config, services: { db } })
    t.teardown(() => other.close())
    for (const uri of [`ipfs://${CID}`, inline({ image: `data:image/png;base64,${png.toString('base64')}` })]) {
      const address = tokenAddress(index++)
      await nameMetadata(db, address, uri)
      await other.tokenMetadata.readDue()
      const { imageUrl } = (await other.inject(`/tokens/${address}`)).json().data
      t.equal(imageUrl !== null, mode === 'inline' && uri.startsWith('data:'), `${mode} ${uri.slice(0, 8)}`)
    }
  }
  t.equal(asked.length, before)
})
