import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther, toHex, zeroAddress } from 'viem'
import { AppError } from '../../errors.ts'
import { decodeAhead } from '../../indexer/backfill/decode-ahead.ts'
import {
  type DecodedBlocks,
  type DecodedEvents,
  decodeNewLogs,
  joinEvents,
  openDecoders,
} from '../../indexer/engine/decode.ts'
import { Fetcher } from '../../indexer/engine/fetch.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { undoFrom } from '../../indexer/engine/undo.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { encodeEvent, type RawLog, toWord } from '../support/hostile/logs.ts'
import { startHostile } from './fixtures/hostile.ts'

t.setTimeout(600_000)

/*
 * What can happen once is said twice: in one transaction, later, by another contract, or to a receipt sync before the
 * indexer has seen the first.
 */
const address = (digit: number) => toHex(digit, { size: 20 })
const [creator, other, wallet] = [address(0xc1), address(0xc2), address(0xaa)]
const [token, pool, poolOfOthers] = [address(0x7001), address(0x9001), address(0x9002)]

const launch = (by: Address, changes: Record<string, unknown> = {}): RawLog =>
  encodeEvent('launchpad', 'CurveCreate', {
    ...{ token, creator: by, quoteToken: zeroAddress, name: 'Name', symbol: 'SYM', contractURI: 'ipfs://x' },
    ...{ totalSupply: 10n ** 27n, virtualQuote: 10n, virtualToken: 1_000n, targetQuote: 30n },
    ...{ protocolFeeBps: 100, creatorFeeBps: 100, ...changes },
  })
const buy = (of: Address, amount: bigint): RawLog =>
  encodeEvent('launchpad', 'CurveBuy', {
    ...{ token: of, trader: wallet, recipient: wallet, quoteIn: amount, tokenOut: amount, protocolFee: 1n },
    ...{ creatorFee: 1n, virtualQuote: 20n, virtualToken: 500n, realQuote: 10n, realToken: 100n },
  })
const graduate = (of: Address, into: Address): RawLog =>
  encodeEvent('launchpad', 'CurveGraduate', {
    ...{ token: of, pool: into, quoteLiquidity: 1n, tokenLiquidity: 1n, lpBurned: 1n },
  })
const complete = (of: Address): RawLog =>
  encodeEvent('launchpad', 'CurveCompleted', { token: of, realQuote: 1n, realToken: 1n })
const createPool = (stakingToken: Address): RawLog =>
  encodeEvent('staking', 'PoolCreated', {
    ...{ poolId: 1n, stakingToken, rewardToken: zeroAddress, cooldownSeconds: 1n, periodSeconds: 2n },
  })
const createRaise = (by: Address, raiseId = 1n): RawLog =>
  encodeEvent('raises', 'RaiseCreated', {
    ...{ raiseId, creator: by, token },
    params: {
      ...{ token, registrationRequired: false, quorumBps: 4_000, votingDelay: 0, votingPeriod: 3_600 },
      ...{ registrationStart: 0n, startAt: 0n, endAt: 1n, tokenAmount: 1_000n, goalMin: 4n, goalMax: 10n },
      ...{ walletMin: 0n, walletMax: 10n, title: `Of ${by}`, metadataURI: '' },
    },
    rules: { minVotingDelay: 0, minVotingPeriod: 0, exitWindow: 0, releasePeriod: 0, releaseBps: 2_500 },
  })
const propose = (by: Address, raiseId = 1n): RawLog =>
  encodeEvent('raises', 'ProposalCreated', {
    ...{ proposalId: 1n, raiseId, proposer: by, amount: 1n, recipient: by, title: `Of ${by}`, descriptionURI: '' },
    ...{ voteStart: 1n, voteEnd: 2n, quorum: 1n, totalWeight: 8n, executableAt: 3n, expiresAt: 4n },
  })
const vote = (support: number): RawLog =>
  encodeEvent('raises', 'VoteCast', {
    ...{ proposalId: 1n, raiseId: 1n, voter: wallet, support, weight: 5n },
    ...{ forVotes: 5n, againstVotes: 0n, abstainVotes: 0n },
  })

type Started = Awaited<ReturnType<typeof startHostile>>

