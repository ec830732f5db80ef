import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import t from 'tap'
import { type Address, createWalletClient, maxUint256, parseEther, parseEventLogs, parseGwei } from 'viem'
import { feeSplitterAbi } from '../../chain/abi/fee-splitter.ts'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { weth9Abi } from '../../chain/abi/weth9.ts'
import splitterArtifact from '../../contracts/artifacts/FeeSplitter.json' with { type: 'json' }
import { waitForReceipt } from '../../contracts/deploy/clients.ts'
import { findExisting } from '../../contracts/deploy/find-existing.ts'
import { buildStandardInput } from '../../contracts/standard-input.ts'
import { describe } from '../../preflight/finding.ts'
import { runPreflight } from '../../preflight/run-preflight.ts'
import { createDatabase, startService, until } from '../acceptance/support/service.ts'
import { ROOT } from '../sdk/support/package.ts'
import type { Action } from '../support/chain-fixture.ts'
import { startEmptyChain } from './fixtures/empty-chain.ts'
import { finishCommand } from './fixtures/finish-command.ts'
import { makeLaunch, TERMS } from './fixtures/launches.ts'
import { runRaise } from './fixtures/run-raise.ts'

const folder = await mkdtemp(join(tmpdir(), 'slipway-deploy-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const chain = await startEmptyChain(t)
const deployer = await chain.fund()
const multisig = await chain.fund()
const { existing } = chain

const options = [
  ...['--wrapped', existing.weth, '--router', existing.router, '--price-feed', existing.priceFeed],
  ...['--owner', multisig.address, '--currency', 'TEST:Test Coin', '--target', '2', '--folder', folder],
  // test/contracts/timelock.test.ts has one.
  ...['--timelock-seconds', '0'],
]
const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
const surroundings = { PATH, HOME, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
const start = (args: readonly string[], env: Record<string, string> = { DEPLOYER_KEY: deployer.key }): ChildProcess =>
  spawn(process.execPath, ['scripts/deploy.ts', ...args], {
    cwd: ROOT,
    env: { ...surroundings, RPC_URL: chain.url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const run = (args: readonly string[], env?: Record<string, string>) => finishCommand(start(args, env))

/** Runs it with nothing being mined, and kills it when it has sent a transaction. */
async function killAfterSending(args: readonly string[]): Promise<string> {
  await chain.rpc('evm_setAutomine', false)
  const child = start(args)
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk
    if (output.includes('\nsent ')) child.kill('SIGKILL')
  })
  await once(child, 'close')
  await chain.rpc('evm_setAutomine', true)
  await chain.rpc('evm_mine')
  return output
}

const nonceOf = (address: Address) => chain.publicClient.getTransactionCount({ address })

t.test('an option with the wrong kind of contract is rejected with its name', async (t) => {
  const unrelated = await chain.createOthers()
  const find = (given: object) =>
    findExisting(chain.publicClient, chain.chainId, { weth: existing.weth, uniswapRouter: existing.router, ...given })
  t.match(await find({ priceFeed: existing.priceFeed }), {
    uniswapFactory: existing.factory,
    priceFeed: existing.priceFeed,
  })
  for (const [given, message] of [
    [{ weth: existing.router }, /^--wrapped: 0x\w+ does not answer decimals\(\)/],
    [{ weth: multisig.address }, /^--wrapped: 0x\w+ has no code on this chain/],
    [{ uniswapRouter: existing.factory }, /^--router: 0x\w+ does not answer factory\(\), WETH\(\)/],
    [{ uniswapFactory: existing.weth }, /^--factory: 0x\w+ does not answer allPairsLength\(\)/],
    [{ priceFeed: existing.weth }, /^--price-feed: 0x\w+ does not answer latestRoundData\(\)/],
    [
      { weth: unrelated.weth },
      new RegExp(`^--router: ${existing.router} wraps into ${existing.weth}, not into --wrapped`),
    ],
    [
      { uniswapFactory: unrelated.factory },
      new RegExp(`^--router: ${existing.router} uses the factory ${existing.factory}`),
    ],
  ] as const)
    await t.rejects(find(given), { message })
  const snapshot = await chain.rpc('evm_snapshot')
  await chain.rpc('evm_increaseTime', 26 * 3_600)
  await chain.rpc('evm_mine')
  await t.rejects(find({ priceFeed: existing.priceFeed }), {
    message: /^--price-feed: the latest answer of 0x\w+ is 26 hours old/,
  })
  await chain.rpc('evm_revert', snapshot)
})

t.test('public keys, missing keys and a node that does not respond stop the command', async (t) => {
  const demo = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
  const { DEPLOYER_KEY } = { DEPLOYER_KEY: deployer.key }
  const outcomes = await Promise.all([
    run([...options, '--yes'], { DEPLOYER_KEY: demo }),
    run([...options, '--yes'], { DEPLOYER_KEY: 'abc' }),
    run(options, {}),
    run([...options, '--keystore', join(folder, 'none.json')], {}),
    run(options, { DEPLOYER_KEY, RPC_URL: 'http://127.0.0.1:1' }),
    run(options.filter((text) => !/currency|TEST/.test(text))),
  ])
  t.match(outcomes, [
    { code: 2, output: /^The deployer is 0xf39f\w+, an account of the public mnemonic/i },
    { code: 2, output: /^DEPLOYER_KEY is invalid \(value not shown\)/ },
    { code: 2, output: /^DEPLOYER_KEY or --keystore is not set/ },
    { code: 2, output: /^--keystore \S+none\.json cannot be read: ENOENT: .*\n$/ },
    { code: 2, output: /^RPC_URL: the node does not respond/ },
    { code: 2, output: /^--currency is required: chain \d+ is not a known one/ },
  ])
  t.equal(await nonceOf(deployer.address), 0)
})

t.test('a plan is printed with its cost, and nothing is sent', async (t) => {
  const { code, output } = await run([...options, '--from', deployer.address], {})
  t.equal(code, 0, output)
  for (const name of ['Launchpad', 'FeeStaking', 'Raises', 'FeeSplitter']) t.match(output, `Create ${name}`)
  t.notMatch(output, /Create (WETH9|Uniswap)/)
  t.match(output, /Up to \d+ gas at [\d.]+ gwei: [\d.]+ TEST/)
  const [, bounty, target] = /pay {6}([\d.]+) TEST for each graduation, .* begin at ([\d.]+) TEST/.exec(output) ?? []
  t.equal(parseEther(target!), parseEther(bounty!) * 100n)
  const [, gwei] = /gas at ([\d.]+) gwei/.exec(output) ?? []
  t.ok(parseEther(bounty!) >= 2_787_538n * parseGwei(gwei!), 'it exceeds the price of the gas of now')
  t.match(output, 'Nothing was sent')
  t.equal(await nonceOf(deployer.address), 0)
})

t.test('a target that cannot pay for its graduation is rejected', async (t) => {
  const from = ['--from', deployer.address]
  const graduation = ['--graduation-bounty', '0.02']
  const small = await run([...options, ...from, ...graduation, '--target', '1.999'], {})
  t.match(small, { code: 2, output: /^--target 1\.999 is too small: .* from a target of 2\. Raise it/ })
  const enough = await run([...options, ...from, ...graduation, '--target', '2'], {})
  t.match(enough, { code: 0, output: /pay {6}0\.02 TEST for each graduation/ })
  t.equal(await nonceOf(deployer.address), 0)
})

t.test('a deployment that was killed twice continues without creating any contract twice', async (t) => {
  const sending = [...options, '--yes']
  t.match(await killAfterSending(sending), 'sent     Launchpad')
  t.equal(await nonceOf(deployer.address), 1)
  t.match(await killAfterSending(sending), /found {4}Launchpad.*sent {5}FeeStaking/s)
  t.equal(await nonceOf(deployer.address), 2)
  const { code, output } = await run(sending)
  t.equal(code, 0, output)
  t.match(output, /found {4}Launchpad.*found {4}FeeStaking.*created {2}FeeSplitter/s)
  // Four contracts, four calls of the setup, three offers of ownership.
  t.equal(await nonceOf(deployer.address), 11)
  t.match(output, /\nCHAIN_ID=\d+\nNATIVE_CURRENCY='TEST:Test Coin'\nDEPLOYMENTS='/, 'the settings are printed')
  t.match(output, /must accept the ownership of Launchpad: call acceptOwnership\(\)/)
  const again = await run(sending)
  t.equal(again.code, 0, again.output)
  t.equal(await nonceOf(deployer.address), 11, 'a complete deployment sends nothing')
  t.match(
    await run([...sending, '--price-feed', existing.priceFeed, '--folder', folder, '--wrapped', existing.weth], {
      DEPLOYER_KEY: multisig.key,
    }),
    {
      code: 2,
      output: /state\.json is of a deployment with deployer/,
    },
  )
})

interface Deployments {
  of(kind: string): Address
  env: Record<string, string>
}

async function readDeployments(): Promise<Deployments> {
  const env = parseEnv(await readFile(join(folder, '.env'), 'utf8')) as Record<string, string>
  const list = JSON.parse(String(env.DEPLOYMENTS)) as { kind: string; address: Address; startBlock: number }[]
  return { env, of: (kind) => list.find((one) => one.kind === kind)?.address as Address }
}

t.test('the contracts are set up according to the options', async (t) => {
  const { of, env } = await readDeployments()
  const { publicClient } = chain
  t.equal((await stat(join(folder, '.env'))).mode & 0o777, 0o600, 'the file with the keys is private')
  t.equal(env.NATIVE_CURRENCY, 'TEST:Test Coin')
  t.match(env.JWT_KEYS, /^first:[0-9a-f]{64}$/)
  t.equal(of('wrapped-native'), existing.weth)
  t.equal(of('uniswap-factory'), existing.factory)
  const launchpad = { address: of('launchpad'), abi: launchpadAbi }
  t.equal(
    (await publicClient.readContract({ ...launchpad, functionName: 'feeRecipient' })).toLowerCase(),
    of('fee-splitter'),
  )
  t.strictSame(await publicClient.readContract({ ...launchpad, functionName: 'defaults' }), [parseEther('2'), 100, 50])
  const bounty = await publicClient.readContract({ ...launchpad, functionName: 'graduationBounty' })
  t.ok(bounty > parseEther('0.001'), `${bounty}`)
  t.equal(await publicClient.readContract({ ...launchpad, functionName: 'MIN_TARGET' }), bounty * 100n)
  t.equal(
    (await publicClient.readContract({ ...launchpad, functionName: 'pendingOwner' })).toLowerCase(),
    multisig.address,
  )
  const splitter = { address: of('fee-splitter'), abi: feeSplitterAbi }
  t.equal(await publicClient.readContract({ ...splitter, functionName: 'poolId' }), 1n)
  t.equal(await publicClient.readContract({ ...splitter, functionName: 'stakerShareBps' }), 3_000n)
  const pool = await publicClient.readContract({
    address: of('staking'),
    abi: feeStakingAbi,
    functionName: 'pool',
    args: [1n],
  })
  t.equal(pool.stakingToken.toLowerCase(), existing.weth)
  await chain.rpc('anvil_setBalance', multisig.address, '0xde0b6b3a7640000')
  const wallet = createWalletClient({ account: multisig.account, transport: chain.transport })
  for (const kind of ['launchpad', 'staking', 'fee-splitter'])
    await waitForReceipt(publicClient, await wallet.sendTransaction({ to: of(kind), data: '0x79ba5097', chain: null }))
  t.equal((await publicClient.readContract({ ...launchpad, functionName: 'owner' })).toLowerCase(), multisig.address)
})

t.test('the written source compiles to the deployed code', async (t) => {
  const input = await readFile(join(folder, 'FeeSplitter.input.json'), 'utf8')
  t.same(JSON.parse(input), buildStandardInput('contracts/src/FeeSplitter.sol'))
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const { contracts } = JSON.parse(solc.compile(input))
  const { object } = contracts['contracts/src/FeeSplitter.sol'].FeeSplitter.evm.bytecode
  t.equal(`0x${object}`, splitterArtifact.bytecode)
})

t.test('the service runs in production with the generated settings and the currency TEST', async (t) => {
  const databaseUrl = await createDatabase(t)
  const { of, env: written } = await readDeployments()
  const env = {
    ...written,
    RPC_URL: chain.url,
    PUBLIC_URL: 'https://203.0.113.7',
    ADMIN_WALLETS: multisig.address,
    DATA_DIR: folder,
    MAX_BLOCK_AGE: '0',
    PORT: '0',
  }
  const findings = await runPreflight({ ...env, DATABASE_URL: databaseUrl ?? 'postgres://127.0.0.1:1/none' })
  const failures = findings.filter(({ level, name }) => level === 'fail' && (databaseUrl || name !== 'DATABASE_URL'))
  t.same(failures.map(describe), [])
  if (!databaseUrl) return t.pass('production needs PostgreSQL, which this run does not name')
  const service = await startService(t, {
    databaseUrl,
    dataDir: folder,
    env: {
      ...env,
      LOG_LEVEL: 'info',
      RATE_LIMITS: 'on',
      POLL_INTERVAL_MS: '50',
      FINALITY: '0',
      FETCH_METADATA: 'off',
    },
  })
  const trader = await chain.fund()
  const wallet = createWalletClient({ account: trader.account, transport: chain.transport })
  const mine = async (hash: `0x${string}`) => {
    const receipt = await waitForReceipt(chain.publicClient, hash)
    if (receipt.status !== 'success') throw new Error(`${hash} reverted`)
    return receipt
  }
  const call = { chain: null, account: trader.account } as const
  const launchpad = { ...call, address: of('launchpad'), abi: launchpadAbi } as const
  const created = await mine(
    await wallet.writeContract({
      ...launchpad,
      functionName: 'create',
      args: [makeLaunch('Test Token', 'TT', { terms: { ...TERMS, targetQuote: parseEther('2') } })],
      value: parseEther('0.1'),
    }),
  )
  const [event] = parseEventLogs({ abi: launchpadAbi, logs: created.logs, eventName: 'CurveCreate' })
  const token = event?.args.token.toLowerCase() as Address
  await mine(
    await wallet.writeContract({
      ...launchpad,
      functionName: 'buy',
      args: [token, trader.address, 0n, maxUint256],
      value: parseEther('5'),
    }),
  )
  await mine(await wallet.writeContract({ ...launchpad, functionName: 'graduate', args: [token] }))
  await mine(
    await wallet.writeContract({
      ...call,
      address: existing.weth,
      abi: weth9Abi,
      functionName: 'deposit',
      value: parseEther('1'),
    }),
  )
  const approve = async (address: Address, spender: Address) =>
    mine(
      await wallet.writeContract({
        ...call,
        address,
        abi: weth9Abi,
        functionName: 'approve',
        args: [spender, maxUint256],
      }),
    )
  await approve(existing.weth, of('staking'))
  const staking = { ...call, address: of('staking'), abi: feeStakingAbi } as const
  await mine(await wallet.writeContract({ ...staking, functionName: 'stake', args: [1n, parseEther('1')] }))
  await mine(
    await wallet.writeContract({
      ...call,
      address: of('fee-splitter'),
      abi: feeSplitterAbi,
      functionName: 'distribute',
    }),
  )
  const send = async ({ to, data, value }: Action) =>
    mine(await wallet.sendTransaction({ ...call, ...(to && { to }), ...(data && { data }), ...(value && { value }) }))
  await runRaise({ chain, contract: of('raises'), token, wallet: trader.address, approve, send })

  const get = async (path: string) => (await service.request('GET', path)).body
  const record = await until(
    () => get(`/tokens/${token}`),
    ({ data }) => data?.status === 'graduated' && data.confirmed,
    'the graduation is indexed',
  )
  t.match(record.data.quote, { symbol: 'TEST', decimals: 18 })
  t.equal(record.data.quote.address, `0x${'0'.repeat(40)}`)
  const { data: trades } = await get(`/tokens/${token}/trades`)
  t.same([...new Set(trades.items.map((trade: { quote: { symbol: string } }) => trade.quote.symbol))], ['TEST'])
  const { data: config } = await get('/config')
  t.match(config, {
    chainId: chain.chainId,
    nativeCurrency: { name: 'Test Coin', symbol: 'TEST', decimals: 18, wrapped: existing.weth },
    explorerUrl: null,
    launchpads: [{ kind: 'slipway', address: of('launchpad') }],
    quotes: [{ symbol: 'TEST', usdRoute: [existing.priceFeed] }],
    contractLimits: { nameBytes: 64, symbolBytes: 16, uriBytes: 512 },
  })
  const feed = async (path: string) => JSON.stringify(await get(`/integrations/${path}`))
  t.match(await feed(`udf/symbols?symbol=${token}`), /"TT\/TEST".*"currency_code":"TEST"/)
  t.match(await feed(`geckoterminal/asset?id=${existing.weth}`), /"Wrapped Test Coin","symbol":"WTEST"/)
  const pools = await until(
    () => get('/staking/pools'),
    ({ data }) => data?.items?.[0]?.totalFunded > '0',
    'the fees have reached the pool',
  )
  t.equal(pools.data.items[0].totalStaked, String(parseEther('1')))
  const raiseId = `${of('raises')}-1`
  const raise = await until(
    () => get(`/raises/${raiseId}`),
    ({ data }) => data?.released === String(parseEther('0.25')),
    'the payout of the raise is indexed',
  )
  t.match(raise.data, {
    status: 'finalized',
    token,
    quote: { symbol: 'TEST' },
    totalCommitted: String(parseEther('1')),
    ...{ exitWindowSeconds: 86_400, releasePeriodSeconds: 604_800, releaseBps: 2_500 },
  })
  t.match((await get(`/raises/${raiseId}/commitments`)).data.items, [{ claimed: true, quote: { symbol: 'TEST' } }])
  t.match((await get(`/raises/${raiseId}/proposals`)).data.items, [{ state: 'executed', quote: { symbol: 'TEST' } }])
  for (const line of service.stdout().trim().split('\n')) t.doesNotThrow(() => JSON.parse(line), line)
  const audit = spawn(process.execPath, ['scripts/audit.ts', '--quiet'], {
    cwd: ROOT,
    env: { ...surroundings, ...env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { code, output } = await finishCommand(audit)
  t.equal(code, 0, output)
})
