import t from 'tap'
import { type Address, encodeErrorResult, type Hex, HttpRequestError, parseAbi, RpcRequestError } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import {
  ContradictionError,
  describeFailure,
  InvalidResponseError,
  isExecutionError,
  isNodeFailure,
  NO_VALID_RESPONSE,
  NodeTimeoutError,
  REFUSED_BY_STATUS,
  readRetryAfterMs,
} from '../../chain/rpc/node-failure.ts'
import { WrongNodeError } from '../../chain/rpc/node-identity.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { type Act, answer, startThirdParty, type ThirdParty } from '../support/third-party.ts'

const anvil = await startAnvil({ extraArgs: ['--gas-limit', '1000000000'] })
t.teardown(() => anvil.stop())
const node = new Chain([anvil.url])
const abi = parseAbi(['function token0() view returns (uint256)'])
let last = 0xc0de00
/** A contract of this code; reads what it answers to token0(). */
const deploy = async (code: string) => {
  const address: Address = `0x${(++last).toString(16).padStart(40, '0')}`
  await node.client.request({ method: 'anvil_setCode', params: [address, code] } as never)
  return (chain = node) => chain.client.readContract({ address, abi, functionName: 'token0' })
}
const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'no failure',
    (error: unknown) => error,
  )

/** Answers every call, alone or in a batch, with these members. */
const each =
  (members: Record<string, unknown>, status = 200, headers = {}): Act =>
  (response, request) => {
    const asked = JSON.parse(request.body)
    const one = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, ...members })
    answer(Array.isArray(asked) ? asked.map(one) : one(asked), status, headers)(response, request)
  }
