import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import t, { type Test } from 'tap'
import { type Address, createPublicClient, createWalletClient, type Hex, http, parseEther, parseEventLogs } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { loadConfig } from '../../config/config.ts'
import { type CompletedToken, GraduationError, Graduator } from '../../features/keeper/graduator.ts'
import { requirePrivate, startKeeper } from '../../features/keeper/keeper.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { account, startChain } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { makeLaunch } from '../contracts/fixtures/launches.ts'
import { createTestDatabase } from '../support/database.ts'
import { result, startHostileNode } from '../support/hostile/node.ts'

const chain = await startChain(t)
const { client, contracts } = chain
const launchpad = contracts.launchpad as Address
const BOUNTY = parseEther('0.005')
let salts = 0

/** A token whose completing buy had too little gas to graduate it. */
async function complete(): Promise<CompletedToken> {
  const pad = { to: launchpad, abi: launchpadAbi }
  const launch = makeLaunch(`Keep ${++salts}`, 'KEEP', { salt: `0x${salts.toString(16).padStart(64, '0')}` })
  const { logs } = await chain.send(account(1), { ...pad, functionName: 'create', args: [launch] })
  const [created] = parseEventLogs({ abi: launchpadAbi, logs, eventName: 'CurveCreate' })
  const token = created!.args.token.toLowerCase() as Address
  const args = [token, account(1).address, 0n, 2n ** 255n]
  const call = { ...pad, functionName: 'buy', args, value: parseEther('7'), gas: 400_000n }
  await chain.send(account(1), call)
  return { token, launchpad, kind: 'slipway' }
}

/** A graduator with an account of its own. */
async function createGraduator({ coins = '1', patienceMs = 300, url = chain.url } = {}) {
  const key = generatePrivateKey()
  const own = privateKeyToAccount(key)
  const wallet = createWalletClient({ account: account(2), transport: http(chain.url) })
  if (coins !== '0') await wallet.sendTransaction({ to: own.address, value: parseEther(coins), chain: null })
  const nodes = createPublicClient({ transport: http(url, { retryCount: 0 }) })
  return { key, own, graduator: new Graduator({ client: nodes, account: own, chainId: 31337, patienceMs, pollMs: 10 }) }
}

const statusOf = async ({ token }: { token: Address }) =>
  (await client.readContract({ address: launchpad, abi: launchpadAbi, functionName: 'curves', args: [token] })).status
const never = new AbortController().signal
const feeOf = async (hash: Hex) => (await client.getTransaction({ hash })).maxFeePerGas!

/** What is sent waits until the test mines it. */
async function holdBlocks(t: Test) {
  await chain.rpc('evm_setAutomine', false)
  t.teardown(() => chain.rpc('evm_setAutomine', true))
}

t.test('a completed token graduates, and its bounty is paid to the keeper', async (t) => {
  const place = await complete()
  const { own, graduator } = await createGraduator()
  const hash = await graduator.graduate(place, never)
  t.equal(await statusOf(place), 3)
  const { gasUsed, effectiveGasPrice, status } = await client.getTransactionReceipt({ hash: hash! })
  t.equal(status, 'success')
  const balance = await client.getBalance({ address: own.address })
  t.equal(balance, parseEther('1') + BOUNTY - gasUsed * effectiveGasPrice)
  t.equal(await graduator.readBalance(), balance)
  t.equal(await graduator.graduate(place, never), null, 'another account may be faster')
  t.equal(await client.getTransactionCount({ address: own.address }), 1, 'which costs nothing')
})

t.test('a transaction that is not mined is replaced with higher fees, and only the replacement is mined', async (t) => {
  const place = await complete()
  const { own, graduator } = await createGraduator()
  await holdBlocks(t)
  const sentBy = async () => {
    const error: unknown = await graduator.graduate(place, never).catch((reason: unknown) => reason)
    t.type(error, GraduationError)
    return /0x[0-9a-f]{64}/.exec(String(error))![0] as Hex
  }
  const first = await sentBy()
  const before = await feeOf(first)
  const second = await sentBy()
  t.not(second, first)
  t.ok((await feeOf(second)) >= (before * 11n) / 10n, 'nodes replace it')
  t.equal((await client.getTransaction({ hash: second })).nonce, 0)
  await t.rejects(client.getTransaction({ hash: first }), { name: 'TransactionNotFoundError' })
  await chain.rpc('evm_mine')
  t.equal(await statusOf(place), 3)
  t.equal(await graduator.graduate(place, never), null)
  t.equal(await client.getTransactionCount({ address: own.address }), 1)
})

