import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

interface Generated {
  /** The script of package.json that writes the files. */
  command: string
  /** What the files are made from, in words. */
  source: string
  /** By path from the root of the project. */
  make(): Promise<Record<string, string>>
}

/** Writes files that are generated; with --check writes none, and fails if one of them is not current. */
export async function writeGenerated({ command, source, make }: Generated): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    return console.log(`Usage: npm run ${command} -- [--check]

Writes what is generated from ${source}.

  --check   write nothing; exit 1 if a file is not current`)
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
  console.error(`Not what ${source} say: ${stale.join(', ')}. Run: npm run ${command}`)
  process.exitCode = 1
}
