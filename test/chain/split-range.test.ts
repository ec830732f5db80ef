import t from 'tap'
import { requestLogs } from '../../chain/logs/request-logs.ts'
import { BatchSupport } from '../../chain/rpc/batch-support.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { PackedResponses } from '../../chain/rpc/packed-responses.ts'
import { type BlockRange, RangeSplitter } from '../../chain/rpc/split-range.ts'
import { answer, startThirdParty } from '../support/third-party.ts'

const range = { from: 10, to: 50_009 }
const ninth = { number: '0x9', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'2'.repeat(64)}`, timestamp: '0x5' }

/** A node that answers ranges of at most so many blocks, and others by an error. */
async function startCapped(t: Parameters<typeof startThirdParty>[0], cap: number, error: object, status = 200) {
  const asked: BlockRange[] = []
  const node = await startThirdParty(t, (response, { body }) => {
    const { id, params } = JSON.parse(body) as { id: number; params: [{ fromBlock: string; toBlock: string }] }
    const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)]
    asked.push({ from, to })
    const refused = to - from + 1 > cap
    const sent = { jsonrpc: '2.0', id, ...(refused ? { error } : { result: [] }) }
    answer(sent, refused ? status : 200)(response, { method: '', path: '', query: {}, headers: {}, body })
  })
  return { chain: new Chain([node.url], { retries: 0 }), asked }
}

const refusals: [string, object, number?][] = [
  ['words that nobody knows', { code: -32000, message: 'nope' }],
  [
    'Infura',
    { code: -32005, message: 'query returned more than 10000 results. Try with this block range [0xA, 0x7D9].' },
  ],
  ['Alchemy', { code: -32602, message: 'You can make eth_getLogs requests with up to a 2,000 block range.' }, 400],
  ['a limit of its own', { code: -32005, message: 'block range limit exceeded' }],
  ['a public node', { code: -32701, message: 'exceed maximum block range: 2000' }],
  ['a status alone', { code: -32600, message: 'Payload too large' }, 413],
]
for (const [name, error, status] of refusals) {
  t.test(`a rejected range is split, whatever the error text: ${name}`, async (t) => {
    const { chain, asked } = await startCapped(t, 2_000, error, status)
    await chain.getLogs({ topics: [], range })
    const answered = asked.filter(({ from, to }) => to - from < 2_000)
    t.equal(answered[0]?.from, range.from)
    t.equal(answered.at(-1)?.to, range.to)
    t.ok(
      answered.every(({ from }, index) => index === 0 || from === answered[index - 1]!.to + 1),
      'without holes',
    )
    const first = asked.length
    t.ok(first <= 80, `${first} requests`)
    await chain.getLogs({ topics: [], range })
    t.ok(asked.length - first < first, 'the size that worked is remembered')
  })
}

for (const [name, error, status] of [
  ['429', { code: 429, message: 'Too many requests' }, 429],
  ['a quota in an error', { code: -32005, message: 'daily request count exceeded, request rate limited' }, 200],
  ['a gateway', { code: -32603, message: 'bad gateway' }, 502],
] as [string, { code: number; message: string }, number][]) {
  t.test(`a failing node gets no smaller ranges: ${name}`, async (t) => {
    const node = await startThirdParty(t, answer(status === 502 ? '<html>' : { jsonrpc: '2.0', id: 1, error }, status))
    const expected = status === 502 ? /502/ : new RegExp(error.message)
    await t.rejects(new Chain([node.url], { retries: 0 }).getLogs({ topics: [], range }), expected)
    t.equal(node.received.length, 1)
  })
}

t.test('splitting ends at one block, and after several time-outs', async (t) => {
  const { chain, asked } = await startCapped(t, 0, { code: -32000, message: 'nope' })
  await t.rejects(chain.getLogs({ topics: [], range }), /nope/)
  t.ok(asked.length < 12, `${asked.length} requests`)
  const hung = await startThirdParty(t, () => {})
  await t.rejects(new Chain([hung.url], { retries: 0, timeoutMs: 400 }).getPackedLogs({ topics: [], range }), {
    name: 'TimeoutError',
  })
  t.equal(hung.received.length, 3)
})

t.test('after one error for a whole batch, a node that is not busy gets single requests', async (t) => {
  const start = (code: number) =>
    startThirdParty(t, (response, received) => {
      const asked = JSON.parse(received.body)
      const results: Record<string, unknown> = {
        eth_getLogs: [],
        eth_blockNumber: '0x9',
        eth_getBlockByNumber: ninth,
      }
      const reply = Array.isArray(asked)
        ? { jsonrpc: '2.0', id: null, error: { code, message: 'No' } }
        : { jsonrpc: '2.0', id: asked.id, result: results[asked.method] }
      answer(reply)(response, received)
    })
  const read = (url: string) =>
    new Chain([url], { retries: 0 }).getPackedLogs({ topics: [], range: { from: 8, to: 9 } })
  for (const code of [-32600, -32603]) t.same((await read((await start(code)).url)).blocks, [], String(code))
  for (const code of [-32005, 429]) {
    const node = await start(code)
    await t.rejects(read(node.url), String(code))
    t.ok(node.received.length > 0)
    t.ok(node.received.every(({ body }) => body.startsWith('[')))
  }
})

t.test('a node that rejected a batch is sent batches again after ten minutes', async (t) => {
  let takesBatches = false
  const node = await startThirdParty(t, (response, received) => {
    const results: Record<string, unknown> = {
      eth_getLogs: [],
      eth_blockNumber: '0x9',
      eth_getBlockByNumber: ninth,
    }
    const respond = ({ id, method }: { id: number; method: string }) => ({
      jsonrpc: '2.0',
      id,
      result: results[method],
    })
    const asked = JSON.parse(received.body)
    const rejection = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'No batches' } }
    const reply = !Array.isArray(asked) ? respond(asked) : takesBatches ? asked.map(respond) : rejection
    answer(reply)(response, received)
  })
  let now = 1_000
  const ask = new PackedResponses(new BatchSupport(() => now)).createFetch(requestLogs, 10_000)
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x8', toBlock: '0x9' }],
  })
  const countBatches = async () => {
    node.received.length = 0
    const { result } = (await (await ask(node.url, { body })).json()) as { result?: string }
    t.type(result, 'string', 'there are logs')
    return [node.received.filter(({ body }) => body.startsWith('[')).length, node.received.length]
  }
  t.same(await countBatches(), [1, 4], 'the batch, and three requests instead')
  takesBatches = true
  now += 599_999
  t.same(await countBatches(), [0, 3])
  now += 1
  t.same(await countBatches(), [1, 1])
})

t.test('a rejected range is split although another node is down', async (t) => {
  const asked: BlockRange[] = []
  const capped = await startThirdParty(t, (response, received) => {
    const { id, params } = JSON.parse(received.body)
    const [{ fromBlock, toBlock }] = params
    asked.push({ from: Number(fromBlock), to: Number(toBlock) })
    const body = Number(toBlock) - Number(fromBlock) < 9 ? { result: [] } : { error: { code: -32000, message: 'nope' } }
    answer({ jsonrpc: '2.0', id, ...body })(response, received)
  })
  const chain = new Chain([capped.url, 'http://127.0.0.1:1'], { retries: 0 })
  t.same(await chain.getLogs({ topics: [], range: { from: 0, to: 99 } }), [])
  t.equal(asked.at(-1)?.to, 99)
})

t.test('range sizes grow again after a limit', async (t) => {
  const splitter = new RangeSplitter()
  let cap = 10
  const sizes: number[] = []
  const ask = async ({ from, to }: BlockRange) => {
    sizes.push(to - from + 1)
    if (to - from + 1 > cap) throw Object.assign(new Error('too many results'), { code: -32005 })
  }
  await splitter.collect({ from: 0, to: 999 }, ask)
  cap = 1_000
  await splitter.collect({ from: 0, to: 9_999 }, ask)
  t.ok(Math.max(...sizes.slice(-5)) > 10)
})

/** Asks for a range of a node with a limit; its requests as runs of equal sizes, with ! if they are rejected. */
async function listRuns(splitter: RangeSplitter, blocks: number, cap: number, message = 'too many results') {
  const runs: { size: string; count: number }[] = []
  await splitter.collect({ from: 0, to: blocks - 1 }, async ({ from, to }) => {
    const asked = to - from + 1
    const size = asked > cap ? `${asked}!` : `${asked}`
    if (runs.at(-1)?.size === size) runs.at(-1)!.count++
    else runs.push({ size, count: 1 })
    if (asked > cap) throw Object.assign(new Error(message), { code: -32005 })
  })
  return runs.map(({ size, count }) => (count === 1 ? size : `${size} x${count}`)).join(', ')
}

t.test('a larger range that is rejected again is tried less and less often', async (t) => {
  const splitter = new RangeSplitter()
  t.equal(await listRuns(splitter, 160, 40), '160!, 40 x4')
  // Denser blocks: the size that was accepted is rejected.
  t.equal(await listRuns(splitter, 10 * (16 + 64 + 256), 10), '40!, 10 x16, 20!, 10 x64, 20!, 10 x256')
  t.equal(await listRuns(splitter, 100, 1_000), '20 x5', 'a size that is accepted is kept')
})

t.test('the suggested size of a rejection is used if it is smaller, in any notation', async (t) => {
  const first = async (message: string, blocks = 1_000) =>
    (await listRuns(new RangeSplitter(), blocks, 200, message)).split(', ')[1]
  t.equal(await first('limited to 100 blocks'), '100 x10')
  t.equal(await first('at most 200 block range'), '200 x5')
  t.equal(await first('try [0x0, 0x63]'), '100 x10')
  t.equal(await first('try [0, 99]'), '100 x10')
  t.equal(await first('too many results'), '250!', 'a quarter without a suggestion')
  t.equal(await first('limited to 5,000 blocks'), '999!', 'not more than what was rejected')
  t.equal(await first('limited to 2k blocks', 4_000), '2000!')
  t.equal(await first('limited to 0 blocks'), '250!')
  t.equal(await first('try [99, 0]'), '250!')
})
