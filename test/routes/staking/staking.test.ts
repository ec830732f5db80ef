import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Address, parseEther } from 'viem'
import { getStakingFigures } from '../../../db/queries/staking/staking-pools.ts'
import type { PoolList, PositionList, StakingPool, SyncedStaking } from '../../../schemas/staking.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { Random } from '../../indexer/fixtures/random.ts'
import { launchStakable } from '../../indexer/fixtures/staking.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { mounts } from '../../support/client.ts'
import { createQueryCounter, failure } from '../../support/people.ts'
import { readEarned } from '../../support/staking.ts'

t.setTimeout(400_000)

type Pool = Static<typeof StakingPool>
type Pools = Static<typeof PoolList>
type Positions = Static<typeof PositionList>
type Synced = Static<typeof SyncedStaking>

const service = await createChainApp(t)
const { node, deployed, read, post, db, test } = service
const index = () => indexToHead(db, test)
const atFirst = await Promise.all(['/staking/pools', '/stats'].map((url) => read(url)))

const { token, stake, owner, ann, bob, eve } = await launchStakable(test)
await node.run(stake.createPool(owner, token))
await node.run(stake.createPool(owner, token, { reward: token, cooldown: 0n, period: 3_600n }))
await node.run(stake.createPool(owner, deployed.weth, { reward: token }), stake.createPool(owner, stake.contract))
const idOf = (number: number) => `${stake.contract}-${number}`
const readPool = async (number: number) => (await read<Pool>(`/staking/pools/${idOf(number)}`)).body.data

await node.run(stake.stake(ann, 1n, parseEther('6000000')), stake.fund(eve, 1n, parseEther('1')))
await node.run(stake.stake(bob, 1n, 5n), stake.stake(ann, 2n, 9n), stake.stake(bob, 2n, 7n))

t.test('before the first pool, lists are empty', async (t) => {
  t.strictSame(atFirst[0]?.body.data, { items: [], nextCursor: null })
  t.match(atFirst[1]?.body.data, { staking: { pools: 0, positions: 0, stakedValue: '0' } })
})

t.test('earned equals the contract’s value at the same time, to the base unit', async (t) => {
  const random = new Random(20_261_121)
  let compared = 0
  const compare = async (what: string) => {
    await index()
    for (const wallet of [ann, bob] as Address[]) {
      const { items } = (await read<Positions>('/staking/positions', wallet)).body.data
      for (const { poolId, earned } of items) {
        compared++
        const number = BigInt(poolId.split('-')[1]!)
        t.equal(earned, String(await readEarned(test, stake.contract, number, wallet)), `${what}: ${poolId} ${wallet}`)
      }
    }
  }
  for (let round = 0; round < 12; round++) {
    await node.mine(random.between(1, 20_000))
    await compare(`round ${round}, later`)
    const amount = BigInt(random.between(1, 1_000_000)) ** 2n
    const [wallet, pool] = [random.pick([ann, bob]), BigInt(random.between(1, 2))]
    const actions = [
      stake.stake(wallet, pool, amount),
      pool === 1n ? stake.fund(eve, 1n, amount) : stake.fund(ann, 2n, amount, 0n),
      stake.unstake(wallet, pool, 1n),
    ]
    await node.run(...actions.slice(0, random.between(1, 3)))
    await compare(`round ${round}, at once`)
  }
  t.ok(compared > 40, `${compared} positions`)
  const { items } = (await read<Positions>(`/staking/positions?wallet=${ann}`)).body.data
  t.ok(items.some(({ earned }) => earned !== '0'))
  const claimed = (await node.run(stake.claim(ann, 1n)))[0]!
  const { events } = (await post<Synced>('/staking/claim', { txHash: claimed.transactionHash }, ann)).body.data
  const before = items.find(({ poolId }) => poolId === idOf(1))!
  t.ok(BigInt(events[0]!.amount) >= BigInt(before.earned), 'a claim pays no less')
})

