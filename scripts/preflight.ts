// Checks the settings of a service before its first start. See docs/deploying.md.
import { flag } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run preflight',
  about: `Checks the settings of the service, and everything that they name: the nodes (chain, clock, log ranges, log blooms, old state),
the contracts of DEPLOYMENTS (code, kind, start block), PostgreSQL, Redis, storage, ports, public URL and proxies. Prints one line
for each check, with what to do about a failure. Run it with the environment of the service, where the service will run.`,
  options: { quiet: flag('print warnings and failures only') },
  notes: 'Environment: as for the service; see npm start -- --help.',
  exitCodes: '0 no failure, 1 failures, 2 it could not run.',
  run: async ({ quiet }) => {
    const [{ runPreflight }, { describe }] = await Promise.all([
      import('../preflight/run-preflight.ts'),
      import('../preflight/finding.ts'),
    ])
    const findings = await runPreflight(process.env)
    for (const finding of findings) if (!quiet || finding.level !== 'ok') console.log(describe(finding))
    const count = (level: string) => findings.filter((finding) => finding.level === level).length
    console.log(`\n${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} failures`)
    return count('fail') > 0 ? 1 : 0
  },
})
// At once: a check that was given up may hang.
process.exit()
