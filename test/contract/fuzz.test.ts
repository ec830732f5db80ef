import { createServer, request as forward, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { createDatabase, startService } from '../acceptance/support/service.ts'
import { fuzz } from './fuzzer/run.ts'
import { keyOf } from './fuzzer/session.ts'

const DOCUMENT = new URL('../../openapi.yaml', import.meta.url)
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121)
const operatorKey = keyOf(0, 'operator of the test')

/** What no generated request can bring about: a transaction of the asker's own, a signature, a third party's answer. */
const needsMore = [
  ...['createToken', 'syncBuy', 'syncSell', 'syncStake', 'syncUnstake', 'syncWithdrawal', 'syncRewardClaim'],
  ...['createRaise', 'syncRegistration', 'syncCommitment', 'syncTokenClaim', 'syncRefund', 'syncFinalization'],
  ...[
    'syncProposal',
    'syncVote',
    'syncExit',
    'syncExecution',
    'syncFunding',
    'login',
    'refreshToken',
    'getExternalMarket',
    'getExternalChart',
  ],
]

const databaseUrl = await createDatabase(t)
const operator = privateKeyToAccount(operatorKey).address
const service = await startService(t, {
  optimize: true,
  ...(databaseUrl && { databaseUrl }),
  env: { ADMIN_WALLETS: operator, LABS_WALLETS: operator, MARKET_DATA_URL: 'http://127.0.0.1:1' },
})

t.test('thousands of fuzzed requests get only responses that the document declares', async (t) => {
  const report = await fuzz({ document: DOCUMENT, base: service.url, seed: SEED, requests: 2_300, operatorKey })
  t.comment(`seed ${report.seed}: ${report.requests} requests, ${JSON.stringify(report.statuses)}`)
  t.comment(`never succeeded: ${report.neverSucceeded.join(', ')}`)
  t.strictSame(report.faults.slice(0, 20), [], `seed ${SEED}`)
  t.ok(report.requests >= 2_300)
  for (const status of [200, 206, 304, 400, 401, 404, 405, 416])
    t.ok(report.statuses[status], `some answer is ${status}`)
  const idle = report.neverSucceeded.filter((id) => !needsMore.includes(id))
  t.ok(idle.length <= 5, `what can succeed mostly did; not: ${idle}`)
  t.strictSame(report.untold, [], 'of everything that can be deleted it was seen that it stays so')
})

t.test('the fuzzer reports each violation of a proxy that falsifies responses', async (t) => {
  const base = await startLiar(t, service.url)
  const { faults } = await fuzz({ document: DOCUMENT, base, seed: SEED, requests: 1_400, operatorKey })
  const found = new Set(faults.map(({ problem }) => problem.replace(/:.*/, '')))
  for (const problem of [
    'no x-request-id',
    'Allow is ',
    '401 without WWW-Authenticate',
    'the body of 200 is not as declared',
    'status 418 is not declared',
    'accepted what the document forbids',
    'a deleted comment is in the list',
    '200 without ETag',
    'HEAD has another content type',
    'If-None-Match is not kept to',
    'bytes=-2 is ',
    'a revoked token works',
    '500',
  ])
    t.ok(
      [...found].some((one) => one.startsWith(problem)),
      problem,
    )
  t.match(faults[0]?.curl, /^(curl|echo)/, 'each with the request as a command')
})

/** Stands before the service, and spoils some of what it says. */
async function startLiar(t: Test, target: string): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const sent: Buffer[] = []
    for await (const chunk of incoming) sent.push(chunk as Buffer)
    const { method, url = '' } = incoming
    const { 'accept-encoding': _, 'if-none-match': condition, range, ...headers } = incoming.headers
    if (condition && !url.includes('/raises')) headers['if-none-match'] = condition
    // Of the last two bytes only one.
    if (range) headers.range = range.replace('-2', '-1')
    const upstream = forward(target + url, { method, headers }, async (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const kept = { ...response.headers }
      delete kept['content-length']
      delete kept['transfer-encoding']
      delete kept['www-authenticate']
      if (method === 'GET') delete kept['x-request-id']
      if (url.endsWith('/config')) delete kept.etag
      if (method === 'HEAD') kept['content-type'] = 'text/html'
      if (kept.allow) kept.allow = 'TRACE'
      const [status, body] = spoil(method, url, response.statusCode ?? 0, Buffer.concat(chunks).toString())
      outgoing.writeHead(status, kept).end(body)
    })
    upstream.once('error', () => outgoing.destroy())
    upstream.end(Buffer.concat(sent))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function spoil(method: string | undefined, url: string, status: number, body: string): [number, string] {
  if (url.endsWith('/stats')) return [200, '{"success":true,"data":{}}']
  if (url.endsWith('/live')) return [418, body]
  if (url.endsWith('/leaderboard')) return [500, body]
  if (url.endsWith('/auth/me')) return [200, body]
  if (method === 'GET' && status === 400) return [200, body]
  if (method === 'GET' && url.endsWith('/comments'))
    return [200, '{"success":true,"data":{"items":null,"nextCursor":null}}']
  return [status, body]
}
