import type { Static } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { buildAlertList, MAX_ALERTS } from '../../../db/queries/alerts.ts'
import type { Alert } from '../../../schemas/alerts.ts'
import { tokenAddress, walletAddress } from '../../support/market-simulation.ts'
import { ann, bob, createPeopleApp, dan, eve, failure, readAll } from '../../support/people.ts'
import { explain, scansOf, uses } from '../../support/plans.ts'
import { replaceLaunch } from '../../support/replace-launch.ts'

type AlertRecord = Static<typeof Alert>

const market = await createPeopleApp(t)
const { app, db, read, send } = market
const [first, second] = [tokenAddress(1), tokenAddress(2)]
const as = (wallet: string) => ({ authorization: `Bearer ${app.issueToken(wallet)}` })
const create = (body: object, wallet: string | undefined = ann) => send<AlertRecord>('POST', '/alerts', body, wallet)
const remove = (id: string, wallet = ann) => send('DELETE', `/alerts/${id}`, undefined, wallet)
const list = (wallet: string, query = '') => readAll<AlertRecord>(market, `/alerts?limit=100${query}`, as(wallet))
const price = { type: 'price', token: first, metric: 'priceUsd', direction: 'above', value: 2 }
const change = { type: 'price_change', token: first, window: 'h6', direction: 'below', value: -12.5 }

t.test('alerts of each kind are listed to their wallet, newest first, at both mounts', async (t) => {
  const empty = {
    metric: null,
    window: null,
    direction: null,
    value: null,
    wallet: null,
    token: null,
    triggeredAt: null,
  }
  const label = { address: first }
  const made = []
  for (const [body, expected] of [
    [price, { ...empty, token: label, metric: 'priceUsd', direction: 'above', value: 2 }],
    [change, { ...empty, token: label, window: 'h6', direction: 'below', value: -12.5 }],
    [
      { type: 'graduation', token: first.toUpperCase().replace('0X', '0x') },
      { ...empty, token: label },
    ],
    [
      { type: 'trade', wallet: bob },
      { ...empty, wallet: { wallet: bob } },
    ],
  ] as const) {
    const { status, body: answer } = await create(body)
    t.equal(status, 200)
    t.match(answer.data, { ...expected, type: body.type })
    t.ok(Math.abs(Date.parse(answer.data.createdAt) - Date.now()) < 60_000)
    made.push(answer.data)
  }
  t.same(await list(ann), made.toReversed())
  t.same((await read<{ items: AlertRecord[] }>('/api/alerts', as(ann))).body.data.items, made.toReversed())
  t.same(await readAll(market, '/alerts?limit=1', as(ann)), made.toReversed(), 'one a page')
  t.same(await list(ann, `&token=${first}`), made.slice(0, 3).toReversed())
  t.same(await list(ann, `&token=${second}`), [])
  t.same(await list(bob), [])
  t.equal((await read('/alerts')).status, 401)

  const again = await create({ type: 'trade', wallet: bob })
  t.equal(again.body.data.id, made[3]?.id, 'one for each wallet')
  t.match(await remove(made[0]!.id, bob), { status: 404 }, 'only the own')
  t.match(await remove(made[0]!.id), { status: 200, body: { data: { id: made[0]!.id, deleted: true } } })
  t.same(await remove(made[0]!.id), failure(404, `Alert ${made[0]!.id} not found`))
  t.match(await remove(made[3]!.id), { status: 200 })
  t.same(await list(ann), [made[2], made[1]])
})

t.test('a market capitalisation is compared as the price of a token', async (t) => {
  const { total_supply: supply, decimals } = await db
    .selectFrom('tokens')
    .select(['total_supply', 'decimals'])
    .where('address', '=', second)
    .executeTakeFirstOrThrow()
  const tokens = Number(supply) / 10 ** decimals
  for (const [metric, measure, threshold] of [
    ['priceNative', 'price', 500],
    ['priceUsd', 'price_usd', 500],
    ['marketCapNative', 'price', 500 / tokens],
    ['marketCapUsd', 'price_usd', 500 / tokens],
  ] as const) {
    const { body } = await create({ ...price, token: second, metric, value: 500 })
    t.match(body.data, { metric, value: 500 })
    const stored = await db
      .selectFrom('token_alerts')
      .selectAll()
      .where('id', '=', Number(body.data.id))
      .executeTakeFirst()
    t.match(stored, { measure, threshold, metric, value: 500, direction: 'above' })
    const { block } = (
      await sql<{ block: number }>`select coalesce(max(checkpoint_number), -1) as block from chain_state`.execute(db)
    ).rows[0]!
    t.equal(stored?.since_block, block)
  }
})

