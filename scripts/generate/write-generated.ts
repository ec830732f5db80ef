import { readFile, writeFile } from 'node:fs/promises'
import { flag } from '../../lib/commands/options.ts'
import { runCommand } from '../../lib/commands/run-command.ts'

interface Generator {
  /** The script of package.json that writes the files. */
  command: string
  /** The source of the files, for messages. */
  source: string
  /** Returns file contents by path from the project root. */
  make(): Promise<Record<string, string>>
}

/** The command that writes generated files; with --check it writes none, and sets exit code 1 if a file is stale. */
export const runGenerator = ({ command, source, make }: Generator): Promise<void> =>
  runCommand({
    command: `npm run ${command}`,
    about: `Writes the files that are generated from ${source}.`,
    options: { check: flag('write nothing; exit 1 if a file is stale') },
    exitCodes: '0 the files are written or current, 1 a file is stale (--check), 2 it could not run.',
    run: async ({ check }) => {
      const stale: string[] = []
      for (const [path, text] of Object.entries(await make())) {
        const url = new URL(`../../${path}`, import.meta.url)
        if ((await readFile(url, 'utf8').catch(() => null)) === text) continue
        if (check) stale.push(path)
        else {
          await writeFile(url, text)
          console.log(`${path} written.`)
        }
      }
      if (stale.length === 0) return 0
      console.error(`Stale: ${stale.join(', ')} (generated from ${source}). Run: npm run ${command}`)
      return 1
    },
  })
