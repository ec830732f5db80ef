import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import t from 'tap'
import { startService, until } from '../acceptance/support/service.ts'
import { ROOT } from '../sdk/support/package.ts'
import { readBlocks, runShell } from './support/guide.ts'

const missing = ['curl', 'jq', 'python3'].filter((name) => spawnSync(name, ['--version']).error)
const blocks = await readBlocks('docs/walkthrough.md')

t.test(
  'the walk-through with curl and Python works as it is written',
  { skip: missing.length > 0 && `needs ${missing.join(', ')}` },
  async (t) => {
    const service = await startService(t)
    await until(
      () => service.request('GET', '/health'),
      ({ status }) => status === 200,
      'the history of the market is indexed',
    )
    const folder = await mkdtemp(join(tmpdir(), 'slipway-walkthrough-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    for (const name of await readdir(ROOT))
      if (!name.startsWith('.')) await symlink(join(ROOT, name), join(folder, name))
    for (const { name, code } of blocks.filter(({ language }) => language === 'py'))
      await writeFile(join(folder, name), code)

    const shell = blocks.filter(({ language }) => language === 'sh')
    const marked = shell.map(({ name, code }) => `echo "== ${name}"\n${code}`).join('\n')
    const printed = await runShell(marked.replaceAll('http://localhost:3000', service.url), folder, {
      PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      HOME: process.env.HOME,
    })
    const parts = new Map(printed.split(/^== /m).map((part) => [part.slice(0, part.indexOf('\n')), part] as const))
    t.match(parts.get('read'), /"status": "(curve|completed|graduated)"/)
    t.match(parts.get('read'), /"close": \d/)
    t.match(parts.get('error'), /x-error-reason: INVALID_INPUT/)
    t.match(parts.get('sign-in'), /true/)
    t.match(parts.get('sync'), /"txHash": "0x[0-9a-f]{64}"/)
    t.match(parts.get('sync'), /Transaction already indexed/)
    t.match(parts.get('social'), /"text": "Sent with curl"/)
    t.match(parts.get('python'), /portfolio 0x[0-9a-f]{40} [\d.]+\n/)
    t.match(parts.get('python'), /\ntrades 60\n/)
  },
)
