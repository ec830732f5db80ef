/*
 * Checks the settings of a service before its first start. See docs/deploying.md.
 */
import { parseArgs } from 'node:util'
import { describe } from '../preflight/finding.ts'
import { runPreflight } from '../preflight/run-preflight.ts'

const HELP = `Usage: npm run preflight -- [--quiet]

Checks the settings of the service, and everything that they name: the nodes (chain, clock, log ranges, log blooms, old state),
the contracts of DEPLOYMENTS (code, kind, start block), PostgreSQL, Redis, storage, ports, public URL and proxies. Prints one line
for each check, with what to do about a failure. Run it with the environment of the service, where the service will run.

  --quiet   print warnings and failures only

Environment: as for the service; see npm start -- --help.

Exit codes: 0 no failure, 1 failures, 2 it could not run.`

try {
  const { values } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' }, quiet: { type: 'boolean', default: false } },
  })
  if (values.help) console.log(HELP)
  else process.exitCode = await report(values.quiet)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

async function report(quiet: boolean): Promise<number> {
  const findings = await runPreflight(process.env)
  for (const finding of findings) if (!quiet || finding.level !== 'ok') console.log(describe(finding))
  const count = (level: string) => findings.filter((finding) => finding.level === level).length
  console.log(`\n${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} failures`)
  return count('fail') > 0 ? 1 : 0
}
