import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { Address, Hex } from 'viem'
import { audit } from '../../audit/audit.ts'
import { requestMetadata } from '../../db/queries/token-metadata.ts'
import { tokenId } from '../../db/token-ids.ts'
import type { Token } from '../../schemas/tokens.ts'
import type { Transaction } from '../../schemas/trading.ts'
import { indexToHead } from '../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createChainApp } from '../support/chain-app.ts'
import { headersOf } from '../support/client.ts'
import { endPauses } from '../support/name-metadata.ts'
import { answer, startThirdParty } from '../support/third-party.ts'
import { waitFor } from '../support/waits/wait-until.ts'

const inline = (document: object) => `data:application/json,${encodeURIComponent(JSON.stringify(document))}`

const CID = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const gateway = await startThirdParty(t, answer({ description: 'The cat, awake.' }))
const market = await createChainApp(t, { FETCH_METADATA: 'on', IPFS_GATEWAY: gateway.url })
const { app, db, node, test, deployed, accounts, read } = market
const [, ann, bob] = accounts as [Address, Address, Address]
const act = makeActions(deployed)
const [launch] = await node.run(act.launch(ann, 'ONE'))
const token = launchedToken(launch!)

const readToken = async () => (await read<Static<typeof Token>>(`/tokens/${token}`)).body.data
const listUpdates = async () =>
  (await read<{ items: Static<typeof Transaction>[] }>('/transactions?type=update_metadata')).body.data.items

/** Indexes to the head, and waits for the update of the token with this URI and description. */
async function indexUntil(metadataUri: string, description: string | null): Promise<void> {
  const done = Promise.withResolvers<void>()
  const stop = app.live.subscribe(({ type, data }) => {
    if (type !== 'token.updated') return
    const record = JSON.parse(data) as Static<typeof Token>
    if (record.metadataUri === metadataUri && record.description === description) done.resolve()
  })
  await indexToHead(db, test)
  app.live.notifyCommitted()
  await waitFor(`an event says ${description}, of ${metadataUri}`, done.promise)
  stop()
  t.match(await readToken(), { metadataUri, description })
}

t.test('an update of the contractURI replaces the metadata of the former one, and a reorg restores it', async (t) => {
  await indexUntil('ipfs://ONE', null)
  t.same(await listUpdates(), [])
  const first = inline({ description: 'The cat.', external_link: 'https://cat.example' })
  await node.run(act.setContractUri(ann, token, first))
  await indexUntil(first, 'The cat.')
  const second = inline({ description: 'The cat, asleep.' })
  const [updated] = await node.run(act.setContractUri(ann, token, second), act.buy(bob, token, 10n ** 15n))
  await indexUntil(second, 'The cat, asleep.')
  t.match(await readToken(), { links: { website: 'https://cat.example' } }, 'what it does not mention stays')
  t.match(await listUpdates(), [
    { type: 'update_metadata', wallet: ann, token, amounts: {} },
    { type: 'update_metadata', wallet: ann, token },
  ])
  const {
    from,
    to,
    input: data,
    nonce,
    ...sent
  } = await node.call<Record<string, string>>('eth_getTransactionByHash', updated?.transactionHash)
  const fees = { maxFeePerGas: sent.maxFeePerGas, maxPriorityFeePerGas: sent.maxPriorityFeePerGas }
  const lines: string[] = []
  await audit({ ...test, db, onDifference: (line) => lines.push(line) })
  t.same(lines, [])

  await node.reorg(1)
  await node.mine()
  await indexUntil(first, 'The cat.')
  t.equal((await listUpdates()).length, 1, 'a reorg takes the update back')

  const request = { from, to, data, nonce, gas: sent.gas, ...fees }
  t.equal(
    await node.call('eth_sendTransaction', request),
    updated?.transactionHash,
    'the same transaction is sent again',
  )
  await node.mine()
  await indexUntil(second, 'The cat, asleep.')
})

