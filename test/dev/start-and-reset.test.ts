import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { lockFolder } from '../../db/embedded/folder-lock.ts'
import { surroundings } from '../support/child-processes/surroundings.ts'
import { createFolder } from './support/embedded.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs one of the project's programs to its end. */
async function run(file: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: ROOT,
    env: { ...surroundings, LOG_LEVEL: 'silent', MARKET: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  return { code, output }
}

/** As a stopped service leaves it, with something in every folder. */
async function fillFolder(dataDir: string): Promise<void> {
  for (const folder of ['chain', 'database', 'uploads']) {
    await mkdir(join(dataDir, folder), { recursive: true })
    await writeFile(join(dataDir, folder, 'file'), 'content')
  }
}

const describeTaken = (variable: string, port: string) =>
  `Could not start. ${variable}: port ${port} at 127.0.0.1 is in use. Stop what listens there, or set ${variable} to another port.`

t.jobs = 4

t.test('reset clears the chain and the database together, and nothing else', async (t) => {
  const DATA_DIR = await createFolder(t)
  await fillFolder(DATA_DIR)
  t.match(await run('scripts/reset.ts', [], { DATA_DIR }), {
    code: 0,
    output: /^Cleared the chain and the database in /,
  })
  t.strictSame(await readdir(DATA_DIR), ['uploads'])
  t.match(await run('scripts/reset.ts', [], { DATA_DIR }), {
    code: 0,
    output: /^There is no embedded chain or database/,
  })
  t.strictSame(await readdir(DATA_DIR), ['uploads'])
})

t.test('reset fails while a process has the chain or database open, and clears neither', async (t) => {
  for (const open of ['chain', 'database']) {
    const DATA_DIR = await createFolder(t)
    await fillFolder(DATA_DIR)
    const release = await lockFolder(join(DATA_DIR, open))
    const output = new RegExp(`^The ${open} in .+ is in use by process ${process.pid}\\. Stop that one first`)
    t.match(await run('scripts/reset.ts', [], { DATA_DIR }), { code: 2, output })
    t.strictSame(await readdir(join(DATA_DIR, 'chain')), ['file'])
    t.strictSame(await readdir(join(DATA_DIR, 'database')), ['file'])
    await release()
    t.strictSame(await readdir(DATA_DIR), ['chain', 'database', 'uploads'])
  }
})

t.test('reset prints its help, and names an unknown option', async (t) => {
  t.match(await run('scripts/reset.ts', ['--help']), { code: 0, output: /^Usage: npm run reset/ })
  t.match(await run('scripts/reset.ts', ['--wrong']), { code: 2, output: /--wrong/ })
})

t.test('a second start on the same folder fails with an error that explains what to do', async (t) => {
  const DATA_DIR = await createFolder(t)
  const release = await lockFolder(join(DATA_DIR, 'chain'))
  const { code, output } = await run('server.ts', [], { DATA_DIR, PORT: '0' })
  t.equal(code, 1)
  t.match(output, /^Could not start\. The chain in .+ is in use by process \d+\. Stop that one first, or set DATA_DIR/)
  t.notMatch(output, /\bat .+:\d+:\d+/, 'no stack trace')
  await release()
})

t.test('a start on a taken port fails with an error that explains what to do, before files are created', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const PORT = String((server.address() as { port: number }).port)
  const DATA_DIR = await createFolder(t)
  const { code, output } = await run('server.ts', [], { DATA_DIR, PORT })
  t.equal(code, 1)
  t.equal(output.trim(), describeTaken('PORT', PORT))
  t.strictSame(await readdir(DATA_DIR), [])
  const metrics = await run('server.ts', [], { DATA_DIR, PORT: '0', METRICS_PORT: PORT })
  t.equal(metrics.output.trim(), describeTaken('METRICS_PORT', PORT))
  const { output: wrongHost } = await run('server.ts', [], { DATA_DIR, PORT: '0', HOST: '203.0.113.9' })
  t.match(
    wrongHost,
    /^Could not start\. HOST: 203\.0\.113\.9 cannot be listened on: .*EADDRNOTAVAIL.*\. Set it to an address of/,
  )
  t.strictSame(await readdir(DATA_DIR), [])
})
