// Compiles tap's plugins for the test commands. Most of the start of `npm run test:file` was this step.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { runCommand } from '../lib/commands/run-command.ts'

/** Below node_modules, so that a new installation compiles again. */
const CACHE = 'node_modules/.cache/slipway'

/** What the compiled plugins depend on: the choice in .taprc, the version of tap, and the folder, whose path they contain. */
function readInputs(): string {
  const { version } = JSON.parse(readFileSync('node_modules/tap/package.json', 'utf8')) as { version: string }
  return createHash('sha256')
    .update(JSON.stringify([version, process.cwd(), readFileSync('.taprc', 'utf8')]))
    .digest('hex')
}

await runCommand({
  command: 'node scripts/build-tap.ts',
  about: `Compiles the plugins that .taprc chooses, unless they are compiled already. The test commands run it first.`,
  exitCodes: '0 compiled, 1 tap could not compile them.',
  run: async () => {
    const inputs = readInputs()
    const marker = `${CACHE}/tap-build`
    if (existsSync('.tap/plugins') && existsSync(marker) && readFileSync(marker, 'utf8') === inputs) return 0
    const { status } = spawnSync('tap', ['build'], { stdio: 'inherit' })
    if (status !== 0) return 1
    mkdirSync(CACHE, { recursive: true })
    writeFileSync(marker, inputs)
    return 0
  },
})
