import t from 'tap'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createTestDatabase } from '../../support/database.ts'

const launchpad = `0x${'ab'.repeat(20)}`
const { app } = await createTestApp({
  config: testConfig({
    RPC_URL: 'http://127.0.0.1:1',
    CHAIN_ID: '8453',
    PUBLIC_URL: 'https://launch.example',
    BRAND_NAME: 'Moonshot',
    DEPLOYMENTS: JSON.stringify([
      { kind: 'launchpad', address: launchpad.toUpperCase().replace('0X', '0x'), startBlock: 7 },
      { kind: 'raises', address: `0x${'cd'.repeat(20)}`, startBlock: 9 },
    ]),
  }),
})
t.teardown(() => app.close())

t.test('the configuration has all values that a web client needs to start', async (t) => {
  const { success, data } = (await app.inject('/config')).json()
  t.equal(success, true)
  t.match(data, {
    chainId: 8453,
    siweDomain: 'launch.example',
    publicUrl: 'https://launch.example',
    finalityDepth: 12,
    finality: { unit: 'blocks', amount: 12 },
    chainName: 'Base',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18, wrapped: null },
    explorerUrl: 'https://basescan.org',
    contractLimits: { nameBytes: 64, symbolBytes: 16, uriBytes: 512 },
    launchpads: [{ kind: 'slipway', address: launchpad, name: 'Moonshot', startBlock: 7 }],
    quotes: [{ address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18, usdRoute: null }],
    contracts: [
      { kind: 'launchpad', address: launchpad, startBlock: 7, abi: '/config/abis/launchpad' },
      { kind: 'raises', startBlock: 9, abi: '/config/abis/raises' },
    ],
    limits: { defaultLimit: 20, maxLimit: 100, maxDepth: 10_000, bodyBytes: 65_536 },
    brand: { name: 'Moonshot', url: 'https://launch.example', logoUrl: null, color: '#0ea5e9' },
  })
  t.notMatch(JSON.stringify(data), /127\.0\.0\.1|secret/, 'no internal address or secret is served')
})

t.test('finality that is not in blocks has its present depth in finalityDepth', async (t) => {
  const { db } = await createTestDatabase(t)
  const state = { checkpoint_number: 90, checkpoint_time: 0, clock_time: 0, head_number: 90, head_time: 0 }
  const chain = { chain_id: 31337, genesis_hash: '0x', wrapped_native: launchpad, contracts: '{}' }
  await db
    .insertInto('chain_state')
    .values({ ...chain, ...state, finalized_number: 26 })
    .execute()
  for (const [FINALITY, finality, finalityDepth] of [
    ['7', { unit: 'blocks', amount: 7 }, 7],
    ['60s', { unit: 'seconds', amount: 60 }, 64],
    ['finalized', { unit: 'finalized', amount: null }, 64],
  ] as const) {
    const { app } = await createTestApp({ config: testConfig({ FINALITY }), services: { db } })
    t.teardown(() => app.close())
    t.match((await app.inject('/config')).json().data, { finality, finalityDepth })
  }
})

t.test('every listed ABI is served, at both mounts', async (t) => {
  const { abis } = (await app.inject('/config')).json().data as { abis: string[] }
  t.ok(abis.length > 0)
  for (const url of abis.flatMap((path) => [path, `/api${path}`])) {
    const answer = await app.inject(url)
    t.equal(answer.statusCode, 200, url)
    t.ok((answer.json().data as { type: string }[]).some(({ type }) => type === 'function'))
  }
  const events = (await app.inject('/config/abis/launchpad')).json().data as {
    type: string
    name: string
    inputs: object[]
  }[]
  t.ok(events.some(({ type, name, inputs }) => type === 'event' && name === 'CurveBuy' && inputs.length > 0))
})

t.test('a cached configuration stays fresh after it was revalidated', async (t) => {
  for (const url of ['/config', '/api/config', '/config/abis/launchpad']) {
    const { headers } = await app.inject(url)
    const again = await app.inject({ url, headers: { 'if-none-match': headers.etag as string } })
    t.strictSame([again.statusCode, again.headers['cache-control']], [304, headers['cache-control']], url)
    t.equal(headers['cache-control'], 'public, max-age=300')
  }
})

t.test('an unknown ABI is rejected by field name', async (t) => {
  const answer = await app.inject('/config/abis/nothing')
  t.equal(answer.statusCode, 400)
  t.match(answer.json().error, /^path\.name must be one of launchpad, /)
})
