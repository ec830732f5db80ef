import t from 'tap'
import { type Address, type Hex, parseEther, zeroHash } from 'viem'
import { setFoundMetadata } from '../../db/queries/token-metadata.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { createChainApp } from '../support/chain-app.ts'
import { headersOf } from '../support/client.ts'
import { ADMIN, LABS } from '../support/people.ts'
import { indexToHead } from './fixtures/indexing.ts'

t.setTimeout(300_000)

interface Listed {
  items: { id: string; text?: string; subject?: string; token?: { address: string }; type?: string; address?: string }[]
}

t.test('user data stay with their launch when a reorg gives its address to another launch', async (t) => {
  const market = await createChainApp(t)
  const { node, db, app, test, accounts, deployed, read } = market
  const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  const act = makeActions(deployed)
  const index = () => indexToHead(db, test)
  const ask = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload: object | undefined, wallet: string) => {
    const answer = await market.ask({ method, url, headers: headersOf(app, wallet), ...(payload && { payload }) })
    t.equal(answer.status, 200, `${method} ${url}`, { answer })
    return answer.body as { data: { id: string } }
  }
  await node.mine()
  await node.mine()
  const launchOf = (symbol: string) => act.launch(ann, symbol, parseEther('0.1'), undefined, { salt: zeroHash })
  const [launch] = await node.run(launchOf('ONE'))
  const token = launchedToken(launch!)
  const raw = await node.call<Hex>('eth_getRawTransactionByHash', launch!.transactionHash)
  await index()

  await ask('PATCH', `/tokens/${token}`, { description: 'Of Ann', links: { website: 'https://ann.example' } }, ann)
  const { data: comment } = await ask('POST', `/tokens/${token}/comments`, { text: 'Nice' }, bob)
  await ask('POST', `/tokens/${token}/comments`, { text: 'Indeed', parentId: comment.id }, eve)
  await ask('POST', `/comments/${comment.id}/like`, undefined, eve)
  await ask('POST', `/comments/${comment.id}/report`, { reason: 'spam' }, eve)
  await ask('POST', `/tokens/${token}/like`, undefined, bob)
  await ask('POST', `/admin/tokens/${token}/hide`, {}, ADMIN)
  await ask('POST', `/labs/tokens/${token}/feature`, {}, LABS)

  const look = async () => {
    const record = (await read<Record<string, unknown>>(`/tokens/${token}`, bob)).body.data
    const { creator, description, links, featured, hidden, likeCount, commentCount, likedByMe } = record
    const list = async (url: string, wallet?: string) => (await read<Listed>(url, wallet)).body.data.items
    return {
      token: { creator, description, links, featured, hidden, likeCount, commentCount, likedByMe },
      comments: (await list(`/tokens/${token}/comments`)).map(({ text }) => text),
      comment: (await read(`/tokens/${token}/comments?parentId=${comment.id}`)).body,
      reports: (await list('/admin/reports', ADMIN)).length,
      feed: (await list('/feed')).map(({ type }) => type),
      notified: (await list('/notifications', ann)).map(({ type }) => type),
      replied: (await list('/notifications', bob)).map(({ type }) => type),
      unread: (await read('/notifications/unread', ann)).body,
    }
  }
  const before = await look()
  t.match(before, {
    token: { creator: ann, description: 'Of Ann', featured: true, hidden: true, likeCount: 1, commentCount: 2 },
    comments: ['Indeed', 'Nice'],
    reports: 1,
    notified: ['token_like', 'comment', 'comment'],
    replied: ['comment_like', 'reply'],
  })

  await node.reorg(3, [{ action: launchOf('TWO'), block: 0 }])
  await index()
  t.equal((await db.selectFrom('tokens').selectAll().executeTakeFirstOrThrow()).address, token, 'the same address')
  const others = await look()
  t.match(others, {
    token: { creator: ann, description: null, featured: false, hidden: false, likeCount: 0, commentCount: 0 },
    comments: [],
    reports: 0,
    notified: [],
    replied: [],
  })
  t.equal(others.token.likedByMe, false)
  t.strictSame(others.feed, ['launch'])
  const gone = await market.ask({ method: 'POST', url: `/comments/${comment.id}/like`, headers: headersOf(app, bob) })
  t.equal(gone.status, 404, 'a comment on what is gone is not there')
  // What was being fetched for the launch that is gone comes late.
  const source = { creator: ann, uri: 'ipfs://ONE', update: null }
  await setFoundMetadata(db, { token, source, found: { description: 'late' }, replaceable: null })
  t.equal((await look()).token.description, null)

  // The new launch has a life of its own, though it is liked by the same wallet.
  await ask('PATCH', `/tokens/${token}`, { description: 'Of the second' }, ann)
  await ask('POST', `/tokens/${token}/like`, undefined, bob)
  await ask('POST', `/tokens/${token}/comments`, { text: 'Nice' }, bob)
  t.match(await look(), {
    token: { creator: ann, description: 'Of the second', likeCount: 1, commentCount: 1, likedByMe: true },
    comments: ['Nice'],
  })
  const told = await read<Listed>('/notifications', ann)
  t.strictSame(
    told.body.data.items.map(({ type }) => type),
    ['comment', 'token_like'],
  )

  await t.test('user data are restored when the same transaction is mined again', async (t) => {
    await node.call('anvil_reorg', 3, [[raw, 2]])
    await index()
    t.equal((await db.selectFrom('tokens').selectAll().executeTakeFirstOrThrow()).tx_hash, launch!.transactionHash)
    t.strictSame(await look(), before)
  })

  await t.test('a third launch at the same address starts without user data', async (t) => {
    await node.reorg(3, [{ action: launchOf('TRE'), block: 1 }])
    await index()
    t.match(await look(), {
      token: { creator: ann, description: null, hidden: false, likeCount: 0, commentCount: 0 },
      comments: [],
      notified: [],
    })
    await ask('POST', `/tokens/${token}/like`, undefined, bob)
    t.match(await look(), { notified: ['token_like'] }, 'its creator gets notifications of likes again')
  })
})
