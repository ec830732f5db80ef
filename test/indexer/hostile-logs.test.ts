import t, { type Test } from 'tap'
import { type AbiParameter, type Hex, parseEther, toHex, zeroAddress } from 'viem'
import type { Applied } from '../../indexer/engine/apply.ts'
import { prepareChainState } from '../../indexer/engine/contracts.ts'
import { Follower } from '../../indexer/engine/follow.ts'
import { describeDecodeError, type RejectedLog, RejectedLogs } from '../../indexer/engine/rejected-logs.ts'
import { modules } from '../../indexer/modules.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createTestDatabase } from '../support/database.ts'
import { encodeEvent, eventsOf, type HostileDomain, type RawLog, toData, toWord } from '../support/hostile/logs.ts'
import { topics } from '../support/launchpads/topics.ts'
import { startHostile } from './fixtures/hostile.ts'

t.setTimeout(600_000)

const MAX = 2n ** 256n - 1n
/** Of the events that mean something. */
const known = new Set<Hex>(modules.flatMap(({ topics }) => topics))
const address = (digit: number) => toHex(digit, { size: 20 })

/** Launches a token in the name of the hostile launchpad, whatever else is said of it. */
const launch = (token: Hex, changes: Record<string, unknown> = {}): RawLog =>
  encodeEvent('launchpad', 'CurveCreate', {
    ...{ token, creator: address(0xc), quoteToken: zeroAddress, name: 'Name', symbol: 'SYM', contractURI: 'ipfs://x' },
    ...{ totalSupply: 10n ** 27n, virtualQuote: 10n, virtualToken: 1_000n, targetQuote: 30n },
    ...{ protocolFeeBps: 100, creatorFeeBps: 100, ...changes },
  })

const transfer = (from: Hex, to: Hex, value: bigint): RawLog => ({
  topics: [topics.transfer, toWord(from), toWord(to)],
  data: toWord(value),
})

/** An honest trade that comes after: what goes wrong before it must not stand in its way. */
async function playOn({ node, deployed, accounts }: Awaited<ReturnType<typeof startHostile>>) {
  const act = makeActions(deployed)
  const [receipt] = await node.run(act.launch(accounts[1]!, 'FAIR', parseEther('0.1')))
  return launchedToken(receipt!)
}

async function expectGoesOn(t: Test, hostile: Awaited<ReturnType<typeof startHostile>>, what: string) {
  const token = await playOn(hostile)
  await hostile.expectSame(what)
  t.match(
    await hostile.db.selectFrom('readable_token_figures').selectAll().where('token', '=', token).executeTakeFirst(),
    { trades_total: 1 },
    `${what}: what comes after is indexed`,
  )
  t.strictSame(await hostile.findDifferences(), [], `${what}: the audit is clean`)
}

t.test('a malformed log has no effect, and later logs are indexed', async (t) => {
  const started = await startHostile(t)
  const { hostile, emitters, db } = started
  await hostile.say('launchpad', launch(emitters.token))
  await hostile.emit('launchpad', [
    'CurveGraduate',
    { token: emitters.token, pool: emitters.pool, quoteLiquidity: 1n, tokenLiquidity: 1n, lpBurned: 1n },
  ])
  const ofDomains = (['launchpad', 'staking', 'raises'] as const).map((domain) => ({ domain, logs: malformed(domain) }))
  for (const { domain, logs } of ofDomains) await hostile.say(domain, ...logs)
  const ofToken: RawLog[] = [
    { topics: [topics.transfer, toWord(1n), toWord(2n)], data: '0x' },
    { topics: [topics.transfer, toWord(1n), toWord(2n)], data: `0x${'00'.repeat(31)}` },
    { topics: [topics.transfer], data: toData(1n, 2n, 3n) },
    { topics: [], data: '0x' },
  ]
  await hostile.say('token', ...ofToken)
  const ofPool: RawLog[] = [
    { topics: [topics.sync], data: '0x' },
    { topics: [topics.sync, toWord(1n)], data: toWord(2n) },
    { topics: [topics.swap, toWord(1n)], data: toData(1n, 0n, 0n, 1n) },
    { topics: [topics.swap, toWord(1n), toWord(2n)], data: toData(1n, 0n, 0n) },
  ]
  await hostile.say('pool', ...ofPool)
  // Those of the token without its topics mean nothing at all.
  const ofOurs = ofDomains.flatMap(({ logs }) => logs).filter(({ topics: [topic] }) => known.has(topic!))
  const count = ofOurs.length + ofToken.length - 2 + ofPool.length
  const refused = await countRefused(t, started)
  t.equal(refused.count, count)
  const contracts = Object.values(emitters).map((address) => address.toLowerCase())
  const named = new Set(refused.examples.map(({ contract }) => contract))
  t.ok(named.size >= 3, 'the examples are of several contracts')
  t.ok([...named].every((contract) => contracts.includes(contract)))
  for (const example of refused.examples) t.match(example, { reason: /./ })
  await expectGoesOn(t, started, 'after malformed logs')
  t.strictSame(await db.selectFrom('raises').select('id').execute(), [])
  t.strictSame(await db.selectFrom('staking_pools').select('id').execute(), [])
})

t.test('at most five examples of rejected logs are kept, at most two per contract', async (t) => {
  const refuse = (contracts: string) => {
    const rejected = new RejectedLogs()
    for (const [logIndex, contract] of [...contracts].entries())
      rejected.add({ blockNumber: 1, logIndex, txHash: '0x', time: 0, nativeUsd: null }, contract, 'invalid')
    return rejected
  }
  const sum = refuse('aaab')
  t.same(
    sum.examples.map(({ contract, log }) => contract + log),
    ['a0', 'a1', 'b3'],
  )
  sum.addAll(refuse('abbcd'))
  t.same(
    sum.examples.map(({ contract, log }) => contract + log),
    ['a0', 'a1', 'b3', 'b1', 'c3'],
  )
  t.equal(sum.count, 9)
})