/** The one raise, proposal, pool and token that there are, by whom the first to say so has said that they are. */
async function expectFirst(t: Test, { db, findDifferences }: Started) {
  t.match(await db.selectFrom('tokens').select('creator').where('address', '=', token).execute(), [{ creator }])
  t.match(await db.selectFrom('readable_token_figures').selectAll().where('token', '=', token).execute(), [
    { pool, status: 'graduated', trades_total: 1, volume_total: '7' },
  ])
  t.match(await db.selectFrom('raises').selectAll().execute(), [{ creator, proposal_count: 1 }])
  t.match(await db.selectFrom('raise_proposals').selectAll().execute(), [{ proposer: creator, voter_count: 1 }])
  t.match(await db.selectFrom('staking_pools').selectAll().execute(), [{ staking_token: creator }])
  t.match(await db.selectFrom('platform_figures').selectAll().executeTakeFirst(), { tokens_graduated: 1 })
  t.strictSame(await findDifferences(), [], 'the audit is clean')
}

const once = {
  launchpad: [launch(creator), buy(token, 7n), complete(token), graduate(token, pool)],
  staking: [createPool(creator)],
  raises: [createRaise(creator), propose(creator), vote(1)],
}
const again = {
  launchpad: [launch(other, { virtualQuote: 999n }), complete(token), graduate(token, poolOfOthers)],
  staking: [createPool(other)],
  raises: [createRaise(other), propose(other)],
}

t.test('of a repeated one-time event the first counts, in the same transaction and in later ones', async (t) => {
  const started = await startHostile(t)
  const { hostile, index, expectSame } = started
  for (const domain of ['launchpad', 'staking', 'raises'] as const) {
    await hostile.say(domain, ...once[domain], ...again[domain])
  }
  await index()
  await expectFirst(t, started)
  for (const domain of ['launchpad', 'staking', 'raises'] as const) await hostile.say(domain, ...again[domain])
  await expectSame('said again later')
  await expectFirst(t, started)
})

t.test('the first of two one-time events counts even if it is not stored when the next is decoded', async (t) => {
  const { hostile, node, chain, contracts, db, index } = await startHostile(t)
  const domains = ['launchpad', 'staking', 'raises'] as const
  for (const domain of domains) await hostile.say(domain, ...once[domain])
  const middle = await node.height()
  for (const domain of domains)
    await hostile.say(domain, ...again[domain], ...(domain === 'launchpad' ? [buy(token, 8n)] : []))
  const head = await node.height()
  const fetcher = await Fetcher.open(db, chain, contracts, 0)
  const preceding = await fetcher.makeBlocks(await fetcher.requestRange({ from: 1, to: middle }), [])
  const blocks = await fetcher.makeBlocks(await fetcher.requestRange({ from: middle + 1, to: head }), [])

  const describe = (decoded: DecodedBlocks | undefined) => {
    const events = [...(decoded?.parts ?? [])].reduce<DecodedEvents>(joinEvents, [])
    return { events: events.map(({ module, events }) => [module.name, events]), rejected: decoded?.rejected.count }
  }
  const ahead = describe(await decodeAhead(db, contracts, blocks, preceding))
  const blind = describe(await decodeAhead(db, contracts, blocks, []))
  await index()
  await db.transaction().execute((trx) => undoFrom(trx, contracts, middle + 1))
  const decoders = await openDecoders(db, contracts, blocks)
  const inOrder = describe(decodeNewLogs(decoders, { blocks, isNew: () => true }))
  t.same(ahead, inOrder)
  t.equal(ahead.rejected, 5)
  t.notSame(blind, inOrder)
})

t.test(
  'a launch that names a configured contract as its token does not duplicate the logs of that contract',
  async (t) => {
    const { hostile, emitters, node, chain, contracts, db } = await startHostile(t)
    await hostile.say('launchpad', launch(creator, { token: emitters.staking }))
    await hostile.say('staking', createPool(creator))
    const to = await node.height()
    const fetcher = await Fetcher.open(db, chain, contracts, 0)
    const blocks = await fetcher.makeBlocks(await fetcher.requestRange({ from: 1, to }), [])
    const logs = blocks.flatMap((block) => block.logs.map(({ logIndex }) => `${block.number}/${logIndex}`))
    t.ok(blocks.some((block) => block.logs.some((log) => log.address === emitters.staking.toLowerCase())))
    t.same(logs, [...new Set(logs)])
  },
)

