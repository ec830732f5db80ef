import t from 'tap'
import { type Address, parseEther } from 'viem'
import { Chain } from '../../../chain/rpc/client.ts'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { startIndexer } from '../../../indexer/start.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { startChain } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { on, raw, startHostileNode } from '../../support/hostile/node.ts'
import { deployNadFun } from '../../support/launchpads/nad-fun.ts'
import { deployVenue } from '../../support/launchpads/venue.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'
import { auditLines } from '../fixtures/audited.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

interface Filter {
  address?: string[]
  fromBlock: `0x${string}`
}

t.test('the history of an added launchpad is indexed beside the head, and continues after a kill', async (t) => {
  const test = await startChain(t)
  const { node, deployed, accounts, contracts } = test
  const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  const act = makeActions(deployed)
  const venue = await deployVenue(test, deployed.weth)
  const startBlock = (await node.height()) + 1
  const nadFun = await deployNadFun(test, venue)
  const [launch] = await node.run(act.launch(ann, 'OURS', parseEther('0.1')))
  const ours = launchedToken(launch!)
  const old = await nadFun.createToken(ann, { value: parseEther('10') })
  // More blocks than two ranges of the backfill.
  for (let block = 0; block < 150; block++) {
    if (block % 10 === 0) await node.send([nadFun.actions.buy(bob, old.token, parseEther('1'))])
    if (block === 80) await node.send([nadFun.actions.graduate(bob, old.token)])
    if (block % 15 === 0) await node.send([act.buy(bob, ours, parseEther('0.01'))])
    await node.mine()
  }
  await nadFun.buy(eve, old.token, parseEther('600000'))
  await nadFun.graduate(eve, old.token)

  // Requests for logs of the added launchpad that are not those of the head.
  const hostile = await startHostileNode(t, test.anvil.url)
  const asked: Filter[] = []
  let allowedTo = 0
  let waiting: PromiseWithResolvers<void> | undefined
  let isFailing = true
  const allow = (to: number) => {
    allowedTo = to
    waiting?.resolve()
    waiting = undefined
  }
  hostile.follow(
    on('eth_getLogs', async ({ params: [filter] }) => {
      const { address = [] } = filter as Filter
      if (!address.includes(nadFun.address) || address.includes(deployed.launchpad)) return undefined
      asked.push(filter as Filter)
      if (isFailing) {
        isFailing = false
        return raw(502, 'Bad gateway')
      }
      while (Number((filter as Filter).fromBlock) > allowedTo) {
        waiting ??= Promise.withResolvers()
        await waiting.promise
      }
      return undefined
    }),
  )
  const config = { ...test.config, finality: { unit: 'blocks' as const, amount: 2 } }
  const database = await createTestDatabase(t)
  const { db } = database
  const warnings: string[] = []
  const differences: object[] = []
  const log = {
    ...{ info: () => {}, error: () => {} },
    warn: (_: object, message: string) => void warnings.push(message),
  }
  const start = () => {
    const chain = new Chain([hostile.url], { retries: 0, timeoutMs: 60_000 })
    const onDifference = (difference: object) => void differences.push(difference)
    const indexer = startIndexer({ database, chain, config, log, onDifference, getContracts: async () => contracts })
    t.teardown(() => indexer.stop())
    return indexer
  }
  const isAtHead = async () => {
    const { checkpoint_number: checkpoint } = await db
      .selectFrom('chain_state')
      .select('checkpoint_number')
      .executeTakeFirstOrThrow()
    return checkpoint === (await node.height())
  }
  const countTrades = async (token: string) =>
    (await db.selectFrom('readable_trades').select('log_index').where('token', '=', token).execute()).length
  const readDeployment = () => db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow()

  const first = start()
  await waitUntil('the head is reached', () =>
    db
      .selectFrom('chain_state')
      .select('id')
      .executeTakeFirst()
      .then(async (row) => row !== undefined && (await isAtHead())),
  )
  await db
    .insertInto('deployments')
    .values({ address: nadFun.address, kind: 'nad-fun', start_block: startBlock, added_by: ann })
    .execute()
  await waitUntil('the backfill waits for the node', () => asked.length > 1 && waiting !== undefined)
  t.ok(warnings.includes('No node answers; it continues later'), 'a failure of the node is retried')

  // Held back, it holds nothing up.
  const traded = await countTrades(ours)
  await node.run(act.buy(eve, ours, parseEther('0.02')))
  await waitUntil('the head moves', isAtHead)
  t.equal(await countTrades(ours), traded + 1)
  const later = await nadFun.createToken(bob, { name: 'Yawl', symbol: 'YAWL', value: parseEther('5') })
  await nadFun.buy(eve, later.token, parseEther('3'))
  const { pool } = old
  await venue.swapBuy(eve, pool, parseEther('1'))
  await waitUntil('the head moves', isAtHead)
  t.equal(await countTrades(later.token), 2, 'new launches are indexed at once')
  t.equal(await countTrades(old.token), 0, 'what was launched before is left to the backfill')
  await node.reorg(2)
  await node.mine()
  await waitUntil('a reorg is followed', isAtHead)
  t.equal((await readDeployment()).backfilled_to, null)

  allow(startBlock)
  await waitUntil('a range is indexed', async () => (await readDeployment()).backfilled_to !== null)
  await waitUntil('the next one waits', () => waiting !== undefined)
  const { backfilled_to: reached } = await readDeployment()
  t.ok((await countTrades(old.token)) > 0)
  const stopping = first.stop()
  allow(Number.POSITIVE_INFINITY)
  await stopping
  asked.length = 0
  const second = start()
  await waitUntil('the history is complete', async () => (await readDeployment()).completed_at !== null)
  t.equal(Number(asked[0]!.fromBlock), reached! + 1, 'it continues where it was')
  await nadFun.buy(eve, later.token, parseEther('2'))
  await venue.swapBuy(eve, pool, parseEther('2'))
  await waitUntil('the head is reached', isAtHead)
  await waitUntil('all is proven', async () => {
    const state = await db.selectFrom('chain_state').select('unproven').executeTakeFirstOrThrow()
    return String(state.unproven) === '{}'
  })
  await second.stop()

  // Prices come with every range.
  const own = new Set<string>([nadFun.address, old.token, old.pool, later.token, later.pool, deployed.priceFeed])
  const foreign = asked.flatMap(({ address = [] }) => address).filter((address) => !own.has(address))
  t.same(foreign, [], 'only what belongs to the launchpad is requested')
  t.same(differences, [], 'the proofs find nothing')
  const whole = {
    ...config,
    deployments: [...config.deployments, { kind: 'nad-fun' as const, address: nadFun.address, startBlock }],
  }
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, {
    chain: test.chain,
    config: whole,
    contracts: await resolveContracts(test.chain, whole),
  })
  t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [])
  t.strictSame(await auditLines(db, test), [], 'the audit is clean')
})