t.test('the reason of a rejected log is the first line of the error, without its name', async (t) => {
  t.equal(describeDecodeError(new RangeError('3 is none of 3')), '3 is none of 3')
  t.equal(describeDecodeError(new Error('Data size is too small\n\nVersion: viem')), 'Data size is too small')
  t.equal(describeDecodeError('no error'), 'no error')
  t.equal(describeDecodeError(undefined), 'undefined')
})

/** What an indexer of its own refuses. */
async function countRefused(t: Test, { chain, contracts, config }: Awaited<ReturnType<typeof startHostile>>) {
  const { db } = await createTestDatabase(t)
  await prepareChainState(db, chain, contracts, config)
  const sum = { count: 0, examples: [] as RejectedLog[] }
  const onApplied = ({ rejected }: Applied) => {
    sum.count += rejected.count
    sum.examples.push(...rejected.examples)
  }
  const follower = new Follower({ db, chain, contracts, finality: config.finality, onApplied })
  while ((await follower.step()) === 'again') {
    // Another step.
  }
  return sum
}

/** Every event of a domain with too few topics, and with too little data. */
function malformed(domain: HostileDomain): RawLog[] {
  return [...eventsOf(domain).values()].flatMap((event) => {
    const args = Object.fromEntries(event.inputs.map((input) => [input.name!, sample(input)]))
    const { topics: whole, data } = encodeEvent(domain, event.name, args)
    const fewer = whole.slice(1).map((_, count) => ({ topics: whole.slice(0, count + 1), data }))
    if (data === '0x') return fewer
    return [...fewer, { topics: whole, data: '0x' as Hex }, { topics: whole, data: data.slice(0, 64) as Hex }]
  })
}

function sample(parameter: AbiParameter): unknown {
  const { type } = parameter
  if ('components' in parameter) {
    return Object.fromEntries(parameter.components.map((part) => [part.name!, sample(part)]))
  }
  if (type.endsWith('[]')) return [sample({ ...parameter, type: type.slice(0, -2) })]
  if (type === 'address') return address(0xa)
  if (type === 'string') return 'text'
  if (type === 'bool') return true
  return type.startsWith('uint') && Number(type.slice(4)) <= 48 ? 1 : 1n
}

t.test(
  'amounts, prices and times at the limits of their types are indexed or rejected, and sums never overflow',
  async (t) => {
    const started = await startHostile(t)
    const { hostile, emitters } = started
    const token = emitters.token
    await hostile.say(
      'launchpad',
      launch(token, { virtualQuote: 0n, virtualToken: 0n, targetQuote: 0n, totalSupply: 0n }),
    )
    const amounts = [0n, 1n, 2n ** 128n - 1n, 2n ** 128n, MAX]
    await hostile.say('token', ...amounts.map((value) => transfer(address(1), address(2), value)))
    for (const name of ['CurveBuy', 'CurveSell']) {
      for (const amount of amounts) {
        const trade = Object.fromEntries(
          eventsOf('launchpad')
            .get(name)!
            .inputs.map((input) => [
              input.name!,
              input.type === 'address' ? (input.name === 'token' ? token : address(2)) : amount,
            ]),
        )
        await hostile.say('launchpad', ...Array.from({ length: 12 }, () => encodeEvent('launchpad', name, trade)))
      }
    }
    for (const changes of [
      { virtualQuote: 0n, targetQuote: 0n },
      { virtualToken: 0n },
      { totalSupply: MAX },
      { virtualQuote: MAX },
      { virtualToken: MAX },
      { targetQuote: MAX },
      { protocolFeeBps: 65_535, creatorFeeBps: 65_535 },
      { protocolFeeBps: 10_000, creatorFeeBps: 1 },
      { protocolFeeBps: 5_000, creatorFeeBps: 5_000 },
    ]) {
      await hostile.say('launchpad', launch(address(0x1000 + Object.values(changes).length), changes))
    }
    await expectGoesOn(t, started, 'after extreme amounts')
  },
)

t.test('texts are truncated, stripped of control characters, and invalid UTF-8 becomes U+FFFD', async (t) => {
  const started = await startHostile(t)
  const { hostile, db } = started
  // No two parts of it are alike, so that no index of it is made smaller by compression.
  const long = Array.from({ length: 6_000 }, (_, at) => (at * 2_654_435_761).toString(36)).join('')
  const texts: [given: string, kept: string][] = [
    [long, long.slice(0, 128)],
    ['n\u0000u\u0007l', 'nul'],
    ['\u202egnp.\u2066exe', 'gnp.exe'],
    ['\u200b \u2028', ''],
    ['0xff41fe', '\ufffdA\ufffd'],
    ['0xeda08042', '\ufffd\ufffd\ufffdB'],
    [`${'x'.repeat(127)}\u{1f600}`, 'x'.repeat(127)],
  ]
  const tokens = texts.map((_, index) => address(0x2000 + index))
  for (const [index, [given]] of texts.entries()) {
    await hostile.say('launchpad', launch(tokens[index]!, { name: given, symbol: given, contractURI: given }))
  }
  await expectGoesOn(t, started, 'after strange texts')
  const rows = await db.selectFrom('tokens').selectAll().where('address', 'in', tokens).orderBy('address').execute()
  t.strictSame(
    rows.map(({ name }) => name),
    texts.map(([, kept]) => kept),
  )
  t.equal(rows[0]?.symbol, long.slice(0, 32))
  t.equal(rows[0]?.metadata_uri, '', 'a URI that would be cut is none')
})
