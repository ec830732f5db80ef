import { execFile } from 'node:child_process'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import t from 'tap'
import { batchLines } from '../../lib/telemetry/batch-lines.ts'

t.test('the lines of one turn of the event loop are one write, in order', async (t) => {
  const written: string[] = []
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written.push(chunk)
      done()
    },
  })
  const lines = batchLines(output)
  lines.write('a\n')
  lines.write('b\n')
  t.same(written, [])
  await new Promise(setImmediate)
  t.same(written, ['a\nb\n'])
  lines.write('c\n')
  await new Promise(setImmediate)
  t.same(written, ['a\nb\n', 'c\n'])
})

t.test('a process that exits or fails at once writes its last lines, also to a pipe', async (t) => {
  const module = JSON.stringify(new URL('../../lib/telemetry/batch-lines.ts', import.meta.url).href)
  const start = `const { batchLines } = await import(${module}); batchLines(process.stdout).write('last\\n');`
  for (const end of ['process.exit(3)', "throw new Error('on purpose')"]) {
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${start} ${end}`])
    const { stdout } = (await run.catch((error: unknown) => error)) as { stdout: string }
    t.equal(stdout, 'last\n', end)
  }
})
