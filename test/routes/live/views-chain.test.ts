import t from 'tap'
import { type Address, parseEther } from 'viem'
import { createFollower } from '../../indexer/fixtures/follower.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { GRADUATING_GAS } from '../../support/chain-fixture.ts'
import { listenForSockets } from '../../support/sockets.ts'
import { reachLastCommit, ViewClient } from '../../support/views/view-client.ts'

/* Views that follow the chain: its clock, its reorgs, and curves on their way to a pool. */
t.setTimeout(400_000)

t.test('views follow the clock of the chain, reorgs, and curves until they graduate', async (t) => {
  const { app, db, read, test } = await createChainApp(t)
  const { node, chain, contracts, accounts, deployed, config } = test
  const { connect } = await listenForSockets(t, app)
  const act = makeActions(deployed)
  const [, creator, trader] = accounts as [Address, Address, Address]
  const follower = createFollower({
    ...{ db, chain, contracts, finality: config.finality },
    onApplied: ({ change }) => app.live.notifyCommitted(change),
  })
  const launch = async (symbol: string) => {
    const [receipt] = await node.run(act.launch(creator, symbol, parseEther('0.05')))
    return launchedToken(receipt!).toLowerCase()
  }
  const buy = async (token: string, amount: string) => {
    await node.send([{ ...act.buy(trader, token as Address, parseEther(amount)), gas: GRADUATING_GAS }])
    await node.mine()
  }

  const open = async (message: object) => {
    const view = new ViewClient(await connect())
    await view.subscribe(message)
    return view
  }
  const newest = await open({ room: 'view:new' })
  const young = await open({ room: 'view', sort: 'newest', filter: { maxAge: 900 } })
  const old = await open({ room: 'view', sort: 'newest', filter: { minAge: 900 } })
  const busy = await open({ room: 'view', sort: 'volume', filter: { 'minVolumeUsd.h1': 1 } })
  const graduating = await open({ room: 'view:graduating' })
  const graduated = await open({ room: 'view:graduated' })
  const views = [newest, young, old, busy, graduating, graduated]
  const index = async () => {
    while ((await follower.step()) === 'again') {
      // Another step.
    }
    await reachLastCommit(app, db)
    for (const view of views) await view.read()
  }
  const lastOf = ({ messages }: ViewClient) => messages.map(({ type }) => type).at(-1)

  const token = await launch('ONE')
  await index()
  for (const view of [newest, young, busy]) t.strictSame(view.list.addresses, [token])
  t.strictSame(old.list.addresses, [])

  await node.mine(890)
  await index()
  t.strictSame(young.list.addresses, [token])
  await node.mine(20)
  await index()
  t.strictSame(young.list.addresses, [], 'it is too old, and has no trades')
  t.equal(lastOf(young), 'view.removed')
  t.strictSame(old.list.addresses, [token])
  t.equal(lastOf(old), 'view.added')
  t.strictSame(busy.list.addresses, [token])
  await node.mine(3_600)
  await index()
  t.strictSame(busy.list.addresses, [], 'its last trade is more than an hour ago')
  t.equal(lastOf(busy), 'view.removed')

  const second = await launch('TWO')
  await index()
  t.strictSame(newest.list.addresses, [second, token])
  await node.reorg(1)
  await index()
  t.strictSame(newest.list.addresses, [token], 'a reorg has taken it back')
  t.strictSame(young.list.addresses, [])

  const progressOf = async () => (await read<{ progressPct: number }>(`/tokens/${token}`)).body.data.progressPct
  const entered: number[] = []
  for (let step = 0; step < 60 && graduating.list.addresses.length === 0; step++) {
    t.ok((await progressOf()) < 70, 'not there before 70 %')
    await buy(token, '0.25')
    await index()
    entered.push(await progressOf())
  }
  t.ok(entered.at(-1)! >= 70, `there at ${entered.at(-1)} %`)
  await buy(token, '20')
  await index()
  t.strictSame(graduating.list.addresses, [])
  t.strictSame(graduated.list.addresses, [token])
  for (const { list } of views) t.strictSame(list.problems, [])
})