t.test('a pool has its rate and end, and its yield if prices are known', async (t) => {
  await node.run(stake.fund(eve, 1n, parseEther('1')), stake.fund(ann, 2n, 1_000_000n, 0n))
  await index()
  const [native, same, wrapped, unknown] = await Promise.all([readPool(1), readPool(2), readPool(3), readPool(4)])
  const figures = await db
    .selectFrom('readable_token_figures')
    .selectAll()
    .where('token', '=', token)
    .executeTakeFirstOrThrow()
  const yearly = (pool: Pool) => (Number(pool.rewardRate) / 1e36) * 365 * 86_400
  const value = (Number(native.totalStaked) * Number(figures.virtual_quote)) / Number(figures.virtual_token)
  t.ok(Math.abs(native.aprPct! / ((yearly(native) / value) * 100) - 1) < 1e-6, 'a token launched here against the coin')
  // Dollars are rounded down to eight decimals.
  t.ok(Math.abs(native.totalStakedUsd! - (value / 1e18) * 3_000) < 2e-8)
  t.ok(Math.abs(same.aprPct! / ((yearly(same) / Number(same.totalStaked)) * 100) - 1) < 1e-6, 'a token for itself')
  t.match(
    wrapped,
    { aprPct: null, totalStakedUsd: 0, rewardPerDay: '0', periodFinish: null },
    'nothing staked or funded',
  )
  t.match(unknown, { aprPct: null, totalStakedUsd: null, stakingToken: stake.contract }, 'no price')
  t.equal(native.rewardPerDay, String((BigInt(native.rewardRate) * 86_400n) / 10n ** 36n))
  t.ok(native.periodFinish! > native.asOf)
  await node.mine(40 * 86_400)
  await index()
  t.match(await readPool(1), { aprPct: 0, rewardPerDay: '0', rewardRate: native.rewardRate })

  const { staking } = (await read<{ staking: { stakedValue: string; stakedValueUsd: number } }>('/stats')).body.data
  t.match(staking, { pools: 4, positions: native.stakerCount + same.stakerCount })
  const all = ((Number(native.totalStaked) + Number(same.totalStaked)) * value) / Number(native.totalStaked)
  t.ok(Math.abs(Number(staking.stakedValue) / all - 1) < 1e-6)
  t.ok(Math.abs(staking.stakedValueUsd - (all / 1e18) * 3_000) < 2e-8)
})

t.test('the value of all stakes is unknown only if no staked token has a price', async (t) => {
  const rollback = new Error('rollback')
  /** With these stakes of the token launched here and of one without a price. */
  const readValue = async (priced: number, unpriced: number) => {
    let value: string | null | undefined
    const changed = db.transaction().execute(async (trx) => {
      await trx.updateTable('staking_pools').set({ total_staked: '0' }).execute()
      for (const [number, staked] of [
        [1, priced],
        [4, unpriced],
      ] as const)
        await trx
          .updateTable('staking_pools')
          .set({ total_staked: String(staked) })
          .where('id', '=', idOf(number))
          .execute()
      value = (await getStakingFigures(trx)).staked_value
      throw rollback
    })
    await t.rejects(changed, rollback)
    return value
  }
  t.equal(await readValue(0, 0), '0', 'nothing is staked')
  t.equal(await readValue(0, 1), null)
  const known = await readValue(10 ** 15, 0)
  t.ok(BigInt(known!) > 0n)
  t.equal(await readValue(10 ** 15, 1), known, 'what has no price is left out')
})