const error = (code: number, message: string, status = 200) => each({ error: { code, message } }, status)
const header = { number: '0x7', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'2'.repeat(64)}`, timestamp: '0x5' }

const broken: Record<string, Act> = {
  'a limit': error(-32005, 'limit exceeded'),
  'an internal error': error(-32603, 'Internal error'),
  'a block that it does not know': error(-32000, 'header not found'),
  'a limit, as HTTP and JSON': error(-32005, 'Too many requests', 429),
  'a limit without JSON': answer('slow down', 429),
  'a page of HTML': answer('<html>maintenance</html>'),
  'a page of HTML that says it is JSON': answer('<html>', 200, { 'content-type': 'application/json' }),
  'an answer to another request': each({ id: 987_654_321, result: header }),
  'one error for a whole batch': answer({ jsonrpc: '2.0', id: null, error: { code: 429, message: 'Too many' } }),
  'fewer answers than asked for': answer([]),
  'neither result nor error': each({}),
  'an error that is a text': each({ error: 'no' }),
  'another block': each({ result: { ...header, number: '0x8' } }),
  'what is no block': each({ result: '0x' }),
  'a bad gateway': answer('<html>bad gateway</html>', 502),
}

for (const [what, act] of Object.entries(broken)) {
  t.test(`a node that responds with ${what} has failed, and the next one is used`, async (t) => {
    const bad = await startThirdParty(t, act)
    const good = await startThirdParty(t, each({ result: header }))
    const options = { retries: 0, timeoutMs: 5_000 }
    t.ok(isNodeFailure(await failureOf(new Chain([bad.url], options).getHeader(7))))
    const headers = await Promise.all([7, 7].map((at) => new Chain([bad.url, good.url], options).getHeader(at)))
    t.same(
      headers.map((found) => found?.hash),
      [header.hash, header.hash],
    )
    t.ok(bad.received.length > 0)
  })
}

t.test('a request is retried if any node had a temporary failure, whichever node was last', async (t) => {
  const temporary = each({ error: { code: -32_005, message: 'limit exceeded' } }, 429)
  const permanent = error(-32_601, 'the method does not exist')
  const once = (first: Act): Act => {
    let asked = 0
    return (response, request) => (asked++ === 0 ? first : each({ result: header }))(response, request)
  }
  for (const [name, acts, answers] of [
    ['the first', [once(temporary), permanent], true],
    ['the second', [permanent, once(temporary)], true],
    ['neither', [once(permanent), permanent], false],
  ] as const) {
    const nodes = await Promise.all(acts.map((act) => startThirdParty(t, act)))
    const chain = new Chain(
      nodes.map(({ url }) => url),
      { retries: 1, timeoutMs: 5_000 },
    )
    const outcome = await chain.getHeader(7).then(
      (found) => found?.hash,
      (failure: unknown) => isNodeFailure(failure),
    )
    t.equal(outcome, answers ? header.hash : true, name)
  }
})

t.test('a contract that reverts is not a failure of the node', async (t) => {
  for (const code of ['0x60006000fd', '0xfe', '0x5b600056', '0x01', '0x5f56', '0x']) {
    const failure = await failureOf((await deploy(code))())
    t.type(failure, Error, code)
    t.notOk(isNodeFailure(failure), code)
    t.equal(isExecutionError(failure), code !== '0x', code)
  }
})

t.test('calls have a gas limit, whatever the node allows', async (t) => {
  // Returns the gas that is left.
  const gasLeft = await (await deploy('0x5a60005260206000f3'))()
  t.ok(gasLeft < 30_000_000n && gasLeft > 29_000_000n, String(gasLeft))
})

t.test('an OffchainLookup of a contract fetches no URL', async (t) => {
  const gateway = await startThirdParty(t, answer({ data: '0x' }))
  const lookup = parseAbi([
    'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extra)',
  ])
  const sender: Address = `0x${(last + 1).toString(16).padStart(40, '0')}`
  const args = [sender, [`${gateway.url}/{sender}/{data}`], '0x', '0x00000000', '0x'] as const
  const data = encodeErrorResult({ abi: lookup, errorName: 'OffchainLookup', args: args as never })
  const size = ((data.length - 2) / 2).toString(16).padStart(4, '0')
  // Copies what follows this code to memory, and reverts with it.
  const read = await deploy(`0x61${size}600f60003961${size}6000fd00${data.slice(2)}` as Hex)
  t.ok(isExecutionError(await failureOf(read())))
  t.equal(gateway.received.length, 0)
})

t.test(
  'retries and other nodes share the time budget of a request, and a hanging node leaves some to the next',
  async (t) => {
    const mute: Act = () => {}
    const [hung, other, good] = await Promise.all(
      [mute, mute, each({ result: header })].map((act) => startThirdParty(t, act)),
    )
    const within = async (nodes: (ThirdParty | undefined)[], budgetMs: number) => {
      const chain = new Chain(
        nodes.map((node) => node?.url ?? ''),
        { budgetMs },
      )
      const start = performance.now()
      const outcome = await chain
        .startBudget()
        .run(async () => {
          await chain.getHeader(7)
          return chain.getHeader(7)
        })
        .then(
          (found) => found?.hash,
          (failure: unknown) => isNodeFailure(failure),
        )
      return { outcome, took: performance.now() - start }
    }
    const alone = await within([hung, other], 700)
    t.equal(alone.outcome, true)
    t.ok(alone.took >= 690 && alone.took < 5_000, `${alone.took}`)
    const helped = await within([hung, good], 4_000)
    t.equal(helped.outcome, header.hash)
    t.ok(helped.took < 4_000)
    t.equal(hung?.received.length, 2, 'the second request went to the node that answers first')
  },
)

t.test('requests of one budget are still batched', async (t) => {
  const good = await startThirdParty(t, each({ result: header }))
  const chain = new Chain([good.url])
  await chain.startBudget().run(() => Promise.all([chain.getHeader(7), chain.getHeader(7), chain.getHeader(7)]))
  t.equal(good.received.length, 1)
})

t.test('a failure is described without the URL and the text of the node', async (t) => {
  const url = 'http://secret.example'
  const rpc = (code: number) => new RpcRequestError({ url, body: {}, error: { code, message: 'HTTP 403 to secret' } })
  const http = (status?: number) => new HttpRequestError({ url, ...(status !== undefined && { status }) })
  const wrong = new WrongNodeError('chain', 'is on chain 5, and CHAIN_ID is 1')
  const within = (cause: unknown) => new Error('secret', { cause })
  for (const [failure, expected] of [
    [rpc(-32601), 'error -32601'],
    [rpc(REFUSED_BY_STATUS), 'HTTP 403 to secret'],
    [rpc(NO_VALID_RESPONSE), 'HTTP 403 to secret'],
    [wrong, 'is on chain 5, and CHAIN_ID is 1'],
    [http(403), 'HTTP 403'],
    [http(), 'no response'],
    [Object.assign(new Error(), { name: 'TimeoutError' }), 'no response in time'],
    [new NodeTimeoutError(url), 'no response in time'],
    [new ContradictionError(url), 'contradictory responses'],
    [Object.assign(new Error(url), { name: 'UnknownBlockError' }), 'no such block'],
    [new InvalidResponseError(url), 'an invalid response'],
    [new SyntaxError(url), 'an invalid response'],
    [new Error(url), 'no response'],
    ['secret', 'no response'],
  ] as const) {
    t.equal(describeFailure(failure), expected)
    t.equal(describeFailure(within(failure)), expected, `${expected}, as a cause`)
  }
})

t.test('a rate limit pauses requests for the Retry-After time, within 1 to 60 s', async (t) => {
  const limited = (after: string | null, status = 429) =>
    readRetryAfterMs(
      new HttpRequestError({
        ...{ url: anvil.url, status },
        headers: new Headers(after === null ? {} : { 'retry-after': after }),
      }),
    )
  for (const [after, expected] of [
    [null, 1_000],
    ['soon', 1_000],
    ['0', 1_000],
    ['1', 1_000],
    ['7', 7_000],
    ['60', 60_000],
    ['61', 60_000],
  ] as const)
    t.equal(limited(after), expected, String(after))
  t.equal(limited('7', 503), undefined)
  t.equal(readRetryAfterMs(new HttpRequestError({ url: anvil.url, status: 429 })), 1_000, 'no headers')
  t.equal(readRetryAfterMs(new Error('7')), undefined)
})
