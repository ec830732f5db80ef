import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Address, type Hex, numberToHex, parseEther } from 'viem'
import { predictToken } from '../../../chain/token-address.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import type { FirstBuyers } from '../../../schemas/forensics.ts'
import type { Token } from '../../../schemas/tokens.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { deployBatch, launchedToken, makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'

/* One launch for each rule, on a real chain, whose blocks are five seconds apart. */
const { app, node, deployed, accounts, db, test, read } = await createChainApp(t)
const [, ann, sam, lea, tim, eve, joe, ida] = accounts as Address[] as [Address, ...Address[]] &
  Record<1 | 2 | 3 | 4 | 5 | 6 | 7, Address>
const act = makeActions(deployed)
const batch = await deployBatch(node, [ann, sam, lea, tim, eve])
const SUPPLY = 10n ** 27n

type Fields = Required<Pick<Static<typeof Token>, 'risk' | 'suspicious' | 'sniperPct' | 'bundlerPct'>>

/** Indexes to the head, as another process does, and waits until the app has seen it: what it keeps of a token is then read again. */
async function follow(): Promise<void> {
  await indexToHead(db, test)
  const { seq } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirstOrThrow()
  app.live.notifyCommitted()
  await waitUntil('the app has read the outbox', () => app.live.head >= Number(seq))
}

async function readRisk(token: Address) {
  await follow()
  const { risk, suspicious, sniperPct, bundlerPct } = (await read<Fields>(`/tokens/${token}`)).body.data
  for (const [pct, ofRisk] of [
    [sniperPct, risk!.snipers.pct],
    [bundlerPct, risk!.bundlers.pct],
  ])
    if (pct !== ofRisk) throw new Error(`The record has ${pct}, its risk ${ofRisk}`)
  return { ...risk!, suspicious: suspicious! }
}

async function readBuyers(token: Address) {
  await indexToHead(db, test)
  const { items } = (await read<Static<typeof FirstBuyers>>(`/tokens/${token}/first-buyers`)).body.data
  return items.map(({ wallet, flags }) => [wallet, flags.filter((flag) => flag !== 'fresh')] as const)
}

async function balanceOf(token: Address, wallet: Address): Promise<bigint> {
  await indexToHead(db, test)
  const { items } = (
    await read<{ items: { address: string; balance: string }[] }>(`/tokens/${token}/holders?limit=100`)
  ).body.data
  return BigInt(items.find(({ address }) => address === wallet)?.balance ?? 0)
}

const pctOf = (amount: bigint) => Number((amount * 100_000_000n) / SUPPLY) / 1_000_000
const none = { count: 0, pct: 0 }

async function launch(symbol: string, value = '0'): Promise<Address> {
  const [receipt] = await node.run(act.launch(ann, symbol, parseEther(value)))
  return launchedToken(receipt!)
}

t.test('a sniper bought within five seconds of the first trade, and what it holds is what it has left', async (t) => {
  const token = await launch('SNIPE', '0.1')
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await node.run(act.buy(lea, token, parseEther('0.1')))
  const held = await balanceOf(token, sam)
  t.match(await readRisk(token), {
    ...{ snipers: { count: 1, pct: pctOf(held) }, bundlers: none, insiders: none, creatorSoldPct: 0, washTradePct: 0 },
    suspicious: { count: 1, pct: pctOf(held) },
  })
  t.same(await readBuyers(token), [
    [ann, ['creator']],
    [sam, ['sniper']],
    [lea, []],
  ])
  await node.run(act.sell(sam, token, held))
  t.match(await readRisk(token), { snipers: { count: 1, pct: 0 }, suspicious: { count: 1, pct: 0 } }, 'it has sold all')
})

t.test('the first buyer long after the launch opens the trading: the seconds count from there', async (t) => {
  const token = await launch('LATE')
  await node.mine(3_600)
  await node.run(act.buy(sam, token, parseEther('0.1')))
  await node.mine(60)
  await node.run(act.buy(lea, token, parseEther('0.1')))
  t.match(await readBuyers(token), [
    [sam, ['sniper']],
    [lea, []],
  ])
})

t.test('five wallets that buy in one transaction are a bundle, and later ones are not', async (t) => {
  const token = await launch('BUNDLE', '0.1')
  const buys = (wallets: readonly Address[]) => wallets.map((wallet) => act.buy(wallet, token, parseEther('0.05')))
  await node.mine(20)
  await node.run(batch.bundle(ann, buys(batch.wallets)))
  const risk = await readRisk(token)
  t.match(risk, { snipers: none, insiders: none, bundlers: { count: 5 }, suspicious: risk.bundlers })
  let held = 0n
  for (const wallet of batch.wallets) held += await balanceOf(token, wallet)
  t.equal(risk.bundlers.pct, pctOf(held))
  t.same(
    (await readBuyers(token)).map(([, flags]) => flags),
    [['creator'], ...batch.wallets.map(() => ['bundler'])],
  )

  const later = await launch('BATCH', '0.1')
  await node.mine(61)
  await node.run(
    batch.bundle(
      ann,
      batch.wallets.map((wallet) => act.buy(wallet, later, parseEther('0.05'))),
    ),
  )
  t.match(await readRisk(later), { bundlers: none, suspicious: none }, 'a batch of strangers')
})

