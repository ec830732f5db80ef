import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { raisesAbi } from '../../../chain/abi/raises.ts'
import { raiseStatuses, raiseStatusOf } from '../../../chain/raises.ts'
import type { RaiseEvent, SyncedRaise, SyncedRaises } from '../../../schemas/raise-events.ts'
import { Random } from '../../indexer/fixtures/random.ts'
import { countStatuses, mounts } from '../../support/client.ts'
import { createQueryCounter, failure } from '../../support/people.ts'
import { reachTime, readTime } from '../../support/raises.ts'
import { type CommitmentData, createRaisesApp, type RaiseData } from './raises-app.ts'

interface Raises {
  items: RaiseData[]
  nextCursor: string | null
}
interface Commitments {
  items: CommitmentData[]
  nextCursor: string | null
}
type Synced = Static<typeof SyncedRaise>

t.setTimeout(400_000)

const service = await createRaisesApp(t)
const { node, deployed, read, post, accounts, chain, before, index } = service
const { token, raise, owner, ann, bob, eve, idOf, run, readRaise, commit, open, countRaises } = service

t.test('before the first raise, lists and statistics are empty', async (t) => {
  t.strictSame(before[0]?.body.data, { items: [], nextCursor: null })
  const none = { total: 0, open: 0, proposals: 0, committed: '0', released: '0', refunded: '0' }
  t.match(before[1]?.body.data, { raises: none })
})

for (const mount of mounts) {
  t.test(`a raise is synced from opening to claims with the indexer stopped (mount '${mount}')`, async (t) => {
    const now = await readTime(node)
    const times = { registrationStart: now, startAt: now + 100n, endAt: now + 1_000n }
    const { number, hash } = await open(times)
    const url = `${mount}/raises/${idOf(number)}`
    const said = { description: 'Moorings.', links: { website: 'https://hcat.example.org' } }
    const opened = await post<Static<typeof SyncedRaises>>(`${mount}/raises`, { txHash: hash, ...said }, ann)
    t.equal(opened.status, 200)
    t.match(opened.body.data.raises, [
      {
        ...{ id: idOf(number), number: String(number), creator: ann, token, title: 'A harbour for cats' },
        ...{ description: 'Moorings.', links: { website: 'https://hcat.example.org', twitter: null } },
        ...{ status: 'registration', tokenSymbol: 'ONE', totalCommitted: '0', myCommitment: null, featured: false },
      },
    ])
    const sync = async (act: string, txHash: Hex, wallet: Address) => {
      const { status, body } = await post<Synced>(`${url}/${act}`, { txHash }, wallet)
      t.equal(status, 200, act)
      t.match(body.data.events, [{ raiseId: idOf(number), wallet, txHash, proposalId: null }])
      return body.data
    }
    const registered = await sync('register', await run(raise.register(bob, number)), bob)
    t.match(registered.raise, { registeredCount: 1, myCommitment: { registered: true, amount: '0' } })
    await sync('register', await run(raise.register(eve, number)), eve)
    await reachTime(node, times.startAt)
    await sync('commit', await commit(number, eve, '2'), eve)
    const committed = await sync('commit', await commit(number, bob, '6'), bob)
    t.match(committed.events, [{ type: 'commit', amount: String(parseEther('6')) }])
    t.match(committed.raise, {
      ...{ status: 'active', totalCommitted: String(parseEther('8')), participantCount: 2, progressPct: 80 },
      myCommitment: { amount: String(parseEther('6')), sharePct: 75, claimable: '0', refundable: '0' },
    })
    await reachTime(node, times.endAt)
    await index()
    t.equal((await readRaise(number)).status, 'succeeded', 'without anybody’s write')
    const finalized = await sync('finalize', await run(raise.finalize(owner, number)), owner)
    t.match(finalized.raise, { status: 'finalized', escrow: String(parseEther('8')) })
    t.equal((await readRaise(number, bob)).myCommitment?.claimable, '750')
    const claimed = await sync('claim', await run(raise.claim(bob, number)), bob)
    t.match(claimed.events, [{ type: 'claim_raise', amount: '750' }])
    t.match(claimed.raise.myCommitment, { claimed: true, tokensClaimed: '750', claimable: '0' })
    const { items } = (await read<Commitments>(`${url}/commitments`)).body.data
    t.match(items, [
      { wallet: bob, amount: String(parseEther('6')), status: 'finalized', claimed: true },
      { wallet: eve, sharePct: 25, claimed: false, claimable: '250' },
    ])
  })

  t.test(`a raise that fails or is cancelled refunds its commitments (mount '${mount}')`, async (t) => {
    const failing = await open()
    await commit(failing.number, bob, '1')
    await reachTime(node, failing.endAt)
    await index()
    t.match(await readRaise(failing.number, bob), {
      ...{ status: 'failed', escrow: '0' },
      myCommitment: { refundable: String(parseEther('1')), refunded: false },
    })
    const cancelled = await open()
    await commit(cancelled.number, bob, '1')
    await run(raise.cancel(ann, cancelled.number))
    for (const [{ number }, status] of [
      [failing, 'failed'],
      [cancelled, 'cancelled'],
    ] as const) {
      const txHash = await run(raise.refund(bob, number))
      const { status: code, body } = await post<Synced>(`${mount}/raises/${idOf(number)}/refund`, { txHash }, bob)
      t.equal(code, 200)
      t.match(body.data.events, [{ type: 'refund', amount: String(parseEther('1')) }])
      t.match(body.data.raise, {
        ...{ status, refunded: String(parseEther('1')) },
        myCommitment: { refunded: true, refundedAmount: String(parseEther('1')), refundable: '0' },
      })
    }
  })
}

