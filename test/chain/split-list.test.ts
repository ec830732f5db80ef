import t from 'tap'
import { Chain } from '../../chain/rpc/client.ts'
import { FilterChoice } from '../../chain/rpc/filter-choice.ts'
import { ListRejectedError, ListSplitter } from '../../chain/rpc/split-list.ts'
import { answer, startThirdParty } from '../support/third-party.ts'

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const listOf = (length: number) => Array.from({ length }, (_, n) => addressOf(n))

interface Filter {
  address?: string[]
  topics: (string | string[] | null)[]
}

/** A node that answers filters of at most so many addresses or ids, and others by an error. Its logs are those of all that it is asked for. */
async function startCapped(t: Parameters<typeof startThirdParty>[0], cap: number, error: object, status = 200) {
  const asked: Filter[] = []
  const header = (number: string) => ({ number, hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'2'.repeat(64)}` })
  const reply = ({ id, method, params }: { id: number; method: string; params: [Filter & string] }) => {
    if (method === 'eth_blockNumber') return { jsonrpc: '2.0', id, result: '0x64' }
    if (method !== 'eth_getLogs') return { jsonrpc: '2.0', id, result: { ...header(params[0]), timestamp: '0x5' } }
    const [filter] = params
    asked.push(filter)
    const listed = Math.max(filter.address?.length ?? Number.POSITIVE_INFINITY, filter.topics[1]?.length ?? 0)
    return listed > cap ? { jsonrpc: '2.0', id, error } : { jsonrpc: '2.0', id, result: [] }
  }
  const node = await startThirdParty(t, (response, { body }) => {
    const calls = JSON.parse(body) as Parameters<typeof reply>[0] | Parameters<typeof reply>[0][]
    const replies = [calls].flat().map(reply)
    const isRefused = replies.some((one) => 'error' in one)
    const sent = Array.isArray(calls) ? replies : replies[0]
    answer(sent, isRefused ? status : 200)(response, { method: '', path: '', query: {}, headers: {}, body })
  })
  return { chain: new Chain([node.url], { retries: 0 }), asked }
}

const range = { from: 10, to: 12 }
const accepted = (asked: readonly Filter[], cap: number) =>
  asked.filter(({ address }) => address && address.length <= cap).flatMap(({ address }) => address!)

const refusals: [string, object, number?][] = [
  ['geth', { code: -32602, message: 'exceed max addresses or topics per search position' }],
  ['Erigon', { code: -32602, message: 'query exceeds the maximum of 16 addresses or topics per search position' }],
  ['a public node', { code: -32701, message: 'Please specify fewer addresses in your request' }],
  ['a status of failure', { code: -32602, message: 'Too many addresses' }, 400],
]
for (const [name, error, status] of refusals) {
  t.test(`a list of addresses that a node rejects is split: ${name}`, async (t) => {
    const { chain, asked } = await startCapped(t, 16, error, status)
    await chain.getLogs({ address: listOf(100), topics: [], range })
    t.strictSame(accepted(asked, 16).sort(), listOf(100))
    asked.length = 0
    const { ends } = await chain.getPackedLogs({ address: listOf(20), topics: [], range })
    t.ok(
      asked.every(({ address }) => address!.length <= 16),
      'the accepted length is kept',
    )
    t.equal(ends.length, 2)
    t.strictSame(accepted(asked, 16).sort(), listOf(20))
    await t.rejects(chain.getLogs({ topics: [], range }), ListRejectedError, 'a filter without addresses is not split')
  })
}

const limits: [string, object, number?][] = [
  ['a busy node', { code: -32005, message: 'Too many requests from this address' }],
  ['a rate limit', { code: 429, message: 'Too many requests from your IP address' }, 429],
  ['a client that is not allowed', { code: -32000, message: 'Your IP address is not on the list' }, 403],
]
for (const [name, error, status] of limits)
  t.test(`what a node says about the client's address splits no list: ${name}`, async (t) => {
    const { chain, asked } = await startCapped(t, 2, error, status)
    const refusal = await chain.getLogs({ address: listOf(3), topics: [], range }).catch((one: unknown) => one)
    t.ok(refusal instanceof Error && !(refusal instanceof ListRejectedError))
    t.ok(asked.length > 0 && asked.every(({ address }) => address!.length === 3), 'the list stays whole')
  })

