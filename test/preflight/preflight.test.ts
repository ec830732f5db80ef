import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { describe } from '../../preflight/finding.ts'
import { runPreflight } from '../../preflight/run-preflight.ts'
import { account, startChain } from '../acceptance/support/chain.ts'
import { startEmptyChain } from '../contracts/fixtures/empty-chain.ts'
import { ROOT } from '../sdk/support/package.ts'
import { failure, on, type RpcAnswer, startHostileNode } from '../support/hostile/node.ts'

const folder = await mkdtemp(join(tmpdir(), 'slipway-preflight-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
await writeFile(join(folder, 'file'), '')
const chain = await startChain(t)
const other = await startEmptyChain(t)
const { contracts } = chain
const onFinalized = (answer: RpcAnswer) =>
  on('eth_getBlockByNumber', ({ params }) => (params[0] === 'finalized' ? answer : undefined))
const untagged = await startHostileNode(t, chain.url)
untagged.follow(onFinalized(failure(-32_602, 'invalid argument 0: hex string without 0x prefix')))
const unfinalized = await startHostileNode(t, chain.url)
unfinalized.follow(onFinalized(failure(-39_001, 'finalized block not found')))
const deployments = JSON.parse(String(chain.env.DEPLOYMENTS)) as { kind: string; address: string; startBlock: number }[]

const busy = createServer().listen(0, '127.0.0.1')
await once(busy, 'listening')
t.teardown(() => busy.close())
const { port: busyPort } = busy.address() as { port: number }

/** Settings of production without a fault, but for the stores of this machine. */
const good: Record<string, string> = {
  NODE_ENV: 'production',
  PORT: '0',
  DATA_DIR: folder,
  RPC_URL: chain.url,
  CHAIN_ID: '31337',
  DATABASE_URL: process.env.TEST_DATABASE_URL ?? 'postgres://127.0.0.1:1/slipway',
  JWT_KEYS: 'first:8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d',
  PUBLIC_URL: 'https://203.0.113.7',
  TRUST_PROXY: '10.0.0.0/8',
  ADMIN_WALLETS: `0x${'12'.repeat(20)}`,
  DEPLOYMENTS: JSON.stringify(deployments),
}

/** Without another entry for the same contract. */
const change = (kind: string, changes: { address?: string; startBlock?: number }) =>
  JSON.stringify(
    deployments.flatMap((one) => {
      if (one.kind === kind) return [{ ...one, ...changes }]
      return one.address.toLowerCase() === changes.address?.toLowerCase() ? [] : [one]
    }),
  )
const nobody = `0x${'99'.repeat(20)}`

/** A wrong setting, the variable that the line names, and what the line says, remedy included. */
const wrong: [changes: Record<string, string>, name: string, line: RegExp][] = [
  [{ PORT: 'http' }, 'PORT', /is "http"\. Set it to an integer from 0 to 65535\.$/],
  [{ PORT: '3000.5' }, 'PORT', /is "3000\.5"\. Set it to an integer/],
  [{ PORT: String(busyPort) }, 'PORT', /is in use\. Stop what listens there, or set PORT to another port\.$/],
  [{ METRICS_PORT: String(busyPort) }, 'METRICS_PORT', /is in use\. Stop what listens there/],
  [
    { PORT: '4000', METRICS_PORT: '4000' },
    'METRICS_PORT',
    /conflicts with other settings\. Set it to another port than PORT/,
  ],
  [{ HOST: '203.0.113.9' }, 'HOST', /cannot be listened on: .*\. Set it to an address of this machine/],
  [{ ROLE: 'web' }, 'ROLE', /is "web"\. Set it to one of all, api, indexer/],
  [{ ROLE: 'api' }, 'REDIS_URL', /is not set\. Set it to a Redis URL in production/],
  [{ NODE_ENV: 'prod' }, 'NODE_ENV', /is "prod"\. Set it to one of development, test, production/],
  [{ TRUST_PROXY: 'abc' }, 'TRUST_PROXY', /is "abc"\. Set it to comma-separated IP addresses or CIDRs/],
  [{ TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY', /is "10\.0\.0\.0\/33"\. Set it to/],
  [{ TRUST_PROXY: '0.0.0.0/0' }, 'TRUST_PROXY', /trusts every address.*\. Name the addresses of your proxies only\.$/],
  [
    { CORS_ORIGINS: 'launch.example' },
    'CORS_ORIGINS',
    /is "launch\.example"\. Set it to \* or comma-separated origins/,
  ],
  [{ SOCKET_ORIGINS: 'https://a.example/path' }, 'SOCKET_ORIGINS', /\. Set it to \* or comma-separated origins/],
  [{ PUBLIC_URL: '' }, 'PUBLIC_URL', /is not set\. Set it to an absolute URL in production/],
  [{ PUBLIC_URL: 'launch.example' }, 'PUBLIC_URL', /is "launch\.example"\. Set it to a URL \(http or https\)/],
  [
    { PUBLIC_URL: 'http://launch.example' },
    'PUBLIC_URL',
    /is not encrypted\. Use https, with a proxy that terminates TLS/,
  ],
  [
    { PUBLIC_URL: 'https://localhost' },
    'PUBLIC_URL',
    /only reachable from this machine or network\. Set it to the URL that users open/,
  ],
  [{ SIWE_DOMAIN: 'https://a.example' }, 'SIWE_DOMAIN', /\. Set it to host or host:port/],
  [{ JWT_KEYS: '' }, 'JWT_KEYS', /is not set\. Set it to your own secrets in production/],
  [
    { JWT_KEYS: 'first:short' },
    'JWT_KEYS',
    /is invalid \(value not shown\)\. Set it to comma-separated kid:secret pairs/,
  ],
  [
    { JWT_KEYS: `first:${'ab'.repeat(20)}` },
    'JWT_KEYS',
    /the secret of first is not random\. Create one with: openssl rand -hex 32/,
  ],
  [
    { JWT_KEYS: 'development:slipway-development-secret-known-to-everyone' },
    'JWT_KEYS',
    /conflicts.*\. Set it to your own secrets/,
  ],
  [{ ADMIN_WALLETS: '0x12' }, 'ADMIN_WALLETS', /is "0x12"\. Set it to comma-separated 0x addresses/],
  [{ ADMIN_WALLETS: account(1).address }, 'ADMIN_WALLETS', /public demonstration mnemonic\. Remove it/],
  [{ LABS_WALLETS: account(2).address }, 'LABS_WALLETS', /public demonstration mnemonic\. Remove it/],
  [{ RPC_URL: '' }, 'RPC_URL', /is not set\. Set it to the URL of a node in production/],
  [{ RPC_URL: 'wss://node.example' }, 'RPC_URL', /value not shown\)\. Set it to comma-separated http\(s\) URLs/],
  [
    { RPC_URL: 'http://127.0.0.1:1' },
    'RPC_URL',
    /node 1 does not respond: .*\. Start the node, or correct its URL and key/,
  ],
  [{ RPC_URL: `${chain.url},http://127.0.0.1:1` }, 'RPC_URL', /node 2 does not respond/],
  [{ RPC_URL: other.url }, 'CHAIN_ID', /31337 is set, but node 1 of RPC_URL is on chain \d+\. Set CHAIN_ID to \d+/],
  [{ RPC_SOCKET_URL: 'ws://127.0.0.1:1' }, 'RPC_SOCKET_URL', /cannot be connected to\. Correct the URL, or unset it/],
  [{ CHAIN_ID: '' }, 'CHAIN_ID', /is not set\. Set it to the chain id of RPC_URL/],
  [{ CHAIN_ID: '0x1' }, 'CHAIN_ID', /is "0x1"\. Set it to an integer/],
  [
    { CHAIN_ID: String(other.chainId) },
    'NATIVE_CURRENCY',
    /is not set\. Set it to the coin of chain \d+, such as MON:Monad/,
  ],
  [{ NATIVE_CURRENCY: 'a coin' }, 'NATIVE_CURRENCY', /is "a coin"\. Set it to symbol or symbol:name/],
  [
    { NATIVE_CURRENCY: 'USDC:USD Coin:6' },
    'NATIVE_CURRENCY',
    /is "USDC:USD Coin:6"\. Set it to symbol or symbol:name, .* always has 18 decimals/,
  ],
  [{ EXPLORER_URL: 'etherscan.io' }, 'EXPLORER_URL', /\. Set it to a URL/],
  [
    { FINALITY: 'deep' },
    'FINALITY',
    /is "deep"\. Set it to blocks from 0 to 10000, seconds from 1s to 604800s, or final/,
  ],
  [{ FINALITY: '0s' }, 'FINALITY', /is "0s"\. Set it to blocks/],
  [{ FINALITY: '10001' }, 'FINALITY', /is "10001"\. Set it to blocks/],
  [{ FINALITY_DEPTH: '60s' }, 'FINALITY_DEPTH', /is "60s"\. Set it to an integer/],
  [
    { FINALITY: '12', FINALITY_DEPTH: '12' },
    'FINALITY_DEPTH',
    /Set it to no value, because FINALITY, its newer name, is set/,
  ],
  [
    { FINALITY: 'finalized', RPC_URL: untagged.url },
    'FINALITY',
    /node 1 does not know the block tag finalized\. Set FINALITY to a number of blocks/,
  ],
  [
    { FINALITY: 'finalized', RPC_URL: unfinalized.url },
    'FINALITY',
    /node 1 has no finalized block\. Wait until the chain has one, or set FINALITY/,
  ],
  [{ DEPLOYMENTS: '' }, 'DEPLOYMENTS', /is not set\. Set it to at least one launchpad/],
  [{ DEPLOYMENTS: '{}' }, 'DEPLOYMENTS', /\. Set it to a JSON array of/],
  [
    { DEPLOYMENTS: '[{"kind":"launchpads"}]' },
    'DEPLOYMENTS',
    /\[0\]\.kind is "launchpads"\. Set it to one of launchpad, /,
  ],
  [
    { DEPLOYMENTS: change('launchpad', { address: nobody }) },
    'DEPLOYMENTS',
    /launchpad 0x9999\w+ has no code on this chain\. Correct its address or kind/,
  ],
  [
    { DEPLOYMENTS: change('launchpad', { address: contracts.raises }) },
    'DEPLOYMENTS',
    /does not answer weth\(\), .*so it is not of kind launchpad\. Correct/,
  ],
  [
    { DEPLOYMENTS: change('launchpad', { startBlock: 9_999_999 }) },
    'DEPLOYMENTS',
    /starts at block 9999999, but the chain has \d+\. Set startBlock/,
  ],
  [
    {
      DEPLOYMENTS: change('staking', {
        startBlock: contracts.startBlock === 0n ? 1 : Number(contracts.startBlock) + 8,
      }),
    },
    'DEPLOYMENTS',
    /(existed before its startBlock|but the chain has)/,
  ],
  [{ DEPLOYMENTS: change('staking', { address: contracts.weth }) }, 'DEPLOYMENTS', /is not of kind staking/],
  [{ DEPLOYMENTS: change('raises', { address: contracts.feeStaking }) }, 'DEPLOYMENTS', /is not of kind raises/],
  [
    { DEPLOYMENTS: change('price-feed', { address: contracts.weth }) },
    'DEPLOYMENTS',
    /does not answer latestRoundData\(\)/,
  ],
  [
    { DEPLOYMENTS: change('wrapped-native', { address: contracts.uniswapRouter }) },
    'DEPLOYMENTS',
    /is not of kind wrapped-native/,
  ],
  [{ DATABASE_URL: '' }, 'DATABASE_URL', /is not set\. Set it to a PostgreSQL URL in production/],
  [
    { DATABASE_URL: 'mysql://db/slipway' },
    'DATABASE_URL',
    /value not shown\)\. Set it to a URL \(postgres or postgresql\)/,
  ],
  [
    { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/slipway' },
    'DATABASE_URL',
    /the database 127\.0\.0\.1:1\/slipway cannot be used: .*\. Start PostgreSQL/,
  ],
  [{ DATABASE_READ_URL: 'postgres://127.0.0.1:1/slipway', DATABASE_URL: '' }, 'DATABASE_URL', /is not set\. Set it to/],
  [{ REDIS_URL: 'redis://127.0.0.1:1' }, 'REDIS_URL', /the Redis at 127\.0\.0\.1:1 cannot be used: .*\. Start Redis/],
  [{ REDIS_URL: '127.0.0.1:6379' }, 'REDIS_URL', /\. Set it to comma-separated URLs \(redis or rediss\)/],
  [
    { DATA_DIR: join(folder, 'file', 'data') },
    'DATA_DIR',
    /is not writable: .*\. Create the folder for the user of the service/,
  ],
  [
    { S3_BUCKET: 'uploads', S3_ENDPOINT: 'http://127.0.0.1:1', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' },
    'S3_BUCKET',
    /the bucket uploads cannot be used: .*\. Check S3_BUCKET, S3_ENDPOINT/,
  ],
  [{ S3_ENDPOINT: 'http://127.0.0.1:1' }, 'S3_BUCKET', /is not set\. Set it to the bucket at S3_ENDPOINT/],
  [
    { S3_BUCKET: 'uploads', S3_ACCESS_KEY_ID: 'a' },
    'S3_SECRET_ACCESS_KEY',
    /is not set\. Set it to the secret of S3_ACCESS_KEY_ID/,
  ],
  [{ RATE_LIMITS: 'off' }, 'RATE_LIMITS', /\. Set it to on in production/],
  [{ RATE_LIMIT_GLOBAL: '300' }, 'RATE_LIMIT_GLOBAL', /is "300"\. Set it to requests\/seconds, such as 60\/60/],
  [{ MARKET: 'on' }, 'MARKET', /conflicts with other settings\. Set it to off/],
  [{ BRAND_COLOR: 'blue' }, 'BRAND_COLOR', /is "blue"\. Set it to #rrggbb/],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG', /is "2"\. Set it to a number from 0 to 1/],
]

const failuresOf = async (env: Record<string, string>) =>
  (await runPreflight(env)).filter(({ level }) => level === 'fail')

t.test('valid settings have no failure', async (t) => {
  // Without a server the database fails, and nothing else does.
  const failures = (await failuresOf(good)).filter(
    ({ name }) => process.env.TEST_DATABASE_URL || name !== 'DATABASE_URL',
  )
  t.same(failures.map(describe), [])
})

t.test('each invalid setting has one line with its variable and what to do', async (t) => {
  t.ok(wrong.length >= 40, `${wrong.length} settings`)
  for (const [changes, name, line] of wrong) {
    const failures = await failuresOf({ ...good, ...changes })
    const about = failures.filter((finding) => finding.name === name && line.test(describe(finding)))
    t.equal(about.length, 1, `${JSON.stringify(changes)}: ${failures.map(describe).join(' | ')}`)
    const beside = failures.filter((one) => one.name !== name && one.name !== 'DATABASE_URL')
    t.same(beside.map(describe), [], `${JSON.stringify(changes)} causes nothing else`)
    for (const finding of failures) t.notMatch(describe(finding), /hunter2|\n/)
  }
})

t.test('the service does not start on a node that does not support the tag of FINALITY', async (t) => {
  const env = { CHAIN_ID: '31337', RPC_URL: untagged.url, DEPLOYMENTS: String(good.DEPLOYMENTS), FINALITY: 'finalized' }
  const child = spawn(process.execPath, ['server.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LOG_LEVEL: 'silent',
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  t.equal(code, 1)
  t.match(
    output,
    /^Could not start\. FINALITY is finalized, but the node of RPC_URL does not know this block tag\. Set it to/,
  )
})

t.test(
  'a folder of another user is not writable',
  { skip: process.getuid?.() === 0 && 'root may write everywhere' },
  async (t) => {
    const closed = await mkdtemp(join(folder, 'closed-'))
    await chmod(closed, 0o500)
    t.match((await failuresOf({ ...good, DATA_DIR: closed })).map(describe), [/DATA_DIR: .* is not writable/])
  },
)
