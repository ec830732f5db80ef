import { execFile } from 'node:child_process'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import t from 'tap'
import { batchLines } from '../../lib/telemetry/batch-lines.ts'

t.test('the lines of one event-loop tick are scrubbed and written together, in order', async (t) => {
  const written: string[] = []
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written.push(chunk)
      done()
    },
  })
  const lines = batchLines(output, (text) => text.replaceAll('secret', '[hidden]'))
  lines.write('a\n')
  lines.write('b secret\n')
  t.same(written, [])
  await new Promise(setImmediate)
  t.same(written, ['a\nb [hidden]\n'])
  lines.write('secret c\n')
  await new Promise(setImmediate)
  t.same(written, ['a\nb [hidden]\n', '[hidden] c\n'])
})

t.test('a process that exits or fails at once writes its last lines, also to a pipe', async (t) => {
  const module = JSON.stringify(new URL('../../lib/telemetry/batch-lines.ts', import.meta.url).href)
  const write = `batchLines(process.stdout, (text) => text.toUpperCase()).write('last\\n')`
  const start = `const { batchLines } = await import(${module}); ${write};`
  for (const end of ['process.exit(3)', "throw new Error('on purpose')"]) {
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${start} ${end}`])
    const { stdout } = (await run.catch((error: unknown) => error)) as { stdout: string }
    t.equal(stdout, 'LAST\n', end)
  }
})

t.test('a reader of the log that has exited ends nothing, and any other failed write does', async (t) => {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  batchLines(output, (text) => text)
  const fail = (code: string) => output.emit('error', Object.assign(new Error(`${code}: write`), { code }))
  fail('EPIPE')
  t.throws(() => fail('EIO'), { code: 'EIO' })
})
