import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

interface Generated {
  /** The script of package.json that writes the files. */
  command: string
  /** The source of the files, for messages. */
  source: string
  /** Returns file contents by path from the project root. */
  make(): Promise<Record<string, string>>
}

/** Writes generated files; with --check it writes none, and sets exit code 1 if a file is stale. */
export async function writeGenerated({ command, source, make }: Generated): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    return console.log(`Usage: npm run ${command} -- [--check]

Writes the files that are generated from ${source}.

  --check   write nothing; exit 1 if a file is stale`)
  }
  const stale: string[] = []
  for (const [path, text] of Object.entries(await make())) {
    const url = new URL(`../${path}`, import.meta.url)
    if ((await readFile(url, 'utf8').catch(() => null)) === text) continue
    if (values.check) stale.push(path)
    else {
      await writeFile(url, text)
      console.log(`${path} written.`)
    }
  }
  if (stale.length === 0) return
  console.error(`Stale: ${stale.join(', ')} (generated from ${source}). Run: npm run ${command}`)
  process.exitCode = 1
}