for (const mount of mounts) {
  t.test(`pools are listed the latest first, page by page (mount '${mount}')`, async (t) => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const next: string = cursor ? `&cursor=${cursor}` : ''
      const { data }: { data: Pools } = (await read<Pools>(`${mount}/staking/pools?limit=1${next}`)).body
      seen.push(...data.items.map(({ number }) => number))
      cursor = data.nextCursor
    } while (cursor !== null)
    t.strictSame(seen, ['4', '3', '2', '1'])
    const ofToken = (await read<Pools>(`${mount}/staking/pools?token=${token.toUpperCase().replace('0X', '0x')}`)).body
      .data
    t.strictSame(
      ofToken.items.map(({ number }) => number),
      ['2', '1'],
    )
    t.strictSame(
      (await read<Pool>(`${mount}/staking/pools/${idOf(1).toUpperCase().replace('0X', '0x')}`)).body.data,
      await readPool(1),
    )
    t.strictSame(await read(`${mount}/staking/pools/${idOf(99)}`), failure(404, `Staking pool ${idOf(99)} not found`))
    for (const [url, error] of [
      ['pools/1', 'path.id must be the id of a staking pool: an address, a dash and a number'],
      [
        `pools/${idOf(1)}0${'0'.repeat(78)}`,
        'path.id must be the id of a staking pool: an address, a dash and a number',
      ],
      ['pools?cursor=abc', 'query.cursor is not a cursor of this list'],
      ['pools?token=1', 'query.token must be a 0x-prefixed address of 20 bytes in hexadecimal'],
      [
        `positions?wallet=${ann}&pool=7`,
        'query.pool must be the id of a staking pool: an address, a dash and a number',
      ],
      [`positions?wallet=${ann}&cursor=abc`, 'query.cursor is not a cursor of this list'],
    ] as const) {
      t.strictSame(await read(`${mount}/staking/${url}`), failure(400, error), url)
    }
    t.equal((await read(`${mount}/staking/pools?limit=101`)).status, 400)
  })

  t.test(`positions are of the given wallet, or of the signed-in one (mount '${mount}')`, async (t) => {
    const url = `${mount}/staking/positions`
    t.strictSame(await read(url), failure(401, 'Missing bearer token'))
    t.strictSame((await read(url, ann)).body, (await read(`${url}?wallet=${ann}`)).body)
    t.strictSame((await read(`${url}?wallet=${ann}`, bob)).body, (await read(url, ann)).body)
    t.strictSame((await read<Positions>(`${url}?wallet=${eve}`)).body.data, { items: [], nextCursor: null })
    const all = (await read<Positions>(url, ann)).body.data.items
    t.equal(all.length, 2)
    const first = (await read<Positions>(`${url}?limit=1`, ann)).body.data
    const second = (await read<Positions>(`${url}?limit=1&cursor=${first.nextCursor}`, ann)).body.data
    t.strictSame([...first.items, ...second.items], all)
    t.equal(second.nextCursor, null)
    const one = (await read<Positions>(`${url}?wallet=${ann}&pool=${idOf(2)}`)).body.data.items
    t.strictSame(
      one.map(({ poolId }) => poolId),
      [idOf(2)],
    )
  })
}

t.test('a list costs one query for any number of rows', async (t) => {
  const count = await createQueryCounter(t, service)
  for (const url of ['/staking/pools', `/staking/positions?wallet=${ann}`]) {
    const join = url.includes('?') ? '&' : '?'
    const [one, all] = [await count(`${url}${join}limit=1`), await count(`${url}${join}limit=100`)]
    t.ok(one.items < all.items, url)
    t.strictSame([one.queries, all.queries], [1, 1], url)
  }
})

t.test('transactions include staking actions, and the configuration the contract', async (t) => {
  const { items } = (await read<{ items: object[] }>(`/transactions?wallet=${ann}&type=claim&limit=1`)).body.data
  t.match(items, [
    { type: 'claim', wallet: ann, token: null, raise: null, pool: idOf(1), quote: null, amounts: { amount: /^[1-9]/ } },
  ])
  const ofPool = async (query: string) =>
    (await read<{ items: { type: string }[] }>(`/transactions?limit=100&${query}`)).body.data.items
  t.strictSame(
    (await ofPool(`pool=${idOf(2)}`)).map(({ type }) => type).slice(-2),
    ['stake', 'stake'],
    'all that was done at a pool, the last first',
  )
  const ofBob = await ofPool(`pool=${idOf(2)}&wallet=${bob}&type=stake`)
  t.ok(ofBob.length > 0)
  for (const item of ofBob) t.match(item, { type: 'stake', pool: idOf(2), wallet: bob })
  for (const query of [`pool=${idOf(99)}`, `raise=${idOf(2)}`, `pool=${idOf(2)}&token=${token}`])
    t.strictSame(await ofPool(query), [], query)
  const expects = 'query.pool must be the id of a staking pool: an address, a dash and a number'
  t.strictSame(await read('/transactions?pool=1'), failure(400, expects))
  const { contracts } = (await read<{ contracts: { kind: string }[] }>('/config')).body.data
  t.match(
    contracts.find(({ kind }) => kind === 'staking'),
    { address: stake.contract, abi: '/config/abis/staking' },
  )
})
