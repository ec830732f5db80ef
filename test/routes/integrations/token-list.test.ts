import fc from 'fast-check'
import t from 'tap'
import { getAddress } from 'viem'
import { tokenId } from '../../../db/token-ids.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { isChecksummed } from '../../support/feeds/dex-feed.ts'
import { findListProblems } from '../../support/feeds/token-list-schema.ts'
import { ADMIN, createMarketApp } from '../../support/market-app.ts'
import { HIDDEN } from '../../support/market-rows.ts'
import { FINALIZED, type SimulatedToken, tokenAddress } from '../../support/market-simulation.ts'

interface Listed {
  chainId: number
  address: string
  decimals: number
  name: string
  symbol: string
  logoURI?: string
}
interface List {
  name: string
  timestamp: string
  version: { major: number; minor: number; patch: number }
  tokens: Listed[]
}

const { app, db, tokens, read, send } = await createMarketApp(t)
const readList = async (query = '') => (await read(`/integrations/tokenlist${query}`)).body as unknown as List
const graduated = tokens.filter(({ status, index }) => status === 'graduated' && !HIDDEN.includes(index))

t.test('the list passes the published schema and has graduated tokens in order of graduation', async (t) => {
  const list = await readList()
  t.same(findListProblems(list), [])
  const wanted = [...graduated].sort((a, b) => (a.graduatedBlock ?? 0) - (b.graduatedBlock ?? 0))
  t.same(
    list.tokens.map(({ address }) => address.toLowerCase()),
    wanted.map(({ address }) => address),
  )
  t.ok(
    list.tokens.every(
      ({ address, chainId, decimals }) => isChecksummed(address) && chainId === 31_337 && decimals === 18,
    ),
  )
})

t.test('include=all has every final, visible token', async (t) => {
  const list = await readList('?include=all')
  t.same(findListProblems(list), [])
  const wanted = tokens.filter(({ index, block }) => !HIDDEN.includes(index) && block <= FINALIZED)
  t.same(
    list.tokens.map(({ address }) => address.toLowerCase()),
    wanted.map(({ address }) => address),
  )
  t.equal(list.tokens[0]?.logoURI, 'https://images.example.org/hcat.webp')
  t.not(list.name, (await readList()).name)
})

t.test('both paths, mounts and replicas return the same bytes, and a matching ETag gets 304', async (t) => {
  const { app: replica } = await createTestApp({ config: testConfig({ RATE_LIMITS: 'off' }), services: { db } })
  t.teardown(() => replica.close())
  const first = await app.inject('/integrations/tokenlist')
  for (const url of ['/integrations/tokenlist.json', '/api/integrations/tokenlist', '/api/integrations/tokenlist.json'])
    t.equal((await app.inject(url)).body, first.body)
  t.equal((await replica.inject('/integrations/tokenlist')).body, first.body)
  const headers = { 'if-none-match': first.headers.etag as string }
  t.equal((await replica.inject({ url: '/integrations/tokenlist', headers })).statusCode, 304)
})

const order = ({ version: { major, minor, patch } }: List) => [major, minor, patch] as const
/** Which part of the version went up: 0 major, 1 minor, 2 patch, 3 none; -1 if it went back. */
function compare(before: List, after: List): number {
  const [a, b] = [order(before), order(after)]
  const at = a.findIndex((part, index) => part !== b[index])
  if (at < 0) return 3
  return (b[at] as number) > (a[at] as number) ? at : -1
}
/** Which part has to go up at least, by the rules of token lists. */
function demand(before: List, after: List): number {
  const had = new Map(before.tokens.map((token) => [token.address, JSON.stringify(token)]))
  const has = new Map(after.tokens.map((token) => [token.address, JSON.stringify(token)]))
  if ([...had.keys()].some((address) => !has.has(address))) return 0
  if ([...has.keys()].some((address) => !had.has(address))) return 1
  return [...has].some(([address, token]) => had.get(address) !== token) ? 2 : 3
}

const [one, two] = graduated as [SimulatedToken, SimulatedToken]
const hide = (address: string, verb = 'hide') =>
  send('POST', `/admin/tokens/${address}/${verb}`, { reason: 'test' }, ADMIN)
const picture = ({ address, creator }: SimulatedToken, imageUrl: string | null) =>
  send('PATCH', `/tokens/${address}`, { imageUrl }, creator)
const graduate = (index: number, block: number) =>
  db
    .updateTable('token_figures')
    .set({ status: 'graduated', graduated_block: block, graduated_log: index, graduated_at: 2_000_200_000 + block })
    .where('token_id', '=', tokenId(tokenAddress(index)))
    .execute()