t.test('an invalid field is named by the type of the alert', async (t) => {
  for (const [body, error] of [
    [{ ...change, value: -101 }, 'body.value must be >= -100'],
    [{ ...change, window: 'd7' }, 'body.window must be one of m5, h1, h6, h24'],
    [{ ...change, metric: 'priceUsd' }, 'body.metric is not a known field'],
    [{ type: 'graduation' }, 'body.token is required'],
    [{ type: 'trade', wallet: bob, token: first }, 'body.token is not a known field'],
    [{ ...price, value: '2' }, 'body.value must be a number'],
    [{ ...price, type: 'volume' }, 'body.type must be one of price, price_change, graduation, trade'],
    [{ token: first }, 'body.type is required'],
    [[], 'body must be an object'],
  ] as const)
    t.same(await create(body), failure(400, error), JSON.stringify(body))
})

t.test('what is no alert is refused', async (t) => {
  for (const body of [
    {},
    { ...price, value: 0 },
    { ...price, value: -1 },
    { ...price, value: '2' },
    { ...price, metric: 'volume' },
    { ...price, window: 'h1' },
    { ...change, value: -101 },
    { ...change, window: 'd7' },
    { type: 'graduation' },
    { type: 'trade', wallet: '0x12' },
    { type: 'trade', wallet: bob, token: first },
  ])
    t.equal((await create(body)).status, 400, JSON.stringify(body))
  t.same(await create({ ...price, token: walletAddress(1) }), failure(404, `Token ${walletAddress(1)} not found`))
  t.same(
    await create({ type: 'trade', wallet: ann }),
    failure(409, 'A wallet cannot have an alert about its own trades'),
  )
  t.equal((await send('POST', '/alerts', price)).status, 401)
  await sql`insert into profiles (wallet, banned_at) values (${dan}, now())`.execute(db)
  t.equal((await create(price, dan)).status, 403)
  t.equal((await read(`/alerts?token=${walletAddress(1)}`, as(ann))).status, 404)
})

t.test('an equal alert that waits is returned, also by requests at the same time', async (t) => {
  const ids = []
  for (const body of [price, change, { type: 'graduation', token: first }]) {
    const answers = await Promise.all([body, body, body].map((one) => create(one, bob)))
    t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
    ids.push(...new Set(answers.map(({ body: { data } }) => data.id)))
  }
  for (const other of [{ value: 2.5 }, { direction: 'below' }, { metric: 'priceNative' }, { token: second }])
    ids.push((await create({ ...price, ...other }, bob)).body.data.id)
  t.equal(new Set(ids).size, 7)
  t.same((await list(bob)).map(({ id }) => id).toSorted(), ids.toSorted())
  await db.updateTable('token_alerts').set({ triggered_block: 9 }).where('id', '=', Number(ids[0])).execute()
  t.not((await create(price, bob)).body.data.id, ids[0], 'one that has triggered does not wait')
  await sql`delete from token_alerts where wallet = decode(${bob.slice(2)}, 'hex')`.execute(db)
})

t.test('a wallet has a limited number of alerts, also by requests at the same time', async (t) => {
  await sql`insert into token_alerts (token_id, wallet, measure, direction, threshold, since_block)
    select 1000000 + i, decode(${eve.slice(2)}, 'hex'), 'price', 'above', 1, 0
    from generate_series(1, ${MAX_ALERTS - 1}::integer) i`.execute(db)
  const bodies = [price, change, { type: 'trade', wallet: bob }, { type: 'trade', wallet: ann }]
  const answers = await Promise.all(bodies.map((body) => create(body, eve)))
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
  t.same(
    answers.find(({ status }) => status === 409),
    failure(409, `A wallet has at most ${MAX_ALERTS} alerts`),
  )
  t.equal((await list(eve)).length, 1, 'those about launches that are gone are not listed')
})

t.test('the list is read from its indexes', async (t) => {
  await sql`insert into token_alerts (token_id, wallet, measure, direction, threshold, since_block)
    select i, decode(md5((i % 100)::text) || '00000000', 'hex'), 'price', 'above', 1, 0 from generate_series(1, 5000) i`.execute(
    db,
  )
  await sql`insert into trade_alerts (trader, wallet, since_block)
    select decode(md5(i::text) || '00000000', 'hex'), decode(md5((i % 100)::text) || '00000000', 'hex'), 0
    from generate_series(1, 5000) i`.execute(db)
  await sql`analyze token_alerts, trade_alerts`.execute(db)
  for (const after of [null, 1_000]) {
    const nodes = await explain(db, buildAlertList({ wallet: eve, tokenId: null, limit: 21, after }))
    t.ok(uses(nodes, 'token_alerts_wallet'))
    t.ok(uses(nodes, 'trade_alerts_wallet'))
    t.same(scansOf(nodes, ['token_alerts', 'trade_alerts']), [])
  }
})

t.test('an alert belongs to the launch: one about another at the address is not listed', async (t) => {
  t.equal((await list(ann)).filter(({ token }) => token?.address === first).length, 2)
  await replaceLaunch(db, first, ['token_alerts'])
  t.equal((await list(ann)).filter(({ token }) => token?.address === first).length, 0)
})
