// Tests a running service against its OpenAPI document, without other knowledge of the service.
import type { Hex } from 'viem'
import { integer, required, text, url } from '../../lib/commands/options.ts'
import { runCommand } from '../../lib/commands/run-command.ts'
import type { Report } from './fuzzer/run.ts'

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

await runCommand({
  command: 'npm run fuzz',
  about: `Sends generated valid and invalid requests to every operation at every mount of a running service, and validates each response
against the document. It writes to the service: use a disposable one, with RATE_LIMITS=off.`,
  options: {
    base: required(url('URL', 'the service, without a prefix, such as http://127.0.0.1:3000', 'http')),
    seed: integer('N', 'seed of the requests, to repeat a run; default a random one, which is printed', {
      min: 0,
      max: 2 ** 31 - 1,
    }),
    requests: integer('N', 'approximate number of requests', { min: 1, max: 10_000_000 }, 2_000),
    document: text('FILE', 'the OpenAPI document; default openapi.yaml of this folder'),
    'operator-key': text('0x…', 'private key of a wallet in ADMIN_WALLETS and LABS_WALLETS, to test their operations'),
  },
  exitCodes: '0 no faults, 1 faults, 2 it could not run.',
  run: async ({ base, seed, requests, document, 'operator-key': operatorKey }) => {
    const { fuzz } = await import('./fuzzer/run.ts')
    const report = await fuzz({
      base: base.replace(/\/$/, ''),
      document: document ?? new URL('../../openapi.yaml', import.meta.url),
      seed: seed ?? Math.floor(Math.random() * 2 ** 31),
      requests,
      ...(operatorKey !== undefined && { operatorKey: operatorKey as Hex }),
    })
    print(report)
    return report.faults.length > 0 ? 1 : 0
  },
})
