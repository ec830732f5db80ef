import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Hex, keccak256, parseEther } from 'viem'
import { upsertProposalTexts } from '../../../db/queries/raises/raise-proposals.ts'
import { upsertRaiseTexts } from '../../../db/queries/raises/raises.ts'
import type { Proposal } from '../../../schemas/proposals.ts'
import { succeedRaise } from '../../indexer/fixtures/raises.ts'
import { createSigner } from '../../indexer/fixtures/sign-action.ts'
import { deployBatch, makeActions } from '../../support/actors.ts'
import { headersOf } from '../../support/client.ts'
import { LABS } from '../../support/people.ts'
import { readTime } from '../../support/raises.ts'
import { createRaisesApp, type RaiseData } from './raises-app.ts'

/* The contract numbers raises and proposals in the order in which they are mined, so a reorg changes their ids. */
t.setTimeout(400_000)

const service = await createRaisesApp(t)
const { anvil, ask, post, read, db, test, node, deployed, owner, ann, bob, token, raise, index, idOf, readRaise } =
  service
const act = makeActions(deployed)
const [signAnn, signBob] = [createSigner(anvil.url, 1), createSigner(anvil.url, 2)]
// Until its vote begins, the proposal of a wallet can be replaced.
await succeedRaise(test, service, { votingDelay: 3_600 })
const { wallets, bundle } = await deployBatch(node, [ann])
const [account] = wallets as [Hex]
await node.run(bundle(ann, [act.buy(account, token, parseEther('0.2')), act.approve(account, token, deployed.raises)]))
await index()

/** Mines signed transactions in a block each. */
async function mine(...signed: Hex[]): Promise<Hex[]> {
  for (const transaction of signed) {
    await node.call('eth_sendRawTransaction', transaction)
    await node.mine()
  }
  return signed.map((transaction) => keccak256(transaction))
}

/** Replaces the newest blocks by blocks with one of these transactions each, and an empty one, and indexes them. */
async function reorder(depth: number, ...signed: Hex[]): Promise<void> {
  await node.call(
    'anvil_reorg',
    depth,
    signed.map((transaction, block) => [transaction, block]),
  )
  await node.mine()
  await index()
}

const readProposals = async () => {
  const { body } = await read<{ items: Static<typeof Proposal>[] }>(`/raises/${idOf(1)}/proposals`)
  return body.data.items.map(({ id, title, description }) => [id, title, description])
}

t.test('the text of a proposal follows it to another id, and back', async (t) => {
  const ofAnn = await signAnn(raise.propose(ann, 1n, parseEther('1'), owner, 'A'))
  const ofBob = await signBob(raise.propose(bob, 1n, parseEther('1'), owner, 'B'))
  const hashes = await mine(ofAnn, ofBob)
  for (const [at, wallet] of [ann, bob].entries()) {
    const payload = { txHash: hashes[at], description: `By ${wallet}.` }
    t.equal((await post(`/raises/${idOf(1)}/propose`, payload, wallet)).status, 200)
  }
  await index()
  const first = [
    [idOf(2), 'B', `By ${bob}.`],
    [idOf(1), 'A', `By ${ann}.`],
  ]
  t.strictSame(await readProposals(), first)
  await reorder(2, ofBob, ofAnn)
  t.strictSame(await readProposals(), [
    [idOf(2), 'A', `By ${ann}.`],
    [idOf(1), 'B', `By ${bob}.`],
  ])
  await reorder(3, ofAnn, ofBob)
  t.strictSame(await readProposals(), first)
})

t.test('the text of a proposal is kept while its transaction waits and others of the wallet have the id', async (t) => {
  await node.run(raise.cancelProposal(ann, 1n), raise.cancelProposal(bob, 2n))
  const nonce = await node.call<Hex>('eth_getTransactionCount', ann, 'latest')
  const [signed, filler] = [
    await signAnn(raise.propose(ann, 1n, 3n, owner, 'Late')),
    await signBob({ to: bob, value: 1n }),
  ]
  const [txHash] = await mine(signed)
  await index()
  t.equal((await post(`/raises/${idOf(1)}/propose`, { txHash, description: 'Late.' }, ann)).status, 200)
  t.same((await readProposals())[0], [idOf(3), 'Late', 'Late.'])
  await reorder(1, filler)
  t.same((await readProposals())[0]?.[0], idOf(2))
  await node.call('anvil_setNonce', ann, nonce)
  // Another proposal with the id, whose text is stored: of bob, then of ann.
  const next = await signBob(raise.propose(bob, 1n, 4n, owner, 'Next'))
  const [other] = await mine(next)
  t.equal((await post(`/raises/${idOf(1)}/propose`, { txHash: other, description: 'Next.' }, bob)).status, 200)
  t.same((await readProposals())[0], [idOf(3), 'Next', 'Next.'])
  await mine(signed)
  await index()
  t.strictSame((await readProposals()).slice(0, 2), [
    [idOf(4), 'Late', 'Late.'],
    [idOf(3), 'Next', 'Next.'],
  ])
})

t.test('raises of one transaction keep their texts and flags, also those with equal terms', async (t) => {
  await node.run(act.buy(bob, token, parseEther('0.01')))
  const endAt = (await readTime(node)) + 5_000n
  const terms = { token, endAt, startAt: endAt - 1_000n, tokenAmount: 1n }
  const titles = ['Twin', 'Other', 'Twin']
  const created = titles.map((title) => raise.create(account, { ...terms, title }))
  const all = await signAnn(bundle(ann, created))
  const ofBob = await signBob(raise.create(bob, { ...terms, title: 'Of Bob' }))
  const [txHash, second] = await mine(all, ofBob)
  await index()
  const made = (await post<{ raises: RaiseData[] }>('/raises', { txHash }, account)).body.data.raises
  const patch = (id: string, wallet: string, payload: object) =>
    ask({ method: 'PATCH', url: `/raises/${id}`, headers: headersOf(service.app, wallet), payload })
  for (const [at, { id }] of made.entries()) await patch(id, account, { description: `${at}` })
  await post(`/labs/raises/${made[1]!.id}/feature`, {}, LABS)
  await post('/raises', { txHash: second, description: 'Of Bob.' }, bob)
  const from = BigInt(made[0]!.number)
  const readAll = () =>
    Promise.all(
      [0n, 1n, 2n, 3n].map(async (at) => {
        const { title, description, featured } = await readRaise(from + at)
        return [title, description, featured]
      }),
    )
  const ofAccount = [
    ['Twin', '0', false],
    ['Other', '1', true],
    ['Twin', '2', false],
  ]
  t.strictSame(await readAll(), [...ofAccount, ['Of Bob', 'Of Bob.', false]])
  await reorder(2, ofBob, all)
  t.strictSame(await readAll(), [['Of Bob', 'Of Bob.', false], ...ofAccount])
})

t.test('a text for a raise or proposal that a reorg has just removed is not stored', async (t) => {
  const count = async () => [
    (await db.selectFrom('raise_metadata').selectAll().execute()).length,
    (await db.selectFrom('raise_proposal_texts').selectAll().execute()).length,
  ]
  const before = await count()
  const id = idOf(9_999)
  await upsertRaiseTexts(db, { raises: [id], creator: ann, text: { description: 'x' }, wallet: ann })
  await upsertProposalTexts(db, { proposals: [id], proposer: ann, description: 'x' })
  t.strictSame(await count(), before)
})
