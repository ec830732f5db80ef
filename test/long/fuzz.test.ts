// The fuzzer at 100,000 requests, against services with the embedded chain and its market. Half an hour at most on two idle cores.
//
//   npm run test:long -- test/long/fuzz.test.ts
//
// FUZZ_REQUESTS=n sends so many; FUZZ_SEED=n draws the same ones again (default: a new seed, which is printed); FUZZ_LANES=n
// services are asked at once (2). With TEST_DATABASE_URL and TEST_REDIS_URL they run on PostgreSQL and Redis.
import { randomInt } from 'node:crypto'
import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { createDatabase, startService } from '../acceptance/support/service.ts'
import { fuzz } from '../contract/fuzzer/run.ts'
import { keyOf } from '../contract/fuzzer/session.ts'

const DOCUMENT = new URL('../../openapi.yaml', import.meta.url)
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 100_000)
const LANES = Number(process.env.FUZZ_LANES ?? 2)
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 30))
const PART = 10_000
const QUOTAS = ['GLOBAL', 'AUTH', 'UPLOAD', 'TRADE', 'LAUNCH', 'AMBASSADOR', 'READ_HEAVY']

t.setTimeout(0)

t.test(`${REQUESTS} fuzzed requests get only responses that the document declares (FUZZ_SEED=${SEED})`, async (t) => {
  const operatorKey = keyOf(0, 'operator of the test')
  const operator = privateKeyToAccount(operatorKey).address
  const faults = new Map<string, string>()
  let [sent, next] = [0, 0]
  // Each lane has a service of its own: what one bans or hides is none of the others' business.
  const runLane = async () => {
    const databaseUrl = await createDatabase(t)
    const { url: base } = await startService(t, {
      optimize: true,
      ...(databaseUrl && { databaseUrl }),
      env: {
        ...{
          ADMIN_WALLETS: operator,
          LABS_WALLETS: operator,
          MARKET_DATA_URL: 'http://127.0.0.1:1',
          RATE_LIMITS: 'on',
        },
        ...Object.fromEntries(QUOTAS.map((name) => [`RATE_LIMIT_${name}`, '9999999/60'])),
      },
    })
    while (next * PART < REQUESTS) {
      const part = next++
      const seed = SEED + part
      const start = performance.now()
      const requests = Math.min(PART, REQUESTS - part * PART)
      const report = await fuzz({ document: DOCUMENT, base, seed, requests, operatorKey })
      sent += report.requests
      const seconds = Math.round((performance.now() - start) / 1000)
      t.comment(`seed ${seed}: ${report.requests} requests in ${seconds} s, ${JSON.stringify(report.statuses)}`)
      for (const { operation, aim, problem, curl } of report.faults) {
        const key = `${operation} (${aim}): ${problem.slice(0, 200)}`
        if (!faults.has(key)) faults.set(key, `seed ${seed}: ${curl.slice(0, 1_000)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, runLane))
  t.comment(`${sent} requests, ${faults.size} kinds of faults`)
  t.strictSame([...faults].slice(0, 30), [])
  t.ok(sent >= REQUESTS)
})
