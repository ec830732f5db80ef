import t from 'tap'
import { ChainMismatchError, createWalletClient, custom, encodeErrorResult, HttpRequestError } from 'viem'
import { foundry } from 'viem/chains'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { readFieldProblem } from '../../sdk/src/describe-failure.ts'
import { isTransient, isUnreachable, NotMinedError, NotSyncedError, SlipwayError } from '../../sdk/src/errors.ts'
import { isRejectedByUser, toUserMessage } from '../../sdk/src/to-user-message.ts'
import { describeRevert } from '../../sdk/src/transactions/describe-revert.ts'
import { account } from '../acceptance/support/chain.ts'

const failure = (status: number, more: { reason?: string; message?: string; retryAfter?: number } = {}) =>
  new SlipwayError({ status, message: '', operation: 'GET /tokens', ...more } as never)
/** Signs for the wallet of viem: what the node says does not depend on it. */
const FAUCET = account(1)
const named = (name: string) => Object.assign(new Error('technical'), { name })

t.test('an error is described for the people who act', async (t) => {
  const signedOut = 'You are signed out. Sign in again with your wallet.'
  const busy = 'The service has a problem at the moment. Try again in a moment.'
  const cases: [error: unknown, text: string][] = [
    [
      new NotSyncedError('0x1', { code: 4001 }),
      'The service has not indexed the transaction 0x1 yet. Do not send it again: it will appear.',
    ],
    [
      new NotMinedError('0x1', named('TimeoutError')),
      'The transaction 0x1 was sent and may still be mined. Do not send it again before you have looked it up.',
    ],
    [{ code: 4001 }, 'The request was declined in the wallet.'],
    [{ cause: { name: 'UserRejectedRequestError' } }, 'The request was declined in the wallet.'],
    [{ cause: { code: 4902 } }, 'The wallet does not know the chain of this service.'],
    [
      { name: 'ConnectorChainMismatchError', message: 'The current chain of the connector (id: 1) does not match' },
      'The wallet is on another chain. Change to the chain of this service in it.',
    ],
    [
      { cause: { code: -32601, message: 'The method wallet_switchEthereumChain does not exist / is not available.' } },
      'The wallet does not support this.',
    ],
    [
      new Error('x', { cause: new Error('Insufficient funds for gas') }),
      'The wallet has too little native coin for the amount and the gas.',
    ],
    [named('TimeoutError'), 'The service did not respond in time.'],
    [named('AbortError'), 'The request was cancelled.'],
    [new TypeError('fetch failed'), 'The service is unreachable.'],
    [new TypeError('x is not a function'), 'x is not a function'],
    [new Error('Some text'), 'Some text'],
    [{ message: 5 }, '5'],
    [{}, 'An unknown error occurred.'],
    [null, 'An unknown error occurred.'],
    ['text', 'An unknown error occurred.'],
    [failure(429, { reason: 'RATE_LIMITED', retryAfter: 1.2 }), 'Too many requests. Try again in 2 s.'],
    [failure(429, { reason: 'RATE_LIMITED', retryAfter: 0 }), 'Too many requests. Try again in 0 s.'],
    [failure(429), 'Too many requests.'],
    [failure(401, { reason: 'JWT_INVALID' }), signedOut],
    [failure(401, { reason: 'NEWER_REASON' }), signedOut],
    [failure(404), 'It does not exist, or no more.'],
    [failure(499), 'This is not possible.'],
    [failure(500), busy],
    [failure(599), busy],
    [failure(409, { reason: 'USERNAME_TAKEN', message: 'This name is taken' }), 'This name is taken.'],
    [failure(409, { reason: 'USERNAME_TAKEN', message: 'Is it taken?' }), 'Is it taken?'],
    [failure(409, { reason: 'WRONG_STATE', message: 'It ended.' }), 'It ended.'],
  ]
  for (const [error, text] of cases) t.equal(toUserMessage(error), text)
})