t.test('an unmined transaction of an earlier process is replaced, too', async (t) => {
  const place = await complete()
  const { key, graduator } = await createGraduator()
  await holdBlocks(t)
  await t.rejects(graduator.graduate(place, never), GraduationError)
  const nodes = createPublicClient({ transport: http(chain.url, { retryCount: 0 }) })
  const options = { client: nodes, account: privateKeyToAccount(key), chainId: 31337, patienceMs: 100, pollMs: 10 }
  const restarted = new Graduator(options)
  const outcomes: string[] = []
  for (let round = 0; round < 3; round++)
    outcomes.push(await restarted.graduate(place, never).then(String, (error: Error) => error.message))
  t.match(outcomes.at(-1), /with nonce 0 is not mined yet/, outcomes.join('; '))
  await chain.rpc('evm_mine')
  t.equal(await statusOf(place), 3)
})

t.test('a transaction that is mined after the graduation by another account is not an error', async (t) => {
  const place = await complete()
  const { own, graduator } = await createGraduator({ patienceMs: 20_000 })
  await holdBlocks(t)
  const graduated = graduator.graduate(place, never)
  await until(
    () => client.getTransactionCount({ address: own.address, blockTag: 'pending' }),
    (count) => count === 1,
    'it is sent',
  )
  // A higher price puts the other one first.
  const wallet = createWalletClient({ account: account(4), transport: http(chain.url) })
  const call = { address: launchpad, abi: launchpadAbi, functionName: 'graduate', args: [place.token] } as const
  await wallet.writeContract({ ...call, chain: null, gas: 4_000_000n, gasPrice: 100_000_000_000n })
  await chain.rpc('evm_mine')
  t.equal(await graduated, null)
  t.equal(await statusOf(place), 3)
  t.equal(await client.getTransactionCount({ address: own.address }), 1, 'it was mined')
})

t.test('a node that hangs does not delay the stop of the keeper', async (t) => {
  const node = await startHostileNode(t, chain.url)
  const asked = Promise.withResolvers<void>()
  node.follow(() => {
    asked.resolve()
    return new Promise(() => {})
  })
  const { db } = await createTestDatabase(t)
  const log = { info: () => {}, warn: () => {}, debug: () => {} } as unknown as FastifyBaseLogger
  const services = { db, chain: new Chain([node.url], { retries: 0 }), cache: createMemoryCache(), log }
  const keeper = startKeeper({
    ...services,
    config: { chainId: 31337 },
    key: generatePrivateKey(),
    isActive: () => true,
  })
  await asked.promise
  const late = pause(8_000, 'late', { ref: false })
  t.equal(await Promise.race([keeper.stop().then(() => 'stopped'), late]), 'stopped')
})

t.test('an account without coins is reported with the cost of a graduation', async (t) => {
  const place = await complete()
  const { own, graduator } = await createGraduator({ coins: '0' })
  await t.rejects(graduator.graduate(place, never), {
    name: 'GraduationError',
    message: new RegExp(`^${own.address} has 0 coins, and a graduation costs up to 0\\.0\\d+: send it coins$`),
  })
  t.equal(await statusOf(place), 2)
  await (await createGraduator()).graduator.graduate(place, never)
})

