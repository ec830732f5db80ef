import t from 'tap'
import { checkParams } from '../../../routes/rpc/check-params.ts'
import type { RpcError } from '../../../routes/rpc/rpc-error.ts'
import { rpcCodes } from '../../../schemas/rpc.ts'

const bounds = {
  ...{ logRange: 100, gasCap: 1_000n, overrides: false },
  getHead: async (tag: string) => ({ latest: 1_000, pending: 1_001, safe: 950, finalized: 900 })[tag] ?? Number.NaN,
}
/** The parameters that are sent, or the kind of the error. */
const check = (method: string, params: unknown, more: Partial<typeof bounds> = {}) =>
  checkParams(method, params, { ...bounds, ...more }).catch((error: RpcError) =>
    error.code === rpcCodes.invalidParams
      ? 'invalidParams'
      : error.code === rpcCodes.limitExceeded
        ? 'limitExceeded'
        : error,
  )
const list = (length: number) => Array(length).fill('0x1')
const hash = `0x${'a'.repeat(64)}`

t.test('parameters are a list of at most eight values', async (t) => {
  t.strictSame(await check('eth_chainId', undefined), [])
  t.strictSame(await check('eth_chainId', list(8)), list(8))
  for (const params of [list(9), {}, null, 'x']) t.equal(await check('eth_chainId', params), 'invalidParams')
})

t.test('a transaction is one text in hexadecimal', async (t) => {
  const send = (...params: unknown[]) => check('eth_sendRawTransaction', params)
  t.strictSame(await send('0x0aF1'), ['0x0aF1'])
  for (const params of [[], ['0x'], ['0x0'], ['0x0g'], ['0a'], [1], ['0x00', 'latest'], [null]])
    t.equal(await send(...params), 'invalidParams', JSON.stringify(params))
})

t.test('proofs and fee histories are bounded', async (t) => {
  t.strictSame(await check('eth_getProof', ['0x1', list(256)]), ['0x1', list(256)])
  t.equal(await check('eth_getProof', ['0x1', list(257)]), 'limitExceeded')
  t.strictSame(await check('eth_getCode', ['0x1', list(257)]), ['0x1', list(257)])
  t.strictSame(await check('eth_getProof', ['0x1', { length: 300 }]), ['0x1', { length: 300 }], 'the node rejects it')
  const history = (...params: unknown[]) => check('eth_feeHistory', params)
  for (const [blocks, percentiles] of [
    ['0x400', list(16)],
    [1_024, undefined],
    ['0x0', list(0)],
  ] as const)
    t.strictSame(await history(blocks, 'latest', percentiles), [blocks, 'latest', percentiles])
  t.equal(await history('0x401', 'latest', []), 'limitExceeded')
  t.equal(await history(1_025, 'latest'), 'limitExceeded')
  t.equal(await history('0x1', 'latest', list(17)), 'limitExceeded')
  for (const blocks of [undefined, null, 'many', -1, [5], true]) t.equal(await history(blocks), 'invalidParams')
})

t.test('a filter of logs has known fields and short lists', async (t) => {
  const filter = (fields: unknown) => check('eth_getLogs', [fields])
  t.strictSame(await filter({}), [{}])
  const most = { address: list(1_000), topics: [list(1_000), null, list(1_000), '0x1'] }
  t.strictSame(await filter(most), [most])
  for (const fields of [null, [], 'x', undefined]) t.equal(await filter(fields), 'invalidParams')
  for (const name of ['FromBlock', 'fromblock', 'limit'])
    t.equal(await filter({ [name]: '0x1' }), 'invalidParams', name)
  t.equal(await filter({ address: list(1_001) }), 'limitExceeded')
  t.equal(await filter({ topics: [null, list(1_001)] }), 'limitExceeded')
  t.equal(await filter({ topics: list(5) }), 'limitExceeded')
})

t.test('a filter names a block by its hash, or a range', async (t) => {
  const filter = (fields: object) => check('eth_getLogs', [fields])
  for (const fields of [{ blockHash: hash }, { blockHash: hash, fromBlock: null, toBlock: null }])
    t.strictSame(await filter(fields), [fields])
  for (const fields of [
    { blockHash: hash, fromBlock: '0x1' },
    { blockHash: hash, toBlock: '0x1' },
    { blockHash: 'latest' },
    { blockHash: hash.slice(0, -1) },
    { blockHash: 5 },
  ])
    t.equal(await filter(fields), 'invalidParams', JSON.stringify(fields))
  t.strictSame(await filter({ blockHash: null, fromBlock: 'latest' }), [{ blockHash: null, fromBlock: 'latest' }])
})

