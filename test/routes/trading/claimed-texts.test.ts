import { sql } from 'kysely'
import t from 'tap'
import { type Hex, parseEther } from 'viem'
import { DATA_CHANGED, listEvents } from '../../../db/queries/outbox.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchForRaises, succeedRaise } from '../../indexer/fixtures/raises.ts'
import { makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { readTime } from '../../support/raises.ts'

/*
 * What a client says about what it made is stored with the claim of the transaction, or nothing is: a claim cannot be
 * repeated, and a description of a proposal cannot be changed.
 */
t.setTimeout(400_000)

const service = await createChainApp(t)
const { node, deployed, db, post, test } = service
const act = makeActions(deployed)
const raising = await launchForRaises(test)
const { raise, token, owner, ann } = raising
await succeedRaise(test, raising, { votingDelay: 3_600 })
const first = `${raise.contract}-1`
const description = 'Moorings.'

interface Said {
  operation: string
  url: string
  /** The table of the texts. */
  table: string
  /** The field of the answer that lists what was made. */
  field: string
  /** The first live event with its record; null if there is none. */
  event: string | null
  make: () => Promise<Hex>
}

const run = async (action: Action): Promise<Hex> => (await node.run(action))[0]!.transactionHash
const launch = () => run(act.launch(ann, 'TWO', parseEther('0.5')))
const open = async () => run(raise.create(ann, { token, endAt: (await readTime(node)) + 1_000n }))
let proposals = 0n
/** A proposer has one undecided proposal, and can replace it before its vote begins. */
const propose = async () => {
  if (proposals > 0n) await run(raise.cancelProposal(ann, proposals))
  proposals++
  return run(raise.propose(ann, 1n, 3n, owner))
}

const cases: Said[] = [
  {
    ...{ operation: 'createToken', url: '/tokens/create', table: 'token_metadata', field: 'tokens' },
    ...{ event: 'token.created', make: launch },
  },
  {
    ...{ operation: 'createRaise', url: '/raises', table: 'raise_metadata', field: 'raises' },
    ...{ event: 'raise.updated', make: open },
  },
  {
    ...{
      operation: 'syncProposal',
      url: `/raises/${first}/propose`,
      table: 'raise_proposal_texts',
      field: 'proposals',
    },
    ...{ event: null, make: propose },
  },
]

for (const { operation, url, table, field, event, make } of cases) {
  const say = (txHash: Hex) => post<Record<string, unknown[]>>(url, { txHash, description }, ann)

  t.test(`${operation}: a text that cannot be stored leaves the transaction unclaimed`, async (t) => {
    const txHash = await make()
    await sql`alter table ${sql.table(table)} add constraint fail check (false) not valid`.execute(db)
    t.equal((await say(txHash)).status, 500)
    await sql`alter table ${sql.table(table)} drop constraint fail`.execute(db)
    const repeated = await say(txHash)
    t.equal(repeated.status, 200)
    t.match(repeated.body.data[field], [{ description }])
    t.equal((await say(txHash)).status, 409)
  })

  t.test(`${operation}: the first live event has the text, and the data change is sent last`, async (t) => {
    const before = (await listEvents(db, { after: 0, limit: 10_000 })).at(-1)?.seq ?? 0
    t.equal((await say(await make())).status, 200)
    const events = await listEvents(db, { after: before, limit: 1_000 })
    const made = events.find(({ type }) => type === event)
    if (event !== null) t.match(JSON.parse(made?.data ?? 'null'), { description }, `${events.map(({ type }) => type)}`)
    t.equal(events.at(-1)?.type, DATA_CHANGED)
  })

  t.test(`${operation}: stores the text if the indexer was first`, async (t) => {
    const txHash = await make()
    await indexToHead(db, test)
    const { status, body } = await say(txHash)
    t.equal(status, 200)
    t.match(body.data[field], [{ description }])
  })
}