t.test('errors of wallets and nodes are sentences for people', async (t) => {
  const cause = (message: string, code = -32000) => Object.assign(new Error(message), { code })
  const viem = async (message: string, name = 'RpcRequestError') => {
    const request = async () => {
      throw Object.assign(new Error(message), { name, code: -32000, details: message })
    }
    const wallet = createWalletClient({
      account: FAUCET,
      chain: foundry,
      transport: custom({ request }, { retryCount: 0 }),
    })
    const gas = { gas: 21_000n, nonce: 0, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    return wallet.sendTransaction({ to: FAUCET.address, ...gas, chain: null }).then(
      () => t.fail('it was sent'),
      (error: unknown) => error,
    )
  }
  const metaMask = (message: string) => ({ code: -32603, message: 'Internal JSON-RPC error.', data: cause(message) })
  const nonceTaken = 'Another transaction of this wallet came first. This one was not sent: try again.'
  const waits = 'The wallet still waits for another transaction. Try again after that.'
  const known = 'The same transaction was sent before. Look it up in the wallet.'
  const poor = 'The wallet has too little native coin for the amount and the gas.'
  const elsewhere = 'The wallet is on another chain. Change to the chain of this service in it.'
  const declined = 'The request was declined in the wallet.'
  const failed = 'The wallet or its node has failed. Try again in a moment.'
  const texts: [text: string, sentence: string][] = [
    ['nonce too low: next nonce 5, tx nonce 4', nonceTaken],
    ['replacement transaction underpriced', waits],
    ['transaction gas price too low to replace existing transaction', waits],
    ['already known', known],
    ['transaction already imported', known],
    ['nonce too high', 'The wallet has lost count. Clear its activity data, and try again.'],
    ['insufficient funds for gas * price + value: balance 0, tx cost 21000', poor],
    ['Insufficient funds for gas * price + value', poor],
    ["sender doesn't have enough funds to send tx", poor],
    ['gas required exceeds allowance (0)', poor],
    ['max fee per gas less than block base fee: address 0x1', 'The network fee is too low. Try again.'],
    ['transaction underpriced', 'The network fee is too low. Try again.'],
    ['intrinsic gas too low', 'The network fee is too low. Try again.'],
    ['invalid chain id for signer: have 1 want 31337', elsewhere],
    ['execution reverted', 'The contract rejects this transaction now.'],
    ['User rejected the request.', declined],
    ['Ledger: transaction was denied by the user', declined],
    ['something that no node has said before', failed],
  ]
  for (const [text, sentence] of texts)
    for (const error of [cause(text), metaMask(text), { info: { error: cause(text) } }, await viem(text)])
      t.equal(toUserMessage(error), sentence, text)
  for (const [error, sentence] of [
    [{ code: 'NONCE_EXPIRED', message: 'nonce has already been used' }, nonceTaken],
    [{ code: 'REPLACEMENT_UNDERPRICED', message: 'replacement fee too low' }, waits],
    [{ code: 'INSUFFICIENT_FUNDS' }, poor],
    [{ code: 5000, message: 'Rejected' }, declined],
    [{ code: 4100 }, 'The wallet is not connected.'],
    [named('ConnectorNotConnectedError'), 'The wallet is not connected.'],
    [new ChainMismatchError({ chain: foundry, currentChainId: 1 }), elsewhere],
    [new HttpRequestError({ url: 'http://localhost', status: 502 }), failed],
  ] as const)
    t.equal(toUserMessage(error), sentence)
})

t.test('invalid input is described by the name of its field', async (t) => {
  const input = (message: string) => toUserMessage(failure(400, { reason: 'INVALID_INPUT', message }))
  t.equal(input('body.username is reserved'), 'The username is reserved.')
  t.equal(input('query.q is required'), 'The search text is missing.')
  t.equal(input('path.file.name is required'), 'The name is missing.')
  t.equal(input('body.slippageBps must be <= 100'), 'The slippage tolerance must be at most 100.')
  t.equal(input('body.amount must be >= 1'), 'The amount must be at least 1.')
  t.equal(input('body.bio must be string'), 'The text about you is not accepted.')
  t.equal(input('body.bio must match pattern "^a"'), 'The text about you is not accepted.')
  t.equal(input('body.bio wants something'), 'The text about you is not accepted.')
  const unknown = 'The service does not accept this input.'
  t.equal(input('body.unknown is required'), unknown)
  t.equal(input('header.name is required'), unknown)
  t.equal(input('no path'), unknown)
  t.equal(toUserMessage(failure(400, { message: 'body.username is reserved' })), unknown, 'without its reason')
})

t.test('only the refusal of the user counts as one', async (t) => {
  t.ok(isRejectedByUser({ code: 4001 }))
  t.ok(isRejectedByUser({ cause: { cause: { code: 4001 } } }))
  for (const error of [null, undefined, 'text', {}, { code: -4001 }, { code: 4902 }, new Error('x')])
    t.notOk(isRejectedByUser(error))
  const circular: { cause?: unknown } = {}
  circular.cause = circular
  t.notOk(isRejectedByUser(circular))
  const nest = (depth: number): object => (depth === 0 ? { code: 4001 } : { cause: nest(depth - 1) })
  t.ok(isRejectedByUser(nest(9)))
  t.notOk(isRejectedByUser(nest(10)), 'ten errors are looked at')
})

t.test('without a connection the browser is named, not the service', (t) => {
  Object.defineProperty(navigator, 'onLine', { value: false, configurable: true })
  t.teardown(() => Reflect.deleteProperty(navigator, 'onLine'))
  t.equal(toUserMessage(new TypeError('Failed to fetch')), 'The browser is offline.')
  t.end()
})

t.test('a request may succeed later if the service is busy, failing or unreachable', async (t) => {
  const transient = [failure(429), failure(500), failure(503), new TypeError('Failed to fetch')]
  for (const error of [...transient, new DOMException('', 'TimeoutError')]) t.ok(isTransient(error))
  const final = [failure(499), failure(404), failure(430), new DOMException('', 'AbortError'), named('TimeoutError')]
  for (const error of [...final, null, new Error('fetch failed')]) t.notOk(isTransient(error))
  for (const text of ['Load failed', 'NetworkError when attempting', 'fetch failed'])
    t.ok(isUnreachable(new TypeError(text)), text)
  t.notOk(isUnreachable(new TypeError('Invalid URL')))
})

t.test('a revert is found in whatever nests it', async (t) => {
  const data = encodeErrorResult({ abi: launchpadAbi, errorName: 'Slippage', args: [5n, 6n] })
  const found = { name: 'Slippage', args: { amountOut: 5n, minimum: 6n } }
  for (const key of ['data', 'error', 'cause', 'originalError', 'raw', 'info', 'result'])
    t.match(describeRevert({ [key]: data }), found, key)
  t.match(describeRevert(data), found)
  t.match(describeRevert(data.toUpperCase().replace('0X', '0x')), found)
  t.match(describeRevert({ data: '0xffffffff', error: { data } }), found, 'after data of unknown meaning')
  for (const error of [
    null,
    undefined,
    5,
    '0x',
    '0x123456',
    `${data}0`,
    data.slice(2),
    data.slice(0, -2),
    { message: data },
  ])
    t.equal(describeRevert(error), undefined, String(error))
  const nest = (depth: number): unknown => (depth === 0 ? data : { cause: nest(depth - 1) })
  t.ok(describeRevert(nest(10)))
  t.notOk(describeRevert(nest(11)))
  t.equal(describeRevert('0xffffffff'), undefined)
})

t.test('a revert is described by a sentence, which may name its arguments', async (t) => {
  const revert = (state: number) =>
    toUserMessage({ cause: { data: encodeErrorResult({ abi: raisesAbi, errorName: 'WrongState', args: [state] }) } })
  t.equal(revert(2), 'The proposal is active.')
  t.equal(revert(99), 'The proposal is in another state.')
})

t.test('a failed assertion and a text are reverts of Solidity itself', async (t) => {
  const word = (number: number) => number.toString(16).padStart(64, '0')
  t.strictSame(describeRevert(`0x4e487b71${word(17)}`), {
    ...{ name: 'Panic', args: { code: 17n }, message: 'The contract failed an internal check.' },
  })
  t.equal(describeRevert('0x4e487b7111'), undefined)
  const text = `0x08c379a0${word(32)}${word(2)}${'6e6f'.padEnd(64, '0')}`
  t.strictSame(describeRevert(text), { name: 'Error', args: { reason: 'no' }, message: 'The contract rejected it: no' })
  t.equal(describeRevert(`0x08c379a0${word(32)}${word(99)}`), undefined)
})

t.test('the field that was not accepted is known, with why', async (t) => {
  const read = (message: string) => readFieldProblem(failure(400, { reason: 'INVALID_INPUT', message }))
  for (const [message, field, problem] of [
    ['query.minHolders must be >= 0', 'minHolders', 'Must be at least 0.'],
    ['query.maxTop10Pct must be <= 100', 'maxTop10Pct', 'Must be at most 100.'],
    ['query.minVolumeUsd.h24 must be an integer', 'minVolumeUsd.h24', 'Must be a whole number.'],
    ['query.minAge must not be above query.maxAge', 'minAge', 'Must not be above the maximum.'],
    ['body.username is reserved', 'username', 'Is reserved.'],
    ['query.creator must match pattern "^0x"', 'creator', 'Is not accepted.'],
  ] as const)
    t.same(read(message), { field, problem }, message)
  t.equal(read('The request is wrong'), undefined, 'no field')
  t.equal(readFieldProblem(failure(400, { message: 'query.minHolders must be >= 0' })), undefined, 'another reason')
  t.equal(readFieldProblem(new Error('query.minHolders must be >= 0')), undefined)
})
