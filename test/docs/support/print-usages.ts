// Prints the usage of programs, as JSON by path: in one process, because most of them load the whole service.
import { join } from 'node:path'
import { ROOT } from '../../sdk/support/package.ts'

const paths = process.argv.slice(2)
const usages: Record<string, string> = {}
const write = process.stdout.write.bind(process.stdout)

/** What process.exit() throws, to end a program and not the process. */
class Exit extends Error {}
process.exit = (code) => {
  process.exitCode = code
  throw new Exit()
}

for (const path of paths) {
  usages[path] = ''
  process.stdout.write = (chunk: unknown) => {
    usages[path] += String(chunk)
    return true
  }
  const program = join(ROOT, path)
  process.argv.splice(1, Number.POSITIVE_INFINITY, program, '--help')
  await import(program).catch((error: unknown) => {
    if (!(error instanceof Exit)) throw error
  })
  if (process.exitCode) throw new Error(`${path} ended with ${process.exitCode}`)
}
process.stdout.write = write
console.log(JSON.stringify(usages))