t.test('a price rises only with what was sent, and up to a limit', async (t) => {
  const place = await complete()
  const { own, graduator } = await createGraduator({ coins: '0', patienceMs: 0 })
  const messages = new Set<string>()
  for (let round = 0; round < 30; round++)
    messages.add(await graduator.graduate(place, never).then(String, (error: Error) => error.message))
  t.equal(messages.size, 1, 'nothing was sent')
  const wallet = createWalletClient({ account: account(2), transport: http(chain.url) })
  await wallet.sendTransaction({ to: own.address, value: parseEther('1'), chain: null })
  await holdBlocks(t)
  const prices: bigint[] = []
  for (let round = 0; round < 20; round++) {
    const { message } = (await graduator.graduate(place, never).catch((reason: unknown) => reason)) as Error
    t.match(message, /is not mined yet/)
    prices.push(await feeOf(/0x[0-9a-f]{64}/.exec(message)![0] as Hex))
  }
  const [lowest, highest] = [prices[0]!, prices.at(-1)!]
  t.ok(highest > 4n * lowest && highest <= 5n * lowest, `${lowest} to ${highest}`)
  t.equal(prices.at(-2), highest, 'the last one is sent again')
  await chain.rpc('evm_mine')
  t.equal(await statusOf(place), 3)
})

t.test('graduation works if the node already has the transaction, and without base fees', async (t) => {
  const node = await startHostileNode(t, chain.url)
  const { graduator } = await createGraduator({ url: node.url, patienceMs: 10_000 })
  const place = await complete()
  node.follow(async (call, ask) => {
    if (call.method !== 'eth_sendRawTransaction') return undefined
    await ask(call)
    return { error: { code: -32000, message: 'already known' } }
  })
  t.type(await graduator.graduate(place, never), 'string')
  t.equal(await statusOf(place), 3)

  const legacy = await complete()
  node.follow(async (call, ask) => {
    if (call.method !== 'eth_getBlockByNumber') return undefined
    const { result: block } = (await ask(call)) as { result: Record<string, unknown> }
    const { baseFeePerGas: _, ...rest } = block
    return result(rest)
  })
  const hash = await graduator.graduate(legacy, never)
  t.equal((await client.getTransaction({ hash: hash! })).type, 'legacy')
  t.equal(await statusOf(legacy), 3)
})

t.test('the service graduates a token once its node accepts it, and /health shows the problem before', async (t) => {
  const node = await startHostileNode(t, chain.url)
  const { key, own } = await createGraduator()
  const env = { ...chain.env, RPC_URL: node.url, KEEPER_KEY: key }
  const service = await startService(t, { env })
  const keeper = async () => (await service.request('GET', '/health')).body.data?.keeper
  await until(keeper, (state) => state?.waiting === 0, 'it has looked')
  t.match(await keeper(), { address: own.address.toLowerCase(), balance: parseEther('1').toString(), problem: null })
  // It takes the transaction and drops it, as a node that is stuck.
  node.follow((call) =>
    call.method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'stuck' } } : undefined,
  )
  const place = await complete()
  await until(keeper, (state) => state?.problem !== null && state?.waiting === 1, 'it is stuck')
  t.match((await keeper()).problem, /error -32000/)
  t.equal(await statusOf(place), 2)
  const isGraduated = ({ token }: CompletedToken, what: string) =>
    until(
      () => service.request('GET', `/tokens/${token}`),
      ({ body }) => body.data?.status === 'graduated',
      what,
    )
  node.follow(({ method, params }) =>
    method === 'eth_sendRawTransaction' && String(params).includes(place.token.slice(2))
      ? { error: { code: -32000, message: 'stuck' } }
      : undefined,
  )
  await isGraduated(await complete(), 'one that fails does not hold up another')
  t.equal(await statusOf(place), 2)
  node.follow()
  await isGraduated(place, 'it graduates the token once the node goes on')
  await until(keeper, (state) => state?.problem === null && state?.waiting === 0, 'and health says so')
})

t.test('a publicly known or malformed key is rejected', async (t) => {
  t.throws(() => requirePrivate(account(3).address, 1), { name: 'SetupError', message: /^KEEPER_KEY: .* Use a key/ })
  t.doesNotThrow(() => requirePrivate(account(3).address, 31337))
  t.doesNotThrow(() => requirePrivate(privateKeyToAccount(generatePrivateKey()).address, 1))
  const key = generatePrivateKey()
  t.equal(loadConfig({ KEEPER_KEY: key }).keeperKey, key)
  t.equal(loadConfig({ KEEPER_KEY: key.slice(2) }).keeperKey, key)
  t.equal(loadConfig({}).keeperKey, null)
  t.throws(() => loadConfig({ KEEPER_KEY: key.slice(0, -1) }), /KEEPER_KEY is invalid \(value not shown\)/)
})
