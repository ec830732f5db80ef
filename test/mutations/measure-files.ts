// Runs the test files of its arguments in one process, and writes what V8 counted for each of them to a folder of its own.
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeCoverage } from 'node:v8'
import { runFiles } from '../groups/run-group.ts'

const folder = process.env.NODE_V8_COVERAGE as string
let index = 0
let started = performance.now()

await runFiles(
  process.argv.slice(2).map((path) => path.replace(/^test\//, '')),
  (_, isPassed) => {
    const milliseconds = performance.now() - started
    takeCoverage()
    const place = join(folder, String(index))
    mkdirSync(place)
    for (const name of readdirSync(folder))
      if (name.endsWith('.json')) renameSync(join(folder, name), join(place, name))
    writeFileSync(join(folder, `${index}.result`), JSON.stringify({ isPassed, milliseconds }))
    index += 1
    started = performance.now()
  },
)