t.test('a filter lists at most a thousand addresses, or ids', async (t) => {
  const { chain, asked } = await startCapped(t, 1_000, { code: -32602, message: 'exceed max addresses' })
  await chain.getPackedLogs({ address: listOf(2_001), topics: [], range })
  t.strictSame(asked.map(({ address }) => address!.length).sort(), [1, 1_000, 1_000])
  asked.length = 0
  await chain.getLogs({ address: listOf(1), topics: [], topic1: listOf(1_500), range })
  t.strictSame(asked.map(({ topics }) => topics[1]!.length).sort(), [1_000, 500])
  asked.length = 0
  t.strictSame(await chain.getLogs({ address: [], topics: [], range }), [], 'no addresses are none, and not all')
  t.strictSame(asked, [])
})

t.test('another error ends a request, and no part is requested after it', async (t) => {
  const splitter = new ListSplitter()
  const asked: number[] = []
  const collecting = splitter.collect(listOf(20_000), async (part) => {
    asked.push(part.length)
    throw new Error('gone')
  })
  await t.rejects(collecting, { message: 'gone' })
  t.ok(asked.length <= 4, 'only those that were under way')
  const single = splitter.collect(['one'], async () => {
    throw new ListRejectedError('never')
  })
  await t.rejects(single, ListRejectedError, 'one address cannot be split')
})

t.test('a longer list is tried again after many were accepted, and less often where it is rejected', async (t) => {
  const splitter = new ListSplitter()
  let cap = 125
  let rejected = 0
  const ask = async (part: readonly number[]) => {
    if (part.length > cap) {
      rejected += 1
      throw new ListRejectedError('too many')
    }
    return part.length
  }
  const longest = async (parts: number) => Math.max(...(await splitter.collect([...Array(parts * 125).keys()], ask)))
  t.equal(await longest(16), 125)
  rejected = 0
  t.equal(await longest(600), 125)
  t.ok(rejected > 0 && rejected <= 4, 'tried once, by the parts that are requested at a time', { rejected })
  cap = 1_000
  t.equal(await longest(600), 125, 'not soon again')
  t.equal(await longest(1_000), 250)
  t.equal(await longest(10_000), 1_000)
  rejected = 0
  t.equal(await longest(10_000), 1_000)
  t.equal(rejected, 0, 'never more than the most')
})

t.test('contracts are named where their requests cost less than the logs of others', async (t) => {
  const choice = new FilterChoice()
  const samples: object[] = []
  const isNaming = (contracts: number, blocks: number, others = 250) =>
    choice.isNaming(contracts, { from: 1, to: blocks }, async (sample) => {
      samples.push(sample)
      return others
    })
  t.equal(await isNaming(1_000, 1), true, 'a single request')
  t.strictSame(samples, [])
  t.equal(await isNaming(1_001, 32), true, '250 in four blocks are 2,000 in 32, the price of two requests')
  t.equal(await isNaming(1_001, 31), false)
  t.equal(await isNaming(2_001, 32), false)
  t.strictSame(samples, [{ from: 1, to: 4 }], 'one sample')
  choice.learn({ from: 1, to: 10 }, 20_000)
  t.equal(await isNaming(1_001, 1), true, 'the chain became busier')
  const refused = await new FilterChoice().isNaming(50_000, { from: 7, to: 8 }, async (sample) => {
    t.strictSame(sample, { from: 7, to: 8 })
    throw new ListRejectedError('name some')
  })
  t.equal(refused, true, 'a node that demands addresses')
  const failing = new FilterChoice().isNaming(50_000, { from: 1, to: 2 }, async () => {
    throw new Error('down')
  })
  await t.rejects(failing, { message: 'down' }, 'a failure is no answer')
})
