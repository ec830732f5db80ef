// Tests a running service against its OpenAPI document, without other knowledge of the service.
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { fuzz, type Report } from './fuzzer/run.ts'

const HELP = `Usage: npm run fuzz -- --base http://127.0.0.1:3000 [--seed N] [--requests N] [--document openapi.yaml] [--operator-key 0x…]

Sends generated valid and invalid requests to every operation at every mount of a running service, and validates each response
against the document. It writes to the service: use a disposable one, with RATE_LIMITS=off.

  --base          URL of the service, without a prefix
  --seed          seed of the requests, to repeat a run (default: a random seed, which is printed)
  --requests      approximate number of requests (default 2000)
  --document      the OpenAPI document (default: openapi.yaml of this folder)
  --operator-key  private key of a wallet in ADMIN_WALLETS and LABS_WALLETS, to test their operations
`

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    seed: { type: 'string' },
    requests: { type: 'string', default: '2000' },
    document: { type: 'string' },
    'operator-key': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help || !values.base) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}

const report = await fuzz({
  base: values.base.replace(/\/$/, ''),
  document: values.document ?? new URL('../../openapi.yaml', import.meta.url),
  seed: Number(values.seed ?? Math.floor(Math.random() * 2 ** 31)),
  requests: Number(values.requests),
  ...(values['operator-key'] && { operatorKey: values['operator-key'] as Hex }),
})
print(report)
process.exitCode = report.faults.length > 0 ? 1 : 0

function print({ seed, requests, statuses, neverSucceeded, faults }: Report): void {
  const shown = new Set<string>()
  for (const { operation, aim, problem, curl } of faults) {
    const key = `${operation} ${problem.slice(0, 60)}`
    if (shown.has(key)) continue
    shown.add(key)
    console.log(`\n${operation} (${aim}): ${problem}\n  seed ${seed}\n  ${curl.slice(0, 2_000)}`)
  }
  console.log(`\nSeed ${seed}: ${requests} requests, ${faults.length} faults.`)
  console.log(
    `Statuses: ${Object.entries(statuses)
      .map(([status, count]) => `${status} ${count}x`)
      .join(', ')}`,
  )
  console.log(`Never succeeded: ${neverSucceeded.join(', ') || 'none'}`)
}
