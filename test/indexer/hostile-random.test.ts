import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import t from 'tap'
import { type Address, parseEther, toHex } from 'viem'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createTestApp } from '../support/app.ts'
import { createConformityCheck } from '../support/conformity.ts'
import { readTime } from '../support/raises.ts'
import { startHostile } from './fixtures/hostile.ts'
import { type EmittedLog, HostileValues } from './fixtures/random-hostile.ts'
import { listReads } from './fixtures/reads.ts'

/** SEED=random draws another one each time. */
const given = process.env.SEED ?? '20261122'
const seed = given === 'random' ? randomInt(2 ** 31) : Number(given)
const EVENTS = Number(process.env.EVENTS ?? 600)
/** Answers of the price feed, which has USD_DECIMALS decimals. */
const prices = [3_000n * 10n ** 8n, 0n, -1n, 10n ** 23n, 10n ** 23n + 1n, 2n ** 255n - 1n, -(2n ** 255n), 1n]
/** So many in a transaction. */
const PACK = 12

t.setTimeout(600_000)

t.test(
  `random logs of the configured contracts neither stop the indexer nor break a response (SEED=${seed})`,
  async (t) => {
    const started = await startHostile(t)
    const { hostile, emitters, node, deployed, accounts, index, db, config, chain, contracts } = started
    const [owner, ann, bob] = accounts as [Address, Address, Address]
    const act = makeActions(deployed)
    const [launch] = await node.run(act.launch(ann, 'FAIR', parseEther('0.1')))
    const fair = launchedToken(launch!)
    const wallets = [ann, bob, toHex(0, { size: 20 }), '0x000000000000000000000000000000000000dead' as Address]
    const strangers = [toHex(0xa11, { size: 20 }), toHex(0xb22, { size: 20 })]
    const addresses = [...wallets, ...strangers, fair, deployed.launchpad, deployed.weth, ...Object.values(emitters)]
    const values = new HostileValues(
      [...addresses, emitters.token, emitters.token, emitters.pool],
      await readTime(node),
    )
    const anything = fc.oneof(
      ...(['launchpad', 'staking', 'raises'] as const).flatMap((domain) => [
        { weight: 10, arbitrary: values.ofDomain(domain) },
        { weight: 2, arbitrary: values.malformed(domain) },
      ]),
      { weight: 4, arbitrary: values.ofToken() },
      { weight: 6, arbitrary: values.ofPool() },
      { weight: 1, arbitrary: values.ofFeed() },
    )
    const said = fc.sample(anything, { seed, numRuns: EVENTS })
    for (let from = 0; from < said.length; from += PACK * 4) {
      const block = said.slice(from, from + PACK * 4)
      const actions = Map.groupBy(block, ({ by }: EmittedLog) => by)
      await node.run(
        ...[...actions].map(([by, some]) =>
          hostile.action(
            by,
            some.map(({ log }) => log),
          ),
        ),
        act.buy(bob, fair, 1_000n),
        act.setPrice(owner, prices[(from / PACK / 4) % prices.length]!),
      )
      await index()
    }
    await started.expectSame('after all of it')
    // What is wrapped is no token of that launchpad's, and says so.
    const differences = (await started.findDifferences()).filter((line) => !line.includes(deployed.weth))
    t.strictSame(differences.slice(0, 20), [], 'the audit is clean')

    // No indexer runs here: /health shall show what hostile logs make of it, and not that.
    await sql`update indexer_lease set heartbeat_at = clock_timestamp() + interval '1 hour'`.execute(db)
    const { app } = await createTestApp({ config, services: { db, chain, getContracts: async () => contracts } })
    t.teardown(() => app.close())
    const check = createConformityCheck(app)
    const problems: string[] = []
    const statuses = new Map<number, number>()
    for (const { url, wallet } of await listReads(db, { addresses, wallets: [...wallets, ...strangers] })) {
      const headers = wallet ? { authorization: `Bearer ${app.issueToken(wallet)}` } : {}
      const { statusCode: status, headers: answered, body } = await app.inject({ method: 'GET', url, headers })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500) problems.push(`${url}: ${status} ${body}`)
      else if (String(answered['content-type']).startsWith('application/json')) {
        const problem = check({ method: 'GET', url, status, body: JSON.parse(body) })
        if (problem) problems.push(`${url}: ${problem}`)
      }
    }
    for (const table of [
      'tokens',
      'trades',
      'raises',
      'raise_commitments',
      'raise_proposals',
      'staking_pools',
    ] as const) {
      const { count } = await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      t.ok(count > 2, `${count} rows of ${table} were part of it`)
    }
    t.comment(Object.fromEntries(statuses))
    t.strictSame(problems.slice(0, 20), [], 'every answer is one that the document allows')
    t.ok((statuses.get(200) ?? 0) > 50, 'most of them are answers')
  },
)
