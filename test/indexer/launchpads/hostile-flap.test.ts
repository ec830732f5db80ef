import t, { type Test } from 'tap'
import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { resolveContracts } from '../../../indexer/contracts.ts'
import type { TestChain } from '../../support/chain-fixture.ts'
import type { RawLog } from '../../support/hostile/logs.ts'
import { flapEvents } from '../../support/launchpads/abi.ts'
import { deployEmitter, emitLogs, encodeLog } from '../../support/launchpads/emitter.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { startAudited } from '../fixtures/audited.ts'

t.setTimeout(400_000)

const NAMES = ['launchpad', 'rival', 'token', 'other', 'pool', 'fake'] as const
type Name = (typeof NAMES)[number]

/** A service that follows two contracts of the kind of Flap that emit any logs. */
async function startHostile(t: Test) {
  const emitters = {} as Record<Name, Address>
  const audited = await startAudited(t, {}, async (test: TestChain) => {
    for (const name of NAMES) emitters[name] = await deployEmitter(test)
    const startBlock = Number(test.deployed.startBlock)
    const deployments = [
      ...test.config.deployments,
      { kind: 'flap' as const, address: emitters.launchpad, startBlock },
      { kind: 'flap' as const, address: emitters.rival, startBlock },
    ]
    const config = { ...test.config, deployments }
    return { ...test, config, contracts: await resolveContracts(test.chain, config) }
  })
  const { db, node, accounts } = audited
  const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  return {
    ...audited,
    ...{ emitters, ann, bob },
    /** In one transaction, in a block of its own. */
    say: (by: Name, ...logs: RawLog[]) => node.run(emitLogs(eve, emitters[by], logs)),
    readTokens: () => db.selectFrom('readable_token_figures').selectAll().orderBy('created_block').execute(),
    readTrades: () =>
      db.selectFrom('readable_trades').selectAll().orderBy('block_number').orderBy('log_index').execute(),
    /** Emitters have no state to compare with. */
    findDifferences: async () =>
      (await audited.findDifferences()).filter((line) => !/ does not answer \w+$/.test(line)),
  }
}

const MOST = 2n ** 128n - 1n
const HUGE = 2n ** 256n - 1n
const BILLION = 10n ** 27n
const log = (name: string, args: Record<string, unknown>) => encodeLog(flapEvents, name, args)
const create = (token: Address, creator: Address, changes: Record<string, unknown> = {}) =>
  log('TokenCreated', { ts: HUGE, nonce: HUGE, creator, token, name: 'n', symbol: 's', meta: 'm', ...changes })
const quote = (token: Address, quoteToken: Address = zeroAddress) => log('TokenQuoteSet', { token, quoteToken })
const curve = (token: Address, changes = {}) =>
  log('TokenCurveSetV2', { token, r: 10n ** 18n, h: 0n, k: BILLION, ...changes })
const legacy = (token: Address, curveParameter = 10n ** 18n) =>
  log('TokenCurveSet', { token, curve: zeroAddress, curveParameter })
const threshold = (token: Address, dexSupplyThresh = BILLION / 2n) =>
  log('TokenDexSupplyThreshSet', { token, dexSupplyThresh })
const launch = (token: Address, creator: Address) => [
  create(token, creator),
  quote(token),
  curve(token),
  threshold(token),
]
const trade = (name: 'TokenBought' | 'TokenSold', token: Address, wallet: Address, changes: object = {}) =>
  log(name, {
    ts: HUGE,
    token,
    buyer: wallet,
    seller: wallet,
    amount: 10n,
    eth: 50n,
    fee: 1n,
    postPrice: HUGE,
    ...changes,
  })
const supply = (token: Address, newSupply = BILLION / 10n) =>
  log('FlapTokenCirculatingSupplyChanged', { token, newSupply })
const graduate = (token: Address, pool: Address, changes: object = {}) =>
  log('LaunchedToDEX', { token, pool, amount: 5n, eth: 7n, ...changes })
const held = (token: Address) =>
  log('FlapTokenCLPoolCreated', { token, poolId: toHex(1, { size: 32 }), sqrtPriceX96: 1n })
