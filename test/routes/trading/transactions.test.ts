import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Transaction, type TransactionList, transactionTypes } from '../../../schemas/trading.ts'
import { createMarketApp } from '../../support/market-app.ts'
import {
  creatorOf,
  HEAD,
  LAUNCHPAD,
  type SimulatedToken,
  timeOf,
  transactionHash,
  walletAddress,
} from '../../support/market-simulation.ts'
import { insertActions } from '../../support/readable-rows.ts'

type Item = Static<typeof Transaction>
type List = Static<typeof TransactionList>

const { read, tokens, db } = await createMarketApp(t)
const trades = tokens.flatMap((token) => token.trades)
const graduations = tokens.filter(({ status }) => status === 'graduated').length
const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

async function readAll(filter: string, limit = 50): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const url: string = `/transactions?limit=${limit}&${filter}${cursor === null ? '' : `&cursor=${cursor}`}`
    const data: List = (await read<List>(url)).body.data
    items.push(...data.items)
    cursor = data.nextCursor
  } while (cursor !== null)
  return items
}

t.test('trades and other actions are one list, newest first, once each', async (t) => {
  const items = await readAll('')
  t.equal(items.length, trades.length + tokens.length + graduations)
  t.equal(new Set(items.map(({ id }) => id)).size, items.length)
  for (const [at, item] of items.entries()) {
    const next = items[at + 1]
    if (!next) continue
    const isNewer =
      item.blockNumber > next.blockNumber || (item.blockNumber === next.blockNumber && item.logIndex > next.logIndex)
    if (!isNewer) t.fail(`${item.id} before ${next.id}`)
  }
})

t.test('a launch, a trade and a graduation have all fields', async (t) => {
  const token = tokens[29] as SimulatedToken
  const [graduation] = await readAll(`token=${token.address}&type=graduate`)
  const block = token.graduatedBlock as number
  t.same(graduation, {
    id: `${transactionHash(block, 290)}-290`,
    type: 'graduate',
    wallet: LAUNCHPAD,
    token: token.address,
    raise: null,
    proposal: null,
    pool: null,
    quote: { address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18 },
    amounts: { quoteLiquidity: '4000000000000000000', tokenLiquidity: '200000000000000000100000000' },
    timestamp: new Date(timeOf(block) * 1000).toISOString(),
    blockNumber: block,
    txHash: transactionHash(block, 290),
    logIndex: 290,
    confirmed: true,
  })
  const [launch] = await readAll(`token=${token.address}&type=create`)
  t.match(launch, { type: 'create', wallet: creatorOf(29), token: token.address, amounts: {} })
  const [trade] = await readAll(`token=${token.address}&type=buy`)
  const last = token.trades.at(-1)
  t.match(trade, {
    type: 'buy',
    wallet: last?.trader,
    amounts: {
      tokenAmount: String(last?.tokenAmount),
      quoteAmount: String(last?.quoteAmount),
      protocolFee: '0',
      creatorFee: '0',
    },
    confirmed: false,
  })
})

t.test('all given filters apply', async (t) => {
  const wallet = walletAddress(5)
  const own = trades.filter(({ trader }) => trader === wallet)
  t.equal((await readAll(`wallet=${wallet}`)).length, own.length)
  t.equal((await readAll(`wallet=0x${wallet.slice(2).toUpperCase()}`)).length, own.length)
  t.equal((await readAll(`wallet=${wallet}&type=sell`)).length, own.filter(({ side }) => side === 'sell').length)
  t.equal(
    (await readAll(`wallet=${creatorOf(2)}`)).length,
    tokens.filter((token) => token.creator === creatorOf(2)).length,
  )
  const token = tokens[29] as SimulatedToken
  t.equal((await readAll(`token=${token.address}`)).length, token.trades.length + 2)
  t.equal((await readAll('type=create')).length, tokens.length)
  t.equal((await readAll('type=stake')).length, 0)
  const shared = token.trades[1] as SimulatedToken['trades'][number]
  t.equal((await readAll(`txHash=${shared.txHash}`)).length, 2, 'a transaction may hold many')
  t.equal((await readAll(`txHash=${shared.txHash}&wallet=${shared.trader}`)).length, 1)
})

t.test('the subject of an action follows from its type', async (t) => {
  const at = {
    block_number: HEAD + 1,
    block_time: timeOf(HEAD + 1),
    tx_hash: transactionHash(HEAD + 1, 0),
    wallet: walletAddress(50),
  }
  await insertActions(db, [
    { ...at, log_index: 0, type: 'stake', subject: '1', data: JSON.stringify({ amount: '7', note: 'x' }) },
    { ...at, log_index: 1, type: 'commit', subject: '12', data: JSON.stringify({ amount: '8' }) },
  ])
  t.match(await readAll(`wallet=${walletAddress(50)}`), [
    { type: 'commit', token: null, raise: '12', pool: null, amounts: { amount: '8' } },
    { type: 'stake', token: null, raise: null, pool: '1', amounts: { amount: '7' } },
  ])
  t.same(Object.keys((await readAll('type=stake'))[0]?.amounts ?? {}), ['amount'])
})

const address = 'must be a 0x-prefixed address of 20 bytes in hexadecimal'
const types = Object.keys(transactionTypes).join(', ')
const bad: [query: string, error: string][] = [
  ['limit=0', 'query.limit must be >= 1'],
  ['limit=101', 'query.limit must be <= 100'],
  ['wallet=0x', `query.wallet ${address}`],
  ['token=me', `query.token ${address}`],
  ['type=gift', `query.type must be one of ${types}`],
  ['txHash=0x1', 'query.txHash must be a 0x-prefixed transaction hash of 32 bytes in hexadecimal'],
  ['cursor=abc', 'query.cursor is not a cursor of this list'],
  [
    `cursor=${Buffer.from(JSON.stringify(['transactions', -1, 290])).toString('base64url')}`,
    'query.cursor is not a cursor of this list',
  ],
]
for (const [query, error] of bad) {
  t.test(`GET /transactions?${query.slice(0, 30)} is rejected`, async (t) => {
    t.same(await read(`/transactions?${query}`), failure(400, error))
  })
}

t.test('a page that ends within a block goes on with the earlier log of it', async (t) => {
  const { block, log, token } = trades.at(-1)!
  const logs = [log + 1, log + 2]
  await insertActions(
    db,
    logs.map((logIndex) => ({
      ...{
        block_number: block,
        log_index: logIndex,
        block_time: timeOf(block),
        tx_hash: transactionHash(block, logIndex),
      },
      ...{ type: 'claim_creator_fee', wallet: walletAddress(1), subject: token, data: '{}' },
    })),
  )
  const items = (await readAll(`token=${token}`, 1)).filter(({ blockNumber }) => blockNumber === block)
  t.strictSame(
    items.map(({ logIndex }) => logIndex),
    [log + 2, log + 1, log],
  )
})
