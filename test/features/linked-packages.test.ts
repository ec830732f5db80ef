import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const root = fileURLToPath(new URL('../..', import.meta.url))

t.test('images are decoded where node_modules is a link to another folder', async (t) => {
  const folder = t.testdir({})
  for (const path of ['features/images/sandbox.ts', 'features/link-previews', 'lib', 'errors.ts', 'package.json']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const script = `
    const { childSandbox } = await import('./features/images/sandbox.ts')
    const { createChildPool } = await import('./lib/child-pool/child-pool.ts')
    const { makeSolidPng } = await import('./lib/images/make-solid-png.ts')
    const pool = createChildPool({
      ...childSandbox,
      entry: new URL('file://' + process.cwd() + '/lib/images/worker.ts'),
      limits: { startMs: 20_000, wallMs: 20_000, cpuMs: 10_000, bytes: 768 * 1024 * 1024 },
      maxChildren: 1,
      queue: { total: 1, perOwner: 1, timeoutMs: 20_000 },
      heapMb: 128,
      idleMs: 60_000,
    })
    const { width, height } = await pool.run({ kind: 'encode', bytes: makeSolidPng(3, 2, '#123456'), svg: false })
    console.log(width + 'x' + height)
    pool.close()`
  const args = ['--input-type=module', '--no-warnings', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  t.equal(stdout.trim(), '3x2')
})
