import t from 'tap'
import { parseEther } from 'viem'
import { makeActions } from '../../support/actors.ts'
import { checkEvents } from '../../support/check-events.ts'
import { headersOf, mounts } from '../../support/client.ts'
import { ADMIN, failure, LABS } from '../../support/people.ts'
import { readTime } from '../../support/raises.ts'
import { listenForSockets, type Received } from '../../support/sockets.ts'
import { createRaisesApp, type RaiseData } from './raises-app.ts'

t.setTimeout(400_000)

const service = await createRaisesApp(t)
const { post, ask, db, node, ann, bob, token, raise, run, index, idOf, readRaise, open } = service
const act = makeActions(service.deployed)
const { connect } = await listenForSockets(t, service.app)

for (const mount of mounts) {
  t.test(`only its creator and operators change the texts of a raise (mount '${mount}')`, async (t) => {
    const [{ number }, other] = [await open(), await open()]
    await index()
    const url = `${mount}/raises/${idOf(number)}`
    const patch = (payload: object, wallet?: string, at = url) =>
      ask<RaiseData>({ method: 'PATCH', url: at, headers: headersOf(service.app, wallet), payload })
    const nothing = { website: null, twitter: null, telegram: null, discord: null }
    const before = await readRaise(number)
    t.match(before, {
      description: null,
      imageUrl: null,
      links: nothing,
      describedAt: null,
      title: 'A harbour for cats',
    })

    const website = 'https://hcat.example.org'
    const first = await patch({ description: 'Moorings.', imageUrl: '/uploads/0f3a.webp', links: { website } }, ann)
    t.equal(first.status, 200)
    const { describedAt } = first.body.data
    t.ok(Math.abs(Date.parse(describedAt!) - Date.now()) < 60_000)
    const said = {
      description: 'Moorings.',
      imageUrl: '/uploads/0f3a.webp',
      links: { ...nothing, website },
      describedAt,
    }
    t.strictSame(first.body.data, { ...before, ...said }, 'and nothing else has changed')
    t.strictSame(await readRaise(number), first.body.data)
    t.match(await readRaise(other.number), { description: null, describedAt: null }, 'of no other raise')

    const second = await patch({ imageUrl: null, links: { telegram: 'https://t.me/boatdog' } }, ADMIN)
    const links = { ...nothing, website, telegram: 'https://t.me/boatdog' }
    t.match(second.body.data, { description: 'Moorings.', imageUrl: null, links })
    t.ok(second.body.data.describedAt! >= describedAt!)
    const { featured, ...shown } = await readRaise(number)
    await post(`/labs/raises/${idOf(number)}/feature`, {}, LABS)
    t.match(await readRaise(number), { ...shown, featured: true }, 'to be featured is not to be described')

    t.strictSame(await patch({ description: 'x' }, bob), failure(403, 'Only the owner may change this raise'))
    t.strictSame(await patch({ description: 'x' }), failure(401, 'Missing bearer token'))
    const unknown = idOf(9_999)
    t.strictSame(
      await patch({ description: 'x' }, ann, `${mount}/raises/${unknown}`),
      failure(404, `Raise ${unknown} not found`),
    )
    for (const [payload, error] of [
      [{}, 'body must have at least 1 field'],
      [{ title: 'Other' }, 'body.title is not a known field'],
      [{ description: 'x'.repeat(1_001) }, 'body.description must have at most 1000 characters'],
      [
        { links: { website: 'http://a.example.org' } },
        'body.links.website must be an https URL, with letters, digits, dots and hyphens in its host',
      ],
    ] as const)
      t.strictSame(await patch(payload, ann), failure(400, error))
    t.match(await readRaise(number), { description: 'Moorings.' })
  })

  t.test(`subscribers of a raise receive changes of its texts (mount '${mount}')`, async (t) => {
    const [client, { number }, other] = [await connect(`${mount}/ws`), await open(), await open()]
    await index()
    for (const room of ['raises', `raise:${idOf(number)}`]) await client.ask({ type: 'subscribe', room })
    const patch = (payload: object, of: bigint, wallet: string) =>
      ask({
        ...{ method: 'PATCH', url: `${mount}/raises/${idOf(of)}`, payload },
        headers: headersOf(service.app, wallet),
      })
    /** The updates that came; the others are about the transactions. */
    const receive = async (count: number) => {
      const updates: Received[] = []
      while (updates.length < count) {
        const message = await client.next()
        if (message.type === 'raise.updated') updates.push(message)
      }
      return updates.map(({ room, data }) => [room, data])
    }

    t.equal((await patch({ description: 'Moorings.' }, number, ann)).status, 200)
    const data = await readRaise(number)
    t.equal(data.description, 'Moorings.')
    t.strictSame(
      await receive(2),
      [
        ['raises', data],
        [`raise:${idOf(number)}`, data],
      ],
      'as the API serves it',
    )
    t.equal((await patch({ description: 'x' }, number, bob)).status, 403)
    t.equal((await patch({ links: {} }, number, ann)).status, 200)
    t.equal((await patch({ description: null }, other.number, ADMIN)).status, 200)
    t.strictSame(
      await receive(1),
      [['raises', await readRaise(other.number)]],
      'no event for a request without a change',
    )

    const { hash, number: opened } = await open()
    const created = await post(`${mount}/raises`, { txHash: hash, description: 'Fish.' }, ann)
    t.equal(created.status, 200)
    t.strictSame(await receive(1), [['raises', await readRaise(opened)]])
    t.match((await readRaise(opened)).description, 'Fish.')
    t.strictSame(client.problems, [], 'each message is what the document of the socket says')
  })

  t.test(`only labs members feature a raise (mount '${mount}')`, async (t) => {
    const { number } = await open()
    await index()
    const url = `${mount}/labs/raises/${idOf(number)}/feature`
    const payload = { description: 'Moorings.' }
    await ask({ method: 'PATCH', url: `/raises/${idOf(number)}`, headers: headersOf(service.app, ann), payload })
    const remove = (wallet?: string, at = url) =>
      ask({
        ...{ method: 'DELETE', url: at },
        headers: wallet ? { authorization: `Bearer ${service.app.issueToken(wallet)}` } : {},
      })
    t.strictSame(await post(url, { reason: 'Good' }, LABS), {
      status: 200,
      body: { success: true, data: { id: idOf(number), featured: true } },
    })
    t.match(await readRaise(number), { featured: true, description: 'Moorings.' })
    t.equal((await remove(LABS)).status, 200)
    t.equal((await readRaise(number)).featured, false)
    const entries = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('subject', '=', idOf(number))
      .orderBy('id')
      .execute()
    t.match(entries, [
      { action: 'raise.feature', actor: LABS, reason: 'Good' },
      { action: 'raise.unfeature', actor: LABS, reason: null },
    ])
    t.strictSame(await post(url, {}, ann), failure(403, 'This wallet is not on the labs list'))
    t.strictSame(await remove(ann), failure(403, 'This wallet is not on the labs list'))
    t.strictSame([(await post(url, {})).status, (await remove()).status], [401, 401])
    const unknown = url.replace(idOf(number), idOf(9_999))
    t.strictSame([(await post(unknown, {}, LABS)).status, (await remove(LABS, unknown)).status], [404, 404])
    const bad = url.replace(idOf(number), '7')
    t.strictSame([(await post(bad, {}, LABS)).status, (await remove(LABS, bad)).status], [400, 400])
    t.equal((await post(url, { reason: 7 }, LABS)).status, 400)
  })
}