t.test('one of a hundred parallel syncs of a hash succeeds', async (t) => {
  const { number } = await open({ endAt: (await readTime(node)) + 50_000n })
  const txHash = await commit(number, eve, '1')
  const statuses = await countStatuses(100, (at) =>
    post(`${mounts[at % 2]}/raises/${idOf(number)}/commit`, { txHash }, eve),
  )
  t.strictSame(statuses, { 200: 1, 409: 99 })
})

t.test('the status equals the contract’s at the same time, in records and filtered lists', async (t) => {
  const random = new Random(20_261_121)
  const codes = () =>
    Promise.all(
      Array.from({ length: Number(countRaises()) }, (_, at) =>
        chain.client.readContract({
          ...{ address: deployed.raises, abi: raisesAbi, functionName: 'status', args: [BigInt(at + 1)] },
        }),
      ),
    )
  const seen = new Set<string>()
  for (let round = 0; round < 14; round++) {
    const now = await readTime(node)
    const [start, length] = [BigInt(random.between(10, 3_000)), BigInt(random.between(10, 3_000))]
    const times = { startAt: now + start, endAt: now + start + length }
    const registered = random.next() < 0.5
    const { number } = await open({
      ...times,
      ...(registered && { registrationStart: now + start / BigInt(random.between(2, 5)) }),
      goalMin: random.next() < 0.5 ? 1n : parseEther('4'),
    })
    if (!registered && random.next() < 0.7) {
      await reachTime(node, times.startAt)
      // What comes too late is refused, and changes nothing.
      await node.send([raise.commit(bob, number, random.next() < 0.3 ? parseEther('20') : parseEther('1'))])
      await node.mine()
    }
    if (random.next() < 0.4) await node.send([raise.finalize(eve, BigInt(random.between(1, Number(countRaises()))))])
    if (random.next() < 0.2) await node.send([raise.cancel(ann, number)])
    await node.mine(random.between(1, 1_200))
    await index()
    const expected = new Map((await codes()).map((code, at) => [idOf(at + 1), raiseStatusOf(code)]))
    const { items } = (await read<Raises>('/raises?limit=100')).body.data
    t.strictSame(new Map(items.map(({ id, status }) => [id, status])), expected, `round ${round}`)
    for (const status of raiseStatuses) {
      const listed = (await read<Raises>(`/raises?status=${status}&limit=100`)).body.data.items.map(({ id }) => id)
      const wanted = items.filter((item) => item.status === status).map(({ id }) => id)
      t.strictSame(listed, wanted, `round ${round}, ${status}`)
      if (wanted.length > 0) seen.add(status)
    }
  }
  t.strictSame([...seen].sort(), [...raiseStatuses].sort(), 'every status occurred')
})

for (const mount of mounts) {
  t.test(`raises are listed newest first, page by page, and filtered (mount '${mount}')`, async (t) => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const next: string = cursor ? `&cursor=${cursor}` : ''
      const { data }: { data: Raises } = (await read<Raises>(`${mount}/raises?limit=7${next}`)).body
      seen.push(...data.items.map(({ number }) => number))
      cursor = data.nextCursor
    } while (cursor !== null)
    t.strictSame(
      seen,
      Array.from({ length: Number(countRaises()) }, (_, at) => String(Number(countRaises()) - at)),
    )
    const count = async (query: string) =>
      (await read<Raises>(`${mount}/raises?limit=100&${query}`)).body.data.items.length
    t.equal(await count(`creator=${ann}&token=${token}`), Number(countRaises()))
    t.equal(await count(`creator=${bob}`), 0)
    t.equal(await count(`token=${bob}`), 0)
    const unknown = idOf(9_999)
    for (const rest of ['', '/commitments', '/proposals']) {
      const url = `${mount}/raises/${unknown}${rest}`
      t.strictSame(await read(url), failure(404, `Raise ${unknown} not found`), url)
    }
    const expects = 'path.id must be the id of a raise: an address, a dash and a number'
    for (const [url, error] of [
      ['/raises/1', expects],
      [`/raises/${idOf(1).replace(/-1$/, '-01')}`, expects],
      ['/raises/1/commitments', expects],
      ['/raises/1/proposals', expects],
      ['/raises?cursor=abc', 'query.cursor is not a cursor of this list'],
      [`/raises/${idOf(1)}/commitments?cursor=abc`, 'query.cursor is not a cursor of this list'],
      [`/raises/${idOf(1)}/proposals?cursor=abc`, 'query.cursor is not a cursor of this list'],
      ['/raises?creator=1', 'query.creator must be a 0x-prefixed address of 20 bytes in hexadecimal'],
    ] as const) {
      t.strictSame(await read(`${mount}${url}`), failure(400, error), url)
    }
    t.equal((await read(`${mount}/raises?status=over`)).status, 400)
    t.equal((await read(`${mount}/raises?limit=101`)).status, 400)
    const first = (await read<Commitments>(`${mount}/raises/${idOf(1)}/commitments?limit=1`)).body.data
    const rest = `${mount}/raises/${idOf(1)}/commitments?limit=1&cursor=${first.nextCursor}`
    const second = (await read<Commitments>(rest)).body.data
    t.strictSame(
      [...first.items, ...second.items].map(({ wallet }) => wallet),
      [bob, eve],
    )
    t.equal(second.nextCursor, null)
    const capital = `${mount}/raises/${idOf(1).toUpperCase().replace('0X', '0x')}`
    t.strictSame((await read<RaiseData>(capital)).body.data, await readRaise(1n))
  })
}