t.test('a range of blocks is shorter than the limit', async (t) => {
  const range = async (fromBlock: unknown, toBlock?: unknown, more?: Partial<typeof bounds>) => {
    const found = await check('eth_getLogs', [{ fromBlock, toBlock }], more)
    return Array.isArray(found) ? 'sent' : found
  }
  for (const [from, to, expected] of [
    ['0x1', '0x64', 'sent'],
    ['0x1', '0x65', 'limitExceeded'],
    ['0x64', '0x1', 'sent'],
    ['earliest', '0x63', 'sent'],
    ['earliest', '0x64', 'limitExceeded'],
    ['0x385', undefined, 'sent'],
    ['0x384', undefined, 'limitExceeded'],
    ['0x384', 'latest', 'limitExceeded'],
    ['0x385', 'pending', 'limitExceeded'],
    ['finalized', 'safe', 'sent'],
    ['finalized', 'latest', 'limitExceeded'],
    [undefined, undefined, 'sent'],
    [null, null, 'sent'],
    ['newest', '0x1', 'invalidParams'],
    ['0x', '0x1', 'invalidParams'],
    [1, '0x1', 'invalidParams'],
    ['0x1', `0x1${'0'.repeat(16)}`, 'invalidParams'],
  ] as const)
    t.equal(await range(from, to), expected, `${from} to ${to}`)
  const head = { getHead: () => Promise.reject(new Error('asked')) }
  t.equal(await range('latest', 'latest', head), 'sent', 'the head is not asked for without need')
  t.equal(await range('0x1', 'latest', { getHead: async () => Number.NaN }), 'limitExceeded')
})

t.test('a call never has more gas than the limit', async (t) => {
  const gas = async (call: object) => {
    const found = await check('eth_call', [call])
    return Array.isArray(found) ? found[0] : found
  }
  t.strictSame(await gas({ to: '0x1' }), { to: '0x1', gas: '0x3e8' })
  t.strictSame(await gas({ gas: '0x3e7' }), { gas: '0x3e7' })
  t.strictSame(await gas({ gas: '0x3e9' }), { gas: '0x3e8' })
  t.strictSame(await gas({ gas: '0x10', gasLimit: '0x9' }), { gas: '0x9' }, 'the lesser of both spellings')
  t.strictSame(await gas({ gas: '0x8', gasLimit: '0x9' }), { gas: '0x8' })
  t.strictSame(await gas({ gas: null, gasLimit: '0x9' }), { gas: '0x9' })
  t.strictSame(await gas({ custom_field: 1 }), { custom_field: 1, gas: '0x3e8' }, 'unknown fields are sent')
  for (const call of [{ gas: 5 }, { gas: '5' }, { gas: '0x' }, { gasLimit: {} }, { gas: `0x1${'0'.repeat(64)}` }])
    t.equal(await gas(call), 'invalidParams', JSON.stringify(call))
  for (const name of ['GAS', 'Gas', 'gaslimit', 'GasLimit', 'accesslist', 'ga\u017f', 'a-b', '', 'x'.repeat(65)])
    t.equal(await gas({ [name]: '0x1' }), 'invalidParams', name)
  t.strictSame(await check('eth_getBalance', ['0x1']), ['0x1'], 'other methods have no call')
  for (const params of [[], [null], [[]], ['0x1']]) t.equal(await check('eth_call', params), 'invalidParams')
})

t.test('a call keeps its block, and its overrides where they are enabled', async (t) => {
  const call = { gas: '0x3e8' }
  for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList']) {
    t.strictSame(await check(method, [{}]), [call])
    t.strictSame(await check(method, [{}, 'latest']), [call, 'latest'])
  }
  const overrides = { '0x1': { balance: '0x1' } }
  t.equal(await check('eth_call', [{}, 'latest', overrides]), 'invalidParams')
  t.equal(await check('eth_call', [{}, 'latest', null, overrides]), 'invalidParams')
  t.strictSame(await check('eth_call', [{}, 'latest', {}, null, undefined]), [call, 'latest'], 'empty ones are dropped')
  const enabled = (params: unknown[]) => check('eth_call', params, { overrides: true })
  t.strictSame(await enabled([{}, 'latest', overrides]), [call, 'latest', overrides])
  t.strictSame(await enabled([{}, undefined, overrides]), [call, undefined, overrides])
  t.strictSame(await enabled([{}]), [call])
})

t.test('lists of a call are bounded', async (t) => {
  const call = async (fields: object) => {
    const found = await check('eth_call', [fields])
    return Array.isArray(found) ? 'sent' : found
  }
  const access = (keys: number) => ({ address: '0x1', storageKeys: list(keys) })
  t.equal(await call({ accessList: [access(499), access(499)] }), 'sent')
  t.equal(await call({ accessList: [access(499), access(500)] }), 'limitExceeded')
  t.equal(await call({ accessList: Array(1_000).fill({}) }), 'sent')
  t.equal(await call({ accessList: Array(1_001).fill(null) }), 'limitExceeded')
  t.equal(await call({ authorizationList: list(16) }), 'sent')
  t.equal(await call({ authorizationList: list(17) }), 'limitExceeded')
  for (const name of ['accessList', 'authorizationList']) {
    t.equal(await call({ [name]: null }), 'sent')
    t.equal(await call({ [name]: { length: 1 } }), 'invalidParams')
  }
})
