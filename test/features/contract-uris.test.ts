import type { Static } from '@sinclair/typebox'
import t from 'tap'
import type { Address } from 'viem'
import { audit } from '../../audit/audit.ts'
import type { Token } from '../../schemas/tokens.ts'
import type { Transaction } from '../../schemas/trading.ts'
import { indexToHead } from '../indexer/fixtures/indexing.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createChainApp } from '../support/chain-app.ts'
import { headersOf } from '../support/client.ts'
import { answer, startThirdParty } from '../support/third-party.ts'
import { letPass } from './monotonic-time.ts'

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
  await done.promise
  stop()
  t.match(await readToken(), { metadataUri, description })
}

t.test('an update of the contractURI replaces what the former one said', async (t) => {
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

t.test('an update whose document is unavailable is read again when the token is shown', async (t) => {
  const drawn = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>')}`
  const whole = inline({ description: 'The cat, drawn.', image: drawn })
  await node.run(act.setContractUri(ann, token, whole))
  await indexUntil(whole, 'The cat, drawn.')
  await app.tokenMetadata.idle()
  t.ok((await readToken()).imageUrl, 'nothing is missing')

  gateway.act(answer('busy', 503))
  await node.run(act.setContractUri(ann, token, `ipfs://${CID}`))
  await indexUntil(`ipfs://${CID}`, 'The cat, drawn.')
  await app.tokenMetadata.idle()
  gateway.act(answer({ description: 'The cat, awake.' }))
  letPass(t, 301_000)
  await readToken()
  await app.tokenMetadata.idle()
  t.match(await readToken(), { description: 'The cat, awake.', imageUrl: String })
})

t.test('an update that finds the queue full is read when the token is shown', async (t) => {
  const held: (() => void)[] = []
  gateway.act((response, request) => held.push(() => answer('none', 404)(response, request)))
  const others = Array.from({ length: 210 }, (_, number) => ({
    ...{ address: `0x${String(number).padStart(40, '0')}`, creator: ann, description: null, image_url: null },
    metadata_uri: `ipfs://${CID}/${number}`,
  }))
  // The second time there is space for those that are being read.
  for (let times = 2; times > 0; times--) app.tokenMetadata.request(others)
  await node.run(act.setContractUri(ann, token, inline({ description: 'The cat, fed.' })))
  const announced = Promise.withResolvers<void>()
  const stop = app.live.subscribe(({ type, data }) => {
    if (type === 'transaction' && data.includes('"update_metadata"')) announced.resolve()
  })
  await indexToHead(db, test)
  app.live.notifyCommitted()
  await announced.promise
  stop()
  gateway.act(answer('none', 404))
  for (const respond of held) respond()
  await app.tokenMetadata.idle()
  t.match(await readToken(), { description: 'The cat, awake.' }, 'the update has not been read')
  await app.tokenMetadata.idle()
  t.match(await readToken(), { description: 'The cat, fed.' })
})

const edit = async (payload: object) =>
  (await market.ask({ method: 'PATCH', url: `/tokens/${token}`, headers: headersOf(app, ann), payload })).status

t.test('a document that comes after a later update is not stored', async (t) => {
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
  await asked.promise
  const newer = inline({ description: 'The cat, new.' })
  await node.run(act.setContractUri(ann, token, newer))
  await indexUntil(newer, 'The cat, new.')
  answered.resolve()
  await app.tokenMetadata.idle()
  t.match(await readToken(), { metadataUri: newer, description: 'The cat, new.', links: { website: null } })
})

t.test('what the creator edits after an update stays when the update is read again', async (t) => {
  gateway.act(answer('busy', 503))
  await node.run(act.setContractUri(ann, token, `ipfs://${CID}/late`))
  await indexUntil(`ipfs://${CID}/late`, 'The cat, new.')
  await app.tokenMetadata.idle()
  t.equal(await edit({ description: 'The cat, edited.' }), 200)
  gateway.act(answer({ description: 'The cat, late.', external_link: 'https://late.example' }))
  letPass(t, 301_000)
  await readToken()
  await app.tokenMetadata.idle()
  t.match(await readToken(), { description: 'The cat, edited.', links: { website: 'https://late.example' } })
})

t.test('the event of a contract that is no token has no effect', async (t) => {
  const before = (await listUpdates()).length
  await node.run(act.launch(ann, 'TWO'))
  await indexToHead(db, test)
  t.equal((await listUpdates()).length, before)
})