t.test('the number of queries of a list does not depend on its rows', async (t) => {
  const count = await createQueryCounter(t, service)
  for (const [url, wallet, queries] of [
    ['/raises', undefined, 1],
    ['/raises', bob, 2],
    [`/raises/${idOf(1)}/commitments`, undefined, 1],
  ] as const) {
    const [one, all] = [await count(`${url}?limit=1`, wallet), await count(`${url}?limit=100`, wallet)]
    t.ok(one.items < all.items, url)
    t.strictSame([one.queries, all.queries], [queries, queries], url)
  }
})

t.test('transactions, statistics, configuration and portfolios include raises', async (t) => {
  const { items } = (await read<{ items: Static<typeof RaiseEvent>[] }>(`/transactions?wallet=${bob}&type=commit`)).body
    .data
  t.match(items.at(-1), {
    type: 'commit',
    raise: idOf(1),
    token: null,
    pool: null,
    quote: { symbol: 'ETH' },
    amounts: { quoteAmount: /^\d+$/ },
  })
  t.equal((await read(`/transactions?type=finalize`)).status, 200)
  const listed = async (query: string) =>
    (await read<{ items: { type: string; wallet: string }[] }>(`/transactions?limit=100&${query}`)).body.data.items
  const ofRaise = await listed(`raise=${idOf(1).toUpperCase().replace('0X', '0x')}`)
  t.strictSame(
    ofRaise.map(({ type, wallet }) => [type, wallet]).reverse(),
    [
      ...[['raise_create', ann] as const, ['register', bob] as const, ['register', eve] as const],
      ...[
        ['commit', eve] as const,
        ['commit', bob] as const,
        ['finalize', owner] as const,
        ['claim_raise', bob] as const,
      ],
    ],
    'all that was done to a raise, the last first',
  )
  t.strictSame(
    await listed(`raise=${idOf(1)}&type=commit&wallet=${bob}`),
    ofRaise.filter(({ type, wallet }) => type === 'commit' && wallet === bob),
  )
  for (const query of [
    `raise=${idOf(1)}&token=${token}`,
    `raise=${idOf(1)}&type=buy`,
    `pool=${idOf(1)}`,
    `raise=${idOf(9_999)}`,
  ])
    t.strictSame(await listed(query), [], query)
  const expects = 'query.raise must be the id of a raise: an address, a dash and a number'
  t.strictSame(await read('/transactions?raise=1'), failure(400, expects))
  const { contracts } = (await read<{ contracts: { kind: string }[] }>('/config')).body.data
  t.match(
    contracts.find(({ kind }) => kind === 'raises'),
    { address: raise.contract, abi: '/config/abis/raises' },
  )
  t.equal((await read('/config/abis/raises')).status, 200)
  const all = (await read<Raises>('/raises?limit=100')).body.data.items
  const sum = (name: 'totalCommitted' | 'released' | 'refunded') =>
    String(all.reduce((total, item) => total + BigInt(item[name]), 0n))
  const { raises: figures } = (await read<{ raises: object }>('/stats')).body.data
  t.match(figures, {
    ...{ total: all.length, open: all.filter(({ status }) => status === 'active').length },
    ...{ committed: sum('totalCommitted'), released: sum('released'), refunded: sum('refunded') },
  })
  const { commitments } = (await read<{ commitments: CommitmentData[] }>(`/portfolio?wallet=${bob}`)).body.data
  t.equal(new Set(commitments.map(({ raiseId }) => raiseId)).size, commitments.length)
  t.match(
    commitments.find(({ raiseId }) => raiseId === idOf(1)),
    { title: 'A harbour for cats', token, amount: String(parseEther('6')), status: 'finalized', claimed: true },
  )
  t.strictSame((await read<{ commitments: object[] }>(`/portfolio?wallet=${accounts[7]}`)).body.data.commitments, [])
})
