import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther, toFunctionSelector, toHex } from 'viem'
import { Chain } from '../../../chain/rpc/client.ts'
import { AppError } from '../../../errors.ts'
import { retryReads, runReadRetries } from '../../../indexer/engine/reads/retry-reads.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { syncTransaction } from '../../../indexer/engine/sync.ts'
import { modules } from '../../../indexer/modules.ts'
import { readPair } from '../../../venues/uniswap-v2/factory.ts'
import { failure, on, type Rule, raw, result, startHostileNode } from '../../support/hostile/node.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { startFourMeme } from '../fixtures/launchpads/four-meme.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const ofToken = toFunctionSelector('_tokenInfos(address)')
const ofPair = toFunctionSelector('getPair(address,address)')

/** A rule for calls of these functions. */
const onRead = (selectors: readonly Hex[], rule: (at: unknown, ask: () => Promise<Hex>) => unknown): Rule =>
  on('eth_call', async (call, ask) => {
    const [{ data }, at] = call.params as [{ data: Hex }, unknown]
    if (!selectors.includes(data.slice(0, 10) as Hex)) return undefined
    const real = async () => ((await ask(call)) as { result: Hex }).result
    return (await rule(at, real)) as never
  })
const setWord = (answer: Hex, index: number, word: bigint): Hex =>
  `0x${answer.slice(2, 2 + index * 64)}${word.toString(16).padStart(64, '0')}${answer.slice(2 + (index + 1) * 64)}`

/** A service whose nodes may be told what to answer, with a token that has graduated and a pool that trades. */
async function startReads(t: Test, { nodes: count = 1, readPatienceMs = 0 } = {}) {
  const run = await startFourMeme(t)
  const { fourMeme, actions, ann, bob, node, test, db, contracts } = run
  const nodes = await Promise.all(Array.from({ length: count }, () => startHostileNode(t, test.anvil.url)))
  const chain = new Chain(
    nodes.map(({ url }) => url),
    { retries: 0, timeoutMs: 60_000, readPatienceMs },
  )
  const play = async () => {
    const { token, receipt } = await fourMeme.createToken(ann, { value: parseEther('1') })
    await fourMeme.buy(bob, token, parseEther('100'))
    await fourMeme.graduate(bob, token)
    await node.run(actions.swapBuy(bob, token, parseEther('1')))
    return { token, receipt }
  }
  const log = { warn: () => {} }
  const makeDue = () =>
    sql`update contract_reads set attempted_at = now() - interval '2 days' where answer is null`.execute(db)
  return {
    ...run,
    ...{ nodes, play, nodeChain: chain },
    index: () => indexToHead(db, { ...test, chain }),
    /** As after enough time. */
    retry: async () => {
      await makeDue()
      return retryReads({ db, chain, contracts, fence: async () => {}, log })
    },
    /** A round of the process that indexes. */
    runRetries: async (isDue: boolean) => {
      if (isDue) await makeDue()
      const stopping = new AbortController()
      const isCaughtUp = () => {
        stopping.abort()
        return true
      }
      const { signal } = stopping
      await runReadRetries({ db, chain, contracts, fence: async () => {}, log, signal, isCaughtUp })
    },
    syncByNodes: (txHash: Hex, wallet: Address, kind: string, subject: string) =>
      syncTransaction({ db, chain, getContracts: async () => contracts }, { txHash, wallet, kind, subject }),
  }
}

const FOREVER = 2n ** 256n - 1n
const nonsense: Record<string, (real: Hex) => unknown> = {
  'an error': () => failure(-32601, 'the method does not exist'),
  'a revert': () => failure(3, 'execution reverted'),
  'nothing at all': () => result('0x'),
  null: () => result(null),
  'a number': () => result(12),
  'text that is no hex': () => result('0xsome'),
  'half a word': (real) => result(real.slice(0, 40)),
  'too few words': (real) => result(real.slice(0, 2 + 64 * 5)),
  'an endless answer': (real) => result(`${real}${'00'.repeat(100_000)}`),
  'an answer beyond any limit': (real) => result(`${real}${'00'.repeat(12_000_000)}`),
  'another token': (real) => result(setWord(real, 0, 1n)),
  'an address that is too long': (real) => result(setWord(real, 1, FOREVER)),
  'no tokens for sale': (real) => result(setWord(real, 4, 0n)),
  'more tokens than can be': (real) => result(setWord(real, 4, 2n ** 128n)),
  'no target': (real) => result(setWord(real, 5, 0n)),
  'a target without bounds': (real) => result(setWord(real, 5, FOREVER)),
  'a page of HTML': () => raw(502, '<html>'),
  'an empty struct': () => result(`0x${'00'.repeat(32 * 13)}`),
}

t.test('a node that answers nonsense neither halts the indexer nor changes a figure', async (t) => {
  const run = await startReads(t)
  const { nodes, play, index, findToken, findDifferences, readAnswers, retry, expectFresh, db } = run
  for (const [name, rule] of Object.entries(nonsense)) {
    nodes[0]!.follow(onRead([ofToken], async (_, ask) => rule(await ask())))
    const { token } = await play()
    await index()
    t.equal(await findToken(token), undefined, name)
    t.match((await readAnswers()).at(-2), { answer: null }, name)
  }
  t.strictSame(await findDifferences(), [], 'the audit expects no more')
  const open = Object.keys(nonsense).length
  t.equal(await retry(), 2, 'two pairs, whose answers were in the same response as one that was too long, or a page')
  const unread = (await readAnswers()).filter(({ answer }) => answer === null)
  t.match(
    unread,
    Array.from({ length: open }, () => ({ attempts: 2 })),
  )
  nodes[0]!.follow()
  t.equal(await retry(), open)
  await expectFresh('all tokens are there, with their trades and transfers')
  t.equal((await db.selectFrom('tokens').select('address').execute()).length, open)
})