t.test('after a reorg, texts and flags are not of another raise or proposal of the wallet', async (t) => {
  await node.run(act.buy(bob, token, parseEther('0.01')))
  const endAt = (await readTime(node)) + 5_000n
  const [first, second] = [
    raise.create(ann, { token, endAt, title: 'A' }),
    raise.create(ann, { token, endAt, title: 'B' }),
  ]
  const [, b] = [await run(first), await run(second)]
  await index()
  const { number } = (await post<{ raises: RaiseData[] }>('/raises', { txHash: b, description: 'Of B.' }, ann)).body
    .data.raises[0]!
  const id = BigInt(number)
  await post(`/labs/raises/${idOf(id)}/feature`, {}, LABS)
  t.match(await readRaise(id), { title: 'B', description: 'Of B.', featured: true })
  const ofBob = raise.create(bob, { token, endAt, title: 'Another', tokenAmount: 1n })
  await node.reorg(2, [
    { action: ofBob, block: 0 },
    { action: first, block: 0 },
    { action: second, block: 1 },
  ])
  await node.mine()
  await index()
  t.match(await readRaise(id), { title: 'A', creator: ann, description: null, describedAt: null, featured: false })
  const headers = headersOf(service.app, ann)
  await ask({
    method: 'PATCH',
    url: `/raises/${idOf(id)}`,
    headers,
    payload: { links: { twitter: 'https://x.com/a' } },
  })
  t.match(await readRaise(id), { description: null, links: { twitter: 'https://x.com/a' }, featured: false })
})

t.test('events of texts match their schemas', async (t) => {
  await checkEvents(t, service, ['raise.updated'])
})
