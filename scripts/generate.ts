// Runs every generator: the scripts generate:* of package.json.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { flag } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** One after another, because some read what others write. Resolves to the highest of their exit codes. */
async function generate(check: boolean): Promise<number> {
  const { scripts } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> }
  let worst = 0
  for (const [name, script] of Object.entries(scripts)) {
    const [, file] = /^node (\S+\.ts)$/.exec(script) ?? []
    if (!name.startsWith('generate:') || !file) continue
    const child = spawn(process.execPath, [file, ...(check ? ['--check'] : [])], { cwd: ROOT, stdio: 'inherit' })
    const [code] = (await once(child, 'close')) as [number | null]
    // Without its files those that follow would be wrong.
    if (code !== 0 && !check) throw new Error(`npm run ${name} has failed`)
    worst = Math.max(worst, code ?? 2)
  }
  return worst
}

await runCommand({
  command: 'npm run generate',
  about: `Writes all generated files: openapi.yaml, asyncapi.yaml, the ABIs, the database types, the SDK, tables of docs/ and the table of
gas. npm run check:drift checks them.`,
  options: { check: flag('write nothing; exit 1 if a file is stale') },
  exitCodes: '0 the files are written or current, 1 a file is stale (--check), 2 it could not run.',
  run: ({ check }) => generate(check),
})