t.test('one payer who buys for two wallets in a transaction has made a bundle of these', async (t) => {
  const token = await launch('PAYER', '0.1')
  await node.mine(20)
  const { batcher } = batch
  await node.run(
    batch.bundle(ann, [
      act.buy(batcher, token, parseEther('0.05'), eve),
      act.buy(batcher, token, parseEther('0.05'), tim),
    ]),
  )
  t.same(await readBuyers(token), [
    [ann, ['creator']],
    [eve, ['bundler']],
    [tim, ['bundler']],
  ])
})

t.test('four buyers in the block of the launch are a bundle, and three are not', async (t) => {
  for (const [salt, count] of [
    [1_000_001, 4],
    [1_000_002, 3],
  ] as const) {
    const hex = numberToHex(salt, { size: 32 }) as Hex
    const token = predictToken(deployed.launchpad, ann, hex)
    const others = [sam, lea, tim].slice(0, count - 1)
    await node.run(
      { ...act.launch(ann, `FOUR${count}`, parseEther('0.1'), 'Four', { salt: hex }) },
      ...others.map((wallet) => act.buy(wallet, token, parseEther('0.05'))),
    )
    t.match(await readRisk(token), {
      snipers: { count: count - 1 },
      bundlers: { count: count === 4 ? 3 : 0 },
      suspicious: { count: count - 1 },
    })
  }
})

t.test('a creator who dumps through a second wallet has sold, and the wallet is an insider', async (t) => {
  const token = await launch('DUMP', '0.5')
  const bought = await balanceOf(token, ann)
  await node.mine(120)
  await node.run(act.transfer(ann, token, joe, bought))
  t.match(
    await readRisk(token),
    {
      ...{ insiders: { count: 1, pct: pctOf(bought) }, creatorSoldPct: pctOf(bought) },
      ...{ snipers: none, bundlers: none, suspicious: { count: 1, pct: pctOf(bought) } },
    },
    'joe holds what ann had',
  )
  await node.run(act.transfer(joe, token, ida, bought / 4n))
  t.match(await readRisk(token), { insiders: { count: 2, pct: pctOf(bought) } }, 'joe passed a part on')
  await node.run(act.sell(joe, token, bought - bought / 4n))
  t.match(await readRisk(token), {
    ...{ insiders: { count: 2, pct: pctOf(bought / 4n) }, creatorSoldPct: pctOf(bought), washTradePct: 0 },
  })
})

t.test('who sent tokens before it became an insider made nobody one', async (t) => {
  const token = await launch('ORDER', '0.2')
  await node.mine(120)
  await node.run(act.buy(joe, token, parseEther('0.1')))
  await node.run(act.transfer(joe, token, ida, 10n ** 18n))
  await node.run(act.transfer(ann, token, joe, 10n ** 18n))
  t.match(await readRisk(token), { insiders: { count: 1 } }, 'joe alone')
  await node.run(act.transfer(ann, token, sam, 0n), act.transfer(joe, token, ann, 10n ** 18n))
  t.match(await readRisk(token), { insiders: { count: 1 } }, 'neither a transfer of nothing nor the creator')
})

t.test('a wallet that trades with itself makes the volume, and one that holds does not', async (t) => {
  const token = await launch('WASH')
  await node.run(act.buy(lea, token, parseEther('0.3')))
  t.equal((await readRisk(token)).washTradePct, 0)
  for (let round = 0; round < 3; round++) {
    await node.run(act.buy(sam, token, parseEther('0.2')))
    t.equal((await readRisk(token)).washTradePct, 0, 'it holds what it bought')
    await node.run(act.sell(sam, token, await balanceOf(token, sam)))
    const { washTradePct } = await readRisk(token)
    const washed = 0.4 * (round + 1)
    t.ok(Math.abs(washTradePct! - (100 * washed) / (0.3 + washed)) < 1, `${washTradePct} of round trip ${round + 1}`)
  }
})

t.test('a trader who buys, and sells all with a profit, is no wash trader', async (t) => {
  const token = await launch('PROFIT')
  await node.run(act.buy(sam, token, parseEther('0.2')))
  await node.run(act.buy(lea, token, parseEther('1')))
  const held = await balanceOf(token, sam)
  await node.run(act.sell(sam, token, (held * 49n) / 100n))
  t.equal((await readRisk(token)).washTradePct, 0, 'a part for what all had cost')
  await node.run(act.sell(sam, token, await balanceOf(token, sam)))
  t.equal((await readRisk(token)).washTradePct, 0)
})

t.test('a reorg takes a launch’s buyers, transfers and round trips with it, and a rebuild keeps them', async (t) => {
  const token = await launch('REORG', '0.2')
  const quiet = await readRisk(token)
  const bought = await balanceOf(token, ann)
  const steps: Action[][] = [
    [act.buy(sam, token, parseEther('0.1'))],
    [act.transfer(ann, token, joe, bought / 2n)],
    [act.buy(tim, token, parseEther('0.1'))],
  ]
  for (const actions of steps) await node.run(...actions)
  await node.run(act.sell(tim, token, await balanceOf(token, tim)))
  const busy = await readRisk(token)
  t.match(busy, { snipers: { count: 1 }, insiders: { count: 1 }, creatorSoldPct: pctOf(bought / 2n) })
  t.ok(busy.washTradePct! > 30)
  await reindex(db, modules)
  t.same(await readRisk(token), busy)
  await node.reorg(4)
  await node.mine()
  t.same(await readRisk(token), quiet)
})

t.test('lists leave the risk out', async (t) => {
  const { items } = (await read<{ items: Partial<Fields>[] }>('/tokens')).body.data
  t.ok(items.length > 5)
  for (const item of items) t.notOk('risk' in item || 'suspicious' in item)
})