t.test('a contractURI whose document is unavailable is read again later', async (t) => {
  const drawn = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>')}`
  const whole = inline({ description: 'The cat, drawn.', image: drawn })
  await node.run(act.setContractUri(ann, token, whole))
  await indexUntil(whole, 'The cat, drawn.')
  await app.tokenMetadata.readDue()
  t.ok((await readToken()).imageUrl, 'nothing is missing')

  gateway.act(answer('busy', 503))
  await node.run(act.setContractUri(ann, token, `ipfs://${CID}`))
  await indexUntil(`ipfs://${CID}`, 'The cat, drawn.')
  await app.tokenMetadata.readDue()
  gateway.act(answer({ description: 'The cat, awake.' }))
  await endPauses(db)
  await app.tokenMetadata.readDue()
  t.match(await readToken(), { description: 'The cat, awake.', imageUrl: String })
})

t.test('a contractURI that is indexed while all readers are busy is read later', async (t) => {
  const held: (() => void)[] = []
  const busy = Promise.withResolvers<void>()
  gateway.act((response, request) => {
    held.push(() => answer('none', 404)(response, request))
    if (held.length === 3) busy.resolve()
  })
  const launches = await node.run(...['A', 'B', 'C', 'D'].map((symbol) => act.launch(bob, symbol)))
  const others = launches.map((receipt) => launchedToken(receipt))
  await indexToHead(db, test)
  for (const other of others)
    await db
      .updateTable('tokens')
      .set({ metadata_uri: `ipfs://${CID}/${other}` })
      .where('address', '=', other)
      .execute()
  // Their first reads may be over: each process looks for reads every ten seconds.
  await requestMetadata(
    db,
    others.map((other) => ({ token: other, updatedAt: null })),
  )
  const reading = app.tokenMetadata.readDue()
  await waitFor('three readers wait for the gateway', busy.promise)
  await node.run(act.setContractUri(ann, token, inline({ description: 'The cat, fed.' })))
  await indexToHead(db, test)
  gateway.act(answer('none', 404))
  for (const respond of held) respond()
  await reading
  await app.tokenMetadata.readDue()
  t.match(await readToken(), { description: 'The cat, fed.' })
})

/** An edit of the creator now, by the chain's clock, which is behind that of this machine. */
async function edit(payload: object): Promise<number> {
  const { status } = await market.ask({
    method: 'PATCH',
    url: `/tokens/${token}`,
    headers: headersOf(app, ann),
    payload,
  })
  const { timestamp } = await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)
  const updated_at = new Date(Number(timestamp) * 1000 + 1)
  await db.updateTable('token_metadata').set({ updated_at }).where('token_id', '=', tokenId(token)).execute()
  return status
}

t.test('a document that arrives after a later update is not stored', async (t) => {
  t.equal(await edit({ links: { website: null } }), 200)
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  gateway.act((response, request) => {
    asked.resolve()
    void answered.promise.then(() =>
      answer({ description: 'The cat, old.', external_link: 'https://old.example' })(response, request),
    )
  })
  await node.run(act.setContractUri(ann, token, `ipfs://${CID}/old`))
  await indexUntil(`ipfs://${CID}/old`, 'The cat, fed.')
  await waitFor('the older document is requested', asked.promise)
  const newer = inline({ description: 'The cat, new.' })
  await node.run(act.setContractUri(ann, token, newer))
  await indexUntil(newer, 'The cat, new.')
  answered.resolve()
  await app.tokenMetadata.readDue()
  t.match(await readToken(), { metadataUri: newer, description: 'The cat, new.', links: { website: null } })
})

t.test('edits of the creator after an update are kept when the update is read again', async (t) => {
  gateway.act(answer('busy', 503))
  await node.run(act.setContractUri(ann, token, `ipfs://${CID}/late`))
  await indexUntil(`ipfs://${CID}/late`, 'The cat, new.')
  await app.tokenMetadata.readDue()
  t.equal(await edit({ description: 'The cat, edited.' }), 200)
  gateway.act(answer({ description: 'The cat, late.', external_link: 'https://late.example' }))
  await endPauses(db)
  await app.tokenMetadata.readDue()
  t.match(await readToken(), { description: 'The cat, edited.', links: { website: 'https://late.example' } })
})

t.test('a ContractURIUpdated event of a contract that is not a token is ignored', async (t) => {
  const before = (await listUpdates()).length
  await node.run(act.launch(ann, 'TWO'))
  await indexToHead(db, test)
  t.equal((await listUpdates()).length, before)
})