t.test('a pool that cannot be read is opened later', async (t) => {
  const { nodes, play, index, findToken, findDifferences, runRetries, readAnswers, expectFresh } = await startReads(t)
  const answers = [result('0x'), result(`0x${'00'.repeat(32)}`), result(`0x${'ff'.repeat(32)}`)]
  const tokens: Address[] = []
  for (const answer of answers) {
    nodes[0]!.follow(onRead([ofPair], () => answer))
    tokens.push((await play()).token)
    await index()
    t.match(await findToken(tokens.at(-1)!), { status: 'completed', pool: null, trades_total: 2 })
  }
  t.strictSame(await findDifferences(), [])
  nodes[0]!.follow()
  // The rows are not due yet.
  await runRetries(false)
  t.match(
    await readAnswers(),
    Array.from({ length: 6 }, (_, at) => ({ attempts: 1, answer: at % 2 ? null : /^0x/ })),
  )
  await runRetries(true)
  t.equal((await readAnswers()).filter(({ answer }) => answer === null).length, 0)
  await expectFresh('with the swaps since')
  for (const token of tokens) t.match(await findToken(token), { status: 'graduated', trades_total: 3 })
})

t.test('what two nodes say differently is not taken, unless another one agrees', async (t) => {
  for (const count of [2, 3]) {
    const run = await startReads(t, { nodes: count })
    const { nodes, play, index, findToken, usdc, findDifferences, retry, expectFresh, syncByNodes, ann } = run
    nodes[0]!.follow(onRead([ofToken], async (_, ask) => result(setWord(await ask(), 1, BigInt(usdc)))))
    const { token, receipt } = await play()
    if (count === 2) {
      const pending = new AppError('TRANSACTION_PENDING', {}, { retryAfter: 2 })
      await t.rejects(syncByNodes(receipt.transactionHash, ann, 'create', token), pending)
    }
    await index()
    if (count === 3) t.match(await findToken(token), { status: 'graduated' })
    else t.equal(await findToken(token), undefined)
    t.strictSame(await findDifferences(), [])
    nodes[0]!.follow()
    t.equal(await retry(), count === 3 ? 0 : 1)
    await expectFresh('by the right answer')
  }
})

t.test('one of two nodes that fails does not keep the other one from answering', async (t) => {
  const { nodes, play, index, expectFresh, findToken } = await startReads(t, { nodes: 2, readPatienceMs: 60_000 })
  nodes[1]!.follow(onRead([ofToken, ofPair], () => failure(-32601, 'the method does not exist')))
  const { token } = await play()
  await index()
  t.match(await findToken(token), { status: 'graduated' })
  await expectFresh('the same')
})

t.test('while no node answers, syncs fail and the indexer waits, for a while', async (t) => {
  const run = await startReads(t, { readPatienceMs: 2_000 })
  const { nodes, play, index, findToken, syncByNodes, ann, expectFresh, retry, readAnswers } = run
  nodes[0]!.follow(onRead([ofToken, ofPair], () => failure(-32601, 'the method does not exist')))
  const { token, receipt } = await play()
  await t.rejects(index(), /No node of RPC_URL answers/)
  t.same(await readAnswers(), [])
  const unavailable = new AppError('NODE_UNAVAILABLE', {}, { retryAfter: 2 })
  await t.rejects(syncByNodes(receipt.transactionHash, ann, 'create', token), unavailable)
  await new Promise((resolve) => setTimeout(resolve, 2_100))
  await t.rejects(syncByNodes(receipt.transactionHash, ann, 'create', token), unavailable)
  await index()
  t.match(await readAnswers(), [{ answer: null }, { answer: null }])
  nodes[0]!.follow()
  t.equal(await retry(), 2)
  await expectFresh('it goes on')
  t.match(await findToken(token), { status: 'graduated' })
})

const MISSING = 'missing trie node 0xab (path ) state 0xcd is not available'
const limits: Record<string, (at: unknown) => unknown> = {
  'that takes no hash of a block': (at) => (typeof at === 'object' ? failure(-32602, 'invalid argument 1') : undefined),
  'that has pruned the state': (at) => (at === 'latest' ? undefined : failure(-32000, MISSING)),
  'that takes heights only, and has pruned the state': (at) =>
    typeof at === 'object'
      ? failure(-32602, 'invalid argument 1')
      : at === 'latest'
        ? undefined
        : failure(-32000, MISSING),
}

for (const [name, limit] of Object.entries(limits))
  t.test(`a node ${name} gives the same answers`, async (t) => {
    const run = await startReads(t)
    const { nodes, play, index, db, findToken, expectFresh, deployed, node, nodeChain: chain } = run
    nodes[0]!.follow(onRead([ofToken, ofPair], limit))
    const { token } = await play()
    const { token: second } = await play()
    await index()
    for (const one of [token, second]) t.match(await findToken(one), { status: 'graduated', trades_total: 3 })
    const pair = readPair(deployed.uniswapFactory, token, deployed.weth)
    const orphan = { number: await node.height(), hash: toHex(7, { size: 32 }) }
    await t.rejects(chain.readAtLog(pair, orphan), /No node of RPC_URL answers/, 'of an orphaned block')
    const tables = await readTables(db)
    await reindex(db, modules)
    t.strictSame(diffTables(await readTables(db), tables), [])
    await expectFresh('as where all state is there')
  })