const cut = ({ topics, data }: RawLog, bytes: number): RawLog => ({ topics, data: data.slice(0, 2 + 2 * bytes) as Hex })
/** The same log with other bits above an address in a word. */
const dirty = ({ topics, data }: RawLog, word: number): RawLog => ({
  topics,
  data: `${data.slice(0, 2 + 64 * word)}${'f'.repeat(24)}${data.slice(2 + 64 * word + 24)}` as Hex,
})

t.test('launches that are incomplete or out of bounds have no effect', async (t) => {
  const { say, emitters, ann, index, readTokens, findDifferences } = await startHostile(t)
  const { token, other, fake } = emitters
  const whole = create(token, ann)
  const rest = [quote(token), curve(token), threshold(token)]
  for (const bytes of [0, 31, 127, 128, 223, 224, 256, 300]) await say('launchpad', cut(whole, bytes), ...rest)
  await say('launchpad', { topics: whole.topics, data: `0x${'ff'.repeat(320)}` }, ...rest)
  for (const terms of [
    [],
    [curve(token)],
    [threshold(token)],
    [curve(other), threshold(other)],
    [curve(token), threshold(token, 0n)],
    [curve(token), threshold(token, BILLION)],
    [curve(token, { h: BILLION }), threshold(token, BILLION + 1n)],
    [curve(token, { r: 0n, k: 0n }), threshold(token)],
    [curve(token, { r: MOST + 1n }), threshold(token)],
    [curve(token, { h: MOST }), threshold(token)],
    [curve(token, { k: BILLION + BILLION / 10n ** 8n }), threshold(token)],
    [curve(token, { k: HUGE }), threshold(token)],
    [curve(token, { r: MOST, k: MOST * 10n ** 9n }), threshold(token)],
    [legacy(token), cut(curve(token), 96), threshold(token)],
    [legacy(token, HUGE), threshold(token)],
    [curve(token), cut(threshold(token), 32)],
    [curve(token), threshold(token), cut(quote(token), 32)],
    [curve(token), threshold(token), quote(token, fake)],
  ])
    await say('launchpad', whole, ...terms)
  // Terms of another transaction, or of another contract.
  await say('launchpad', curve(token), threshold(token))
  await say('rival', curve(token), threshold(token))
  await say('launchpad', whole)
  await say('fake', whole, ...rest)
  await index()
  t.strictSame(await readTokens(), [])
  t.strictSame(await findDifferences(), [])
  await say(
    'launchpad',
    threshold(token),
    curve(token),
    dirty(dirty(create(token, ann, { name: '', symbol: '\0' }), 1), 3),
  )
  await say('rival', ...launch(token, ann))
  await index()
  t.match(await readTokens(), [{ token, status: 'curve', created_log: 2 }], 'the first one counts')
  t.strictSame(await findDifferences(), [])
})

t.test('trades that are foreign, out of bounds or without what is sold have no effect', async (t) => {
  const { say, emitters, ann, bob, index, readTokens, readTrades, findDifferences } = await startHostile(t)
  const { token, other } = emitters
  const bought = trade('TokenBought', token, bob)
  await say('launchpad', bought, supply(token), ...launch(token, ann))
  await say('rival', bought, supply(token), trade('TokenSold', token, bob), supply(token))
  await say('fake', bought, supply(token))
  await say('launchpad', bought)
  await say('launchpad', supply(token))
  await say('launchpad', bought, supply(other))
  for (const sold of [BILLION, BILLION + 1n, MOST, MOST + 1n, BILLION - 1n])
    await say('launchpad', bought, supply(token, sold))
  for (const changes of [{ amount: MOST + 1n }, { eth: HUGE }, { fee: MOST + 1n }])
    for (const name of ['TokenBought', 'TokenSold'] as const)
      await say('launchpad', supply(token), trade(name, token, bob, changes))
  for (const bytes of [0, 32, 64, 223]) await say('launchpad', cut(bought, bytes), supply(token))
  await say('launchpad', bought, cut(supply(token), 63))
  await index()
  t.strictSame(await readTrades(), [])
  t.match(await readTokens(), [{ token, status: 'curve' }])
  t.strictSame(await findDifferences(), [])
  await say('launchpad', bought, supply(token), supply(token, 7n), trade('TokenSold', token, bob, { eth: MOST }))
  await say('launchpad', bought, dirty(dirty(bought, 1), 2), supply(token, 0n), bought)
  await say('launchpad', bought, supply(token, BILLION), supply(token, (BILLION * 9n) / 10n))
  await index()
  t.match(await readTrades(), [
    { side: 'buy', quote_amount: '50', protocol_fee: '1', real_token: String(BILLION / 2n - BILLION / 10n) },
    { side: 'sell', quote_amount: String(MOST), real_token: String(BILLION / 2n - 7n) },
    { side: 'buy', trader: bob, real_quote: '0', real_token: String(BILLION / 2n) },
    { side: 'buy', real_token: '0', real_quote: String(9n * 10n ** 18n) },
  ])
  t.strictSame(await findDifferences(), [])
})