t.test('each change increases the documented part of the version, and nothing else does', async (t) => {
  const steps: [what: string, change: () => Promise<unknown>, part: number][] = [
    ['nothing', async () => {}, 3],
    ['a token is hidden', () => hide(one.address), 0],
    ['it is hidden again', () => hide(one.address), 3],
    ['it is shown again', () => hide(one.address, 'unhide'), 1],
    ['a picture is given', () => picture(two, 'https://images.example.org/a.webp'), 2],
    ['the same picture is given', () => picture(two, 'https://images.example.org/a.webp'), 3],
    ['the picture is another', () => picture(two, '/uploads/abc.webp'), 2],
    [
      'something else is said of it',
      () => send('PATCH', `/tokens/${two.address}`, { description: 'A gull' }, two.creator),
      3,
    ],
    ['the picture is taken away', () => picture(two, null), 2],
    ['a token graduates, and is not final', () => graduate(20, FINALIZED + 1), 3],
    [
      'its graduation becomes final',
      () =>
        db
          .updateTable('chain_state')
          .set({ finalized_number: FINALIZED + 1 })
          .execute(),
      1,
    ],
    ['a token that is not on the list is hidden', () => hide(tokenAddress(1)), 3],
    [
      'a picture of a token that is not on the list changes',
      () => picture(tokens[2] as SimulatedToken, 'https://a.example.org/b.webp'),
      3,
    ],
  ]
  let before = await readList()
  for (const [what, change, part] of steps) {
    await change()
    const after = await readList()
    t.same(findListProblems(after), [], what)
    t.equal(compare(before, after), part, what)
    t.ok(demand(before, after) >= part, what)
    t.ok(after.timestamp >= before.timestamp, what)
    if (part === 3) t.same(after, before, `${what}: a version never has two forms`)
    before = after
  }
})

t.test('for any sequence of changes the version increases as documented and never decreases', async (t) => {
  const change = fc.record({
    // The first token stays, because a list cannot be empty.
    token: fc.integer({ min: 1, max: graduated.length - 1 }),
    what: fc.constantFrom('hide', 'unhide', 'picture', 'none'),
    to: fc.nat(3),
  })
  const run = fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const before = await readList()
      for (const { token, what, to } of changes) {
        const target = graduated[token] as SimulatedToken
        if (what === 'hide' || what === 'unhide') await hide(target.address, what)
        if (what === 'picture') await picture(target, to === 0 ? null : `https://a.example.org/${to}.webp`)
      }
      const after = await readList()
      const [rose, wanted] = [compare(before, after), demand(before, after)]
      return rose >= 0 && rose <= wanted
    }),
    { numRuns: 25 },
  )
  await t.resolves(run)
  for (const { address } of graduated) await hide(address, 'unhide')
})

t.test('the path of an upload becomes an absolute URL', async (t) => {
  await picture(two, '/uploads/abc.webp')
  const listed = (await readList()).tokens.find(({ address }) => address === getAddress(two.address))
  t.equal(listed?.logoURI, 'http://localhost:3000/uploads/abc.webp')
})

t.test('an empty part and an invalid part are errors in the envelope', async (t) => {
  t.same(await read('/integrations/tokenlist?part=2'), {
    status: 404,
    body: { success: false, data: null, error: 'Token list graduated 2 not found' },
  })
  t.same(await read('/integrations/tokenlist?part=0'), {
    status: 400,
    body: { success: false, data: null, error: 'query.part must be >= 1' },
  })
  t.same(await read('/integrations/tokenlist?include=some'), {
    status: 400,
    body: { success: false, data: null, error: 'query.include must be one of graduated, all' },
  })
})

t.test('a part has up to ten thousand tokens; hiding one moves none to another part', async (t) => {
  const copies = 10_050
  await db.deleteFrom('token_figures').where('status', '=', 'curve').execute()
  for (let at = 0; at < copies; at += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, copies - at) }, (_, index) => at + index)
    const address = (id: number) => `0xc0b7${id.toString(16).padStart(36, '0')}`
    const template = await db
      .selectFrom('tokens')
      .selectAll()
      .where('address', '=', tokenAddress(5))
      .executeTakeFirstOrThrow()
    await db
      .insertInto('tokens')
      .values(ids.map((id) => ({ ...template, id: 1_000 + id, address: address(id), log_index: id })))
      .execute()
    await db
      .insertInto('token_figures')
      .values(
        ids.map((id) => ({
          token_id: 1_000 + id,
          status: 'graduated',
          graduated_block: 1,
          graduated_log: id,
          graduated_at: 5,
          created_block: 1,
          created_log: id,
        })),
      )
      .execute()
  }
  const [first, second] = [await readList(), await readList('?part=2')]
  t.equal(first.tokens.length, 10_000)
  t.same(findListProblems(first), [])
  t.not(second.name, first.name)
  await hide((first.tokens[7] as Listed).address)
  t.same(await readList('?part=2'), second)
  t.equal((await readList()).tokens.length, 9_999)
})