t.test('events of a launchpad about a token or pool of another launchpad have no effect', async (t) => {
  const started = await startHostile(t)
  const { hostile, node, deployed, accounts, db, expectSame, findDifferences } = started
  const [, ann, bob] = accounts as [Address, Address, Address]
  const act = makeActions(deployed)
  const [receipt] = await node.run(act.launch(ann, 'FAIR', parseEther('0.5')))
  const fair = launchedToken(receipt!)
  await node.run(act.buy(ann, fair, parseEther('10')))
  await node.run(act.graduate(bob, fair), act.swapBuy(bob, fair, parseEther('1')))
  await expectSame('before')
  const read = () =>
    db.selectFrom('readable_token_figures').selectAll().where('token', '=', fair).executeTakeFirstOrThrow()
  const before = await read()
  await hostile.say('launchpad', launch(other, { token: fair }), buy(fair, 10n ** 30n), complete(fair))
  await hostile.say('launchpad', launch(other), buy(token, 7n), graduate(token, before.pool as Address))
  await hostile.emit('launchpad', ['CreatorFeeClaimed', { token: fair, recipient: other, amount: 10n ** 30n }])
  await node.run(act.swapBuy(bob, fair, parseEther('1')))
  await expectSame('after')
  const after = await read()
  t.match(after, { pool: before.pool, creator_fees_claimed: before.creator_fees_claimed })
  t.equal(after.trades_total, before.trades_total + 1, 'the pool is still its own')
  t.match(await db.selectFrom('readable_token_figures').selectAll().where('token', '=', token).execute(), [
    { pool: null },
  ])
  t.strictSame(await findDifferences(), [], 'the audit is clean')
})

t.test('a vote logged before its proposal still counts after a reorg replaces the proposal', async (t) => {
  const started = await startHostile(t)
  const { hostile, node, db, index, expectSame, findDifferences } = started
  await hostile.say('raises', createRaise(creator), vote(1))
  await hostile.say('raises', propose(other))
  await index()
  await node.reorg(1, [{ action: hostile.action('raises', [propose(creator)]), block: 0 }])
  await node.mine()
  await expectSame('on the new branch')
  t.match(await db.selectFrom('raise_proposals').selectAll().execute(), [
    { proposer: creator, voter_count: 1, for_votes: '5' },
  ])
  t.strictSame(await findDifferences(), [], 'the audit is clean')
})

t.test('a repeated event that is synced first is replaced by the earlier event once that is indexed', async (t) => {
  const started = await startHostile(t)
  const { hostile, db, chain, contracts, expectSame } = started
  const sync = (txHash: Hex, kind: string, by: Address = other) =>
    syncTransaction({ db, chain, getContracts: async () => contracts }, { txHash, wallet: by, kind })
  for (const domain of ['launchpad', 'staking', 'raises'] as const) await hostile.say(domain, ...once[domain])
  const launchedAgain = await hostile.say('launchpad', launch(other))
  const raisedAgain = await hostile.say('raises', createRaise(other))
  await t.rejects(sync(launchedAgain.transactionHash, 'create'), new AppError('EVENT_MISSING'), 'launched before')
  await t.rejects(sync(raisedAgain.transactionHash, 'raise_create'), new AppError('EVENT_MISSING'), 'raised before')
  await hostile.say('staking', { topics: [toWord(1n)], data: '0x' })
  const unknown = await hostile.say('staking', { topics: [toWord(2n)], data: '0x' })
  await t.rejects(sync(unknown.transactionHash, 'stake'), new AppError('EVENT_MISSING'), 'an event of no meaning')
  // Which pool another token has is not looked up for a purchase.
  const second = address(0x7002)
  const taken = await hostile.say(
    'launchpad',
    launch(other, { token: second }),
    graduate(second, pool),
    buy(second, 3n),
  )
  await sync(taken.transactionHash, 'buy', wallet)
  const figures = () => db.selectFrom('readable_token_figures').select(['token', 'pool']).orderBy('token').execute()
  t.strictSame(await figures(), [{ token: second, pool }], 'the only token that there is yet has the pool')
  await expectSame('when the indexer has caught up')
  t.strictSame(await figures(), [
    { token, pool },
    { token: second, pool: null },
  ])
  await expectFirst(t, started)
})