t.test('only the first graduation by the launchpad of a token counts, into a pool that no other one has', async (t) => {
  const { say, emitters, ann, node, index, readTokens, findDifferences } = await startHostile(t)
  const { token, other, pool, fake } = emitters
  await say('launchpad', graduate(token, pool), ...launch(token, ann))
  await say('rival', graduate(token, pool), ...launch(other, ann))
  await say('launchpad', cut(graduate(token, pool), 96), cut(graduate(token, pool), 127))
  await say('launchpad', graduate(token, pool, { amount: MOST + 1n }), graduate(token, pool, { eth: HUGE }))
  await index()
  t.match(await readTokens(), [{ status: 'curve' }, { status: 'curve' }])
  t.strictSame(await findDifferences(), [])
  await say('launchpad', dirty(dirty(graduate(token, pool), 0), 1))
  await index()
  await say('launchpad', graduate(token, fake))
  await say('rival', graduate(other, pool))
  await index()
  t.match(await readTokens(), [
    { token, status: 'graduated', pool },
    { token: other, status: 'curve', pool: null },
  ])
  t.strictSame(await findDifferences(), [])
  await node.reorg(3)
  await say('rival', graduate(other, pool))
  await say('launchpad', held(token), graduate(token, fake))
  await index()
  t.match(await readTokens(), [
    { token, status: 'completed', pool: null },
    { token: other, status: 'graduated', pool },
  ])
  t.strictSame(await findDifferences(), [])
})

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

t.test(`random logs are read as the audit reads them (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const { say, emitters, ann, bob, index, readTrades, findDifferences } = await startHostile(t)
  const { token, other, pool, fake } = emitters
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const words = [0n, 1n, 31n, 32n, 224n, 256n, 10n ** 18n, BILLION, MOST, MOST + 1n, HUGE, BigInt(token), BigInt(ann)]
  const some = () => pick([token, other])
  const kinds = [
    () => launch(some(), ann),
    () => [trade('TokenBought', some(), bob), supply(some())],
    () => [supply(some(), BILLION / BigInt(2 + random(9))), trade('TokenSold', some(), bob)],
    () => [trade('TokenBought', token, bob), supply(token)],
    () => [quote(some()), legacy(some()), threshold(some())],
    () => [graduate(some(), pick([pool, fake])), ...pick([[], [], [held(some())]])],
  ]
  const damage = (log: RawLog): RawLog => {
    const word = random(8)
    const value = pick(words).toString(16).padStart(64, '0')
    return pick([
      () => log,
      () => log,
      () => log,
      () => cut(log, random((log.data.length - 2) / 2)),
      () => ({
        ...log,
        data: `${log.data.slice(0, 2 + 64 * word)}${value}${log.data.slice(2 + 64 * (word + 1))}` as Hex,
      }),
      () => ({ ...log, topics: [...log.topics, toHex(random(9), { size: 32 })] }),
    ])()
  }
  await say('launchpad', ...launch(token, ann))
  for (let round = 0; round < 40; round++) {
    const logs = Array.from({ length: 5 }, () => pick(kinds)()).flat()
    await say(pick(['launchpad', 'launchpad', 'rival']), ...logs.map(damage))
    if (random(100) < 30) await index()
  }
  await index()
  t.strictSame(await findDifferences(), [])
  t.ok((await readTrades()).length > 10)
})
