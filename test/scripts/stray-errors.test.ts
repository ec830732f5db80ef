import { execFile } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'

const PRELOADED = '--import=./test/support/tap/stray-errors.ts'

interface Outcome {
  passed: boolean
  failures: string[]
}

/** Runs a test file with what all test files preload. Its failures are indented by the depth of their tests. */
function run(t: Test, source: string): Promise<Outcome> {
  const folder = t.testdir({ 'some.mjs': `import t from 'tap'\n${source}` })
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const env = { PATH: process.env.PATH, TAP: '1' }
  execFile(process.execPath, [PRELOADED, join(folder, 'some.mjs')], { env }, (error, stdout) => {
    const failures = stdout.split('\n').flatMap((line) => /^ *not ok \d+ - [^#]*[^# ]/.exec(line) ?? [])
    resolve({ passed: error === null, failures })
  })
  return promise
}

t.test('an error outside of the promise of a test fails the test that runs, not one that waits', async (t) => {
  const { passed, failures } = await run(
    t,
    `const never = new Promise(() => {})
    const fail = (text) => { throw new Error(text) }
    t.test('a timer', (t) => t.test('inside', () => void setTimeout(fail, 0, 'thrown later') ?? never))
    t.test('a rejection', () => void Promise.reject(new Error('rejected')) ?? never)
    t.test('a tick', () => void process.nextTick(fail, 'thrown soon') ?? never)
    t.test('none', async (t) => t.pass('no error'))`,
  )
  t.equal(passed, false)
  t.same(failures, [
    '        not ok 1 - thrown later',
    '    not ok 1 - inside',
    'not ok 1 - a timer',
    '    not ok 1 - rejected',
    'not ok 2 - a rejection',
    '    not ok 1 - thrown soon',
    'not ok 3 - a tick',
  ])
})

t.test('an error outside of all tests fails the file, also after their end', async (t) => {
  const between = await run(t, `await t.test('one', async (t) => t.pass('it'))\nPromise.reject(new Error('unhandled'))`)
  t.equal(between.passed, false)
  t.same(between.failures, ['not ok 2 - unhandled'])
  const after = await run(t, `t.pass('it')\nt.end()\nsetTimeout(() => { throw new Error('late') }, 20)`)
  t.equal(after.passed, false)
})
