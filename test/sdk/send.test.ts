import t from 'tap'
import { decodeFunctionData, encodeAbiParameters, type Hex, maxUint256 } from 'viem'
import { launchTokenAbi } from '../../sdk/src/abi/index.ts'
import { approveIfNeeded, type Session, sendAndWait, waitForReceipt } from '../../sdk/src/flows/send.ts'
import { createClient, type Provider, switchChain, type Waiter } from '../../sdk/src/index.ts'
import type { Replacement } from '../../sdk/src/sync.ts'

const HASH: Hex = `0x${'ab'.repeat(32)}`
const [WALLET, TOKEN, SPENDER] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}` as const) as [Hex, Hex, Hex]
const receipt = { transactionHash: HASH, status: '0x1' }

/** What the service responds to one request: a result or error of the node, a status of the service, a text, or no response. */
type Response_ =
  | { result: unknown }
  | { error: { code: number; message: string } }
  | { status: number }
  | { body: string | ReadableStream }
  | Error

/** A client whose service responds as told, request after request; the last response is repeated. */
function serve(respond: (method: string, request: number) => Response_) {
  const methods: string[] = []
  const client = createClient({
    baseUrl: 'http://service.example',
    fetch: async (_, init) => {
      const { method } = JSON.parse(String(init?.body)) as { method: string }
      methods.push(method)
      const response = respond(method, methods.length - 1)
      if (response instanceof Error) throw response
      if ('body' in response) return new Response(response.body)
      const [status, body] =
        'status' in response
          ? [response.status, { success: false, data: null, error: 'No', reason: 'ANY' }]
          : [200, { jsonrpc: '2.0', id: 1, ...response }]
      return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
    },
  })
  return { client, methods }
}

for (const [what, failure] of Object.entries<Response_>({
  'the transaction is not mined': { result: null },
  'the node has an error': { error: { code: -32_000, message: 'header not found' } },
  'the service is busy': { status: 429 },
  'the service fails': { status: 500 },
  'a gateway fails': { status: 502 },
  'the service is overloaded': { status: 503 },
  'the service is unreachable': new TypeError('fetch failed'),
  'the service does not respond in time': new DOMException('The time is over', 'TimeoutError'),
  'a proxy answers with a page': { body: '<html>Maintenance</html>' },
  'the response is cut off': {
    body: new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) }),
  },
})) {
  t.test(`waiting for a sent transaction continues while ${what}`, async (t) => {
    const { client, methods } = serve((_, request) => (request === 0 ? failure : { result: receipt }))
    t.strictSame(await waitForReceipt(client, HASH), { txHash: HASH, isReverted: false })
    t.strictSame(methods, ['eth_getTransactionReceipt', 'eth_getTransactionReceipt'])
  })
}

for (const status of [400, 401, 403, 404]) {
  t.test(`waiting for a transaction fails when the service responds ${status}`, async (t) => {
    const { client, methods } = serve(() => ({ status }))
    await t.rejects(waitForReceipt(client, HASH), { name: 'SlipwayError', status })
    t.equal(methods.length, 1)
  })
}

t.test('a reverted transaction is reported, and one that is not mined in time is an error with its hash', async (t) => {
  const reverted = serve(() => ({ result: { ...receipt, status: '0x0' } }))
  t.strictSame(await waitForReceipt(reverted.client, HASH), { txHash: HASH, isReverted: true })
  const pending = serve(() => ({ result: null }))
  await t.rejects(waitForReceipt(pending.client, HASH, { timeoutMs: 1 }), {
    name: 'NotMinedError',
    txHash: HASH,
    message: `The transaction ${HASH} was sent and may still be mined. Do not send it again before you have looked it up.`,
  })
  t.equal(pending.methods.length, 1)
})

/** A public client: each call gets the next answer, and one without an answer never ends. */
function createWaiter(...answers: (() => Promise<{ transactionHash: Hex; status: string }>)[]) {
  const timeouts: (number | undefined)[] = []
  let onReplaced: Parameters<Waiter['waitForTransactionReceipt']>[0]['onReplaced']
  const publicClient: Waiter = {
    waitForTransactionReceipt: async (parameters) => {
      timeouts.push(parameters.timeout)
      onReplaced = parameters.onReplaced
      return answers[timeouts.length - 1]?.() ?? new Promise(() => {})
    },
  }
  return { publicClient, timeouts, replace: (reason: Replacement['reason']) => onReplaced?.({ reason }) }
}

t.test('a public client waits as long as the flow, and is asked again if it fails', async (t) => {
  const { client } = serve(() => ({ result: null }))
  const mined = { transactionHash: HASH, status: 'success' }
  const failing = createWaiter(
    () => Promise.reject(new Error('HTTP request failed.')),
    async () => mined,
  )
  const { publicClient } = failing
  t.strictSame(await waitForReceipt(client, HASH, { publicClient }), { txHash: HASH, isReverted: false })
  t.equal(failing.timeouts[0], 120_000)
  t.equal(failing.timeouts.length, 2)

  const silent = createWaiter()
  const late = waitForReceipt(client, HASH, { publicClient: silent.publicClient, timeoutMs: 1 })
  await t.rejects(late, { name: 'NotMinedError', txHash: HASH })
  t.same(silent.timeouts, [1])

  const stop = new AbortController()
  const stopped = waitForReceipt(client, HASH, { publicClient: createWaiter().publicClient, signal: stop.signal })
  stop.abort()
  await t.rejects(stopped, { name: 'AbortError' })
})

t.test('a transaction that was sped up is followed, and one that was cancelled is an error', async (t) => {
  const { client } = serve(() => ({ result: null }))
  const other: Hex = `0x${'cd'.repeat(32)}`
  for (const reason of ['repriced', 'cancelled', 'replaced'] as const) {
    const waiter = createWaiter(async () => {
      waiter.replace(reason)
      return { transactionHash: other, status: 'success' }
    })
    const waiting = waitForReceipt(client, HASH, waiter)
    if (reason === 'repriced') t.strictSame(await waiting, { txHash: other, isReverted: false })
    else await t.rejects(waiting, { message: /^The transaction was cancelled in the wallet/ })
  }
})

t.test('a service that rejects the question for the receipt does not hide that the transaction was sent', async (t) => {
  const { client } = serve((method) => (method === 'eth_estimateGas' ? { result: '0x5208' } : { status: 401 }))
  const wallet = {
    request: async ({ method }: { method: string }) => (method === 'eth_sendTransaction' ? HASH : [WALLET]),
  }
  const session = { client, wallet, address: WALLET, config: {}, options: {} } as unknown as Session
  const sending = sendAndWait(session, { to: TOKEN, data: '0x', value: 0n })
  await t.rejects(sending, { name: 'NotMinedError', txHash: HASH, cause: { status: 401 } })
})

t.test('a flow goes on with a transaction that it has sent before, and sends nothing', async (t) => {
  const { client, methods } = serve(() => ({ result: receipt }))
  const wallet: Provider = { request: async () => t.fail('the wallet is not asked') }
  const steps: string[] = []
  const options = { sent: HASH, onStep: ({ name }: { name: string }) => void steps.push(name) }
  const session = { client, wallet, address: WALLET, config: {}, options } as unknown as Session
  t.equal(await sendAndWait(session, { to: TOKEN, data: '0x', value: 0n }), HASH)
  t.strictSame([methods, steps], [['eth_getTransactionReceipt'], ['wait']])
})

t.test('a flow says whether its approval or its transaction was not mined in time', async (t) => {
  const answers = { eth_estimateGas: '0x5208', eth_getTransactionReceipt: null }
  const { client } = serve((method) => ({ result: answers[method as keyof typeof answers] }))
  const wallet = {
    request: async ({ method }: { method: string }) => (method === 'eth_sendTransaction' ? HASH : [WALLET]),
  }
  const session = { client, wallet, address: WALLET, config: {}, options: { timeoutMs: 1 } } as unknown as Session
  const transaction = { to: TOKEN, data: '0x', value: 0n } as const
  const approval = { name: 'approve', token: TOKEN, spender: SPENDER, amount: 1n } as const
  const failure = { name: 'NotMinedError', txHash: HASH }
  await t.rejects(sendAndWait(session, transaction, { step: approval }), { ...failure, isApproval: true })
  await t.rejects(sendAndWait(session, transaction), { ...failure, isApproval: false })
})

for (const [allowance, needed, sends] of [
  [99n, 100n, true],
  [100n, 100n, false],
  [101n, 100n, false],
  [0n, 0n, false],
  [maxUint256, 100n, false],
] as const) {
  t.test(`with an allowance of ${allowance}, ${needed} need ${sends ? 'an' : 'no'} approval`, async (t) => {
    const answers: Record<string, unknown> = {
      eth_call: encodeAbiParameters([{ type: 'uint256' }], [allowance]),
      eth_estimateGas: '0x5208',
      eth_getTransactionReceipt: receipt,
    }
    const { client } = serve((method) => ({ result: answers[method] }))
    const sent: { to?: string; data?: Hex }[] = []
    const wallet = {
      request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] | object }) => {
        if (method !== 'eth_sendTransaction') return [WALLET]
        sent.push((params as [{ to: string; data: Hex }])[0])
        return HASH
      },
    }
    const steps: string[] = []
    const options = { onStep: ({ name }: { name: string }) => void steps.push(name) }
    const session = { client, wallet, address: WALLET, config: {}, options } as unknown as Session
    const approval = { token: TOKEN, spender: SPENDER, amount: needed }
    t.equal(await approveIfNeeded(session, approval as Parameters<typeof approveIfNeeded>[1]), sends)
    t.strictSame(steps, sends ? ['approve', 'wait'] : [])
    t.strictSame(
      sent.map(({ to, data }) => ({ to, ...decodeFunctionData({ abi: launchTokenAbi, data: data ?? '0x' }) })),
      sends ? [{ to: TOKEN, functionName: 'approve', args: [SPENDER, needed] }] : [],
    )
  })
}

t.test('a wallet switches to the chain, which is added if the wallet lacks it', async (t) => {
  const calls: string[] = []
  let chainId = '0x1'
  let isKnown = false
  const wallet: Provider = {
    request: async ({ method, params }) => {
      calls.push(method)
      if (method === 'eth_chainId') return chainId
      if (method === 'wallet_addEthereumChain') isKnown = true
      else if (!isKnown) throw Object.assign(new Error('Unrecognized chain'), { code: 4902 })
      else chainId = params[0].chainId
    },
  }
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  await switchChain(wallet, { chainId: 31_337, nativeCurrency }, 'http://service.example/rpc')
  const [ask, move] = ['eth_chainId', 'wallet_switchEthereumChain']
  t.same(calls, [ask, move, 'wallet_addEthereumChain', move])
  t.equal(chainId, '0x7a69')
  await switchChain(wallet, { chainId: 31_337 }, '')
  t.equal(calls.length, 5, 'a wallet on the chain is only asked')
})
