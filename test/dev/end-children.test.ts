import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const PRELOADED = fileURLToPath(new URL('../support/child-processes/end-children.ts', import.meta.url))

t.test('the child processes of a test end with it when it times out', async (t) => {
  // The child has the stdout of the test, which is closed when both have ended.
  const script = `import { spawn } from 'node:child_process'
    spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], { stdio: 'inherit' })
    process.on('SIGALRM', () => process.exit())`
  const test = spawn(process.execPath, ['--import', PRELOADED, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => test.kill('SIGKILL'))
  const closed = once(test, 'close')
  await once(test.stdout, 'data')
  test.kill('SIGALRM')
  t.same(await closed, [0, null])
})
