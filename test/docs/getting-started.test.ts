import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import t, { type Test } from 'tap'
import { startService, until } from '../acceptance/support/service.ts'
import { ROOT } from '../sdk/support/package.ts'
import { noBrowser, openPage } from '../sdk/support/page.ts'
import { findPort } from '../support/servers/find-port.ts'
import { openBrowser } from '../web/support/browser.ts'
import { readBlocks, runShell } from './support/guide.ts'

const blocks = await readBlocks('docs/getting-started.md')
const commands = blocks.filter(({ language }) => language === 'sh')

/** A clone as far as the guide touches it, in a folder of its own. */
async function makeClone(t: Test) {
  const base = await mkdtemp(join(tmpdir(), 'slipway-guide-'))
  t.teardown(() => rm(base, { recursive: true, force: true }))
  const clone = join(base, 'slipway')
  for (const name of ['src', 'package.json', 'tsconfig.json', 'README.md'])
    await cp(join(ROOT, 'sdk', name), join(clone, 'sdk', name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  await mkdir(join(base, 'chart'))
  return { base, clone, chart: join(base, 'chart') }
}

t.test('the guide’s code shows a live chart', async (t) => {
  const [start, install, compile, serve, buy] = commands
  t.same(
    commands.map(({ name }) => name),
    ['service', '', 'compile', 'page', ''],
  )
  // What it installs is here already; the service that it starts gets a free port.
  t.equal(start?.code, 'npm ci && npm start\n')
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  t.equal(scripts.start, 'node server.ts')
  const [service, { base, clone, chart }, port] = await Promise.all([startService(t), makeClone(t), findPort()])
  const place = (code: string) => code.replaceAll('http://localhost:3000', service.url).replaceAll('8080', String(port))
  const env = {
    PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    HOME: process.env.HOME,
    npm_config_cache: join(base, 'cache'),
    npm_config_offline: 'true',
  }

  // Packages of the registry are the ones that are here.
  const commandsOfInstall = String(install?.code).replace(/ viem\nnpm install --save-dev typescript @types\/node$/m, '')
  t.not(commandsOfInstall, install?.code)
  await runShell(commandsOfInstall, clone, env)
  await Promise.all(['.bin', '@types'].map((name) => mkdir(join(chart, 'node_modules', name), { recursive: true })))
  for (const name of ['viem', 'typescript', '@types/node', '.bin/tsc'])
    await symlink(join(ROOT, 'node_modules', name), join(chart, 'node_modules', name))
  const files = blocks.filter(({ language }) => language !== 'sh')
  for (const { name, code } of files) await writeFile(join(chart, name), place(code))
  t.same(
    files.map(({ name }) => name),
    ['index.html', 'tsconfig.json', 'chart.ts', 'serve.js', 'buy.mts', 'send.mts'],
  )

  await runShell(String(compile?.code), chart, env)

  const [{ code: requests = '' } = {}] = (await readBlocks('README.md')).filter(({ code }) => code.startsWith('curl '))
  const { body } = await until(
    () => service.request('GET', '/tokens?sort=trending&limit=1'),
    ({ body }) => body.data.items.length === 1,
    'the market is indexed',
  )
  const first = place(requests.replaceAll('localhost:3000', 'http://localhost:3000'))
    .replaceAll('<address>', body.data.items[0].address)
    .replaceAll('curl ', 'curl --fail --silent ')
  t.equal(
    (await runShell(first, chart, env)).match(/\{"success":true,/g)?.length,
    6,
    'the README’s requests are answered',
  )

  const server = spawn('sh', ['-c', `exec ${serve?.code}`], { cwd: chart, env, stdio: 'ignore' })
  t.teardown(() => server.kill())
  const origin = `http://127.0.0.1:${port}`
  const isServed = () =>
    fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(isServed, Boolean, 'the page is served')

  if (noBrowser) {
    t.comment(`The page is not looked at: ${noBrowser}`)
    return t.match(await runShell(String(buy?.code), chart, env), /^bought [\d.]+ of 0x/)
  }
  const { page, problems } = await openPage(t, await openBrowser(t))
  await page.goto(origin)
  await page.waitForSelector('svg rect')
  t.match(await page.textContent('h1'), /^.+ \(.+\)$/)
  await until(
    () => page.locator('svg rect').count(),
    (count) => count > 10,
    'the past is drawn',
  )

  // The list may have changed since: then, as the guide says, with the address that the page shows.
  const address = String(await page.textContent('p'))
  t.match(await runShell(String(buy?.code).replace('buy.mts', `buy.mts ${address}`), chart, env), address)
  await page.waitForSelector('svg[data-last]')
  t.same(problems, [])
})
