// The last step of npm test: a developer without services sees how many tests did not run, and what they need.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from '../../lib/commands/options.ts'
import { runCommand } from '../../lib/commands/run-command.ts'
import { listSkipped } from './skipped-tests.ts'

await runCommand({
  command: 'node scripts/checks/list-skipped.ts',
  about: `Prints how many tests of a run were skipped, and what is missing for them. npm test runs it last.`,
  arguments: { folder: text('<folder>', 'the TAP output of each test file', 'node_modules/.cache/slipway/tap') },
  exitCodes: '0 printed, 2 it could not run.',
  run: async ({ folder }) => {
    const outputs = globSync('**/*.tap', { cwd: folder }).map((path) => readFileSync(join(folder, path), 'utf8'))
    const lines = listSkipped(outputs.join('\n'))
    if (lines.length > 0) console.log(lines.join('\n'))
  },
})
