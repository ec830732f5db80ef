import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import t from 'tap'
import { parse } from 'yaml'
import { readBlocks } from '../docs/support/guide.ts'
import { installSdk, ROOT } from './support/package.ts'

const run = promisify(execFile)
const project = await installSdk(t)

t.test('the tarball holds only the build, README.md and package.json', async (t) => {
  t.same(
    project.files.filter((path) => !/^dist\/([\w-]+\/)?[\w-]+\.(js|d\.ts)$/.test(path)),
    ['README.md', 'package.json'],
  )
  const { license, dependencies } = JSON.parse(await readFile(join(project.sdk, 'package.json'), 'utf8'))
  t.equal(license, 'MIT')
  t.equal(dependencies, undefined)
})

t.test('every operation of the document is a function of its name', async (t) => {
  const { paths } = parse(await readFile(join(ROOT, 'openapi.yaml'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const sdk = (await project.load()) as unknown as Record<string, unknown>
  const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
  t.ok(ids.length > 0)
  t.same(
    ids.filter((id) => typeof sdk[id] !== 'function'),
    [],
  )
})

t.test('a bundle holds only the operations that are called', async (t) => {
  const entry = join(project.folder, 'entry.js')
  await writeFile(
    entry,
    `import { createClient, listTokens } from '@slipway/sdk'
export const read = () => listTokens(createClient({ baseUrl: 'http://localhost' }))`,
  )
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    write: false,
    alias: { '@slipway/sdk': join(project.sdk, 'dist/index.js') },
  })
  const code = outputFiles[0]?.text ?? ''
  t.match(code, '"/tokens"')
  for (const other of ['/tokens/trending', '/buy', '/auth/login', 'subscribe', 'AlreadyIndexedError'])
    t.notMatch(code, other, `${other} is not in it`)
})

t.test('helpers are bundled one by one, and flat calls without those of the other entry points', async (t) => {
  const entry = join(project.folder, 'helpers.js')
  const bundle = async (code: string) => {
    await writeFile(entry, code)
    const alias = Object.fromEntries(
      ['api', 'helpers'].map((name) => [`@slipway/sdk/${name}`, join(project.sdk, `dist/${name}/index.js`)]),
    )
    const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false, alias })
    return outputFiles[0]?.text ?? ''
  }
  const prices = await bundle("import { formatPrice } from '@slipway/sdk/helpers'\nconsole.log(formatPrice(1))")
  t.match(prices, 'toExponential')
  for (const other of ['/profiles/batch', 'removeItem', 'eth_getBalance', '/tokens/{address}/chart'])
    t.notMatch(prices, other, `${other} is not in it`)
  const flat = await bundle("import { createApi } from '@slipway/sdk/api'\ncreateApi({ baseUrl: '' })")
  t.match(flat, '/integrations/udf/history')
  for (const other of ['removeItem', 'eth_getBalance', 'new WebSocket', 'AlreadyIndexedError'])
    t.notMatch(flat, other, `${other} is not in it`)
})

t.test('Vite builds a page with the package and its hooks, and the result runs', async (t) => {
  const folder = join(project.folder, 'page')
  await mkdir(folder)
  await writeFile(join(folder, 'index.html'), '<!doctype html><script type="module" src="/main.ts"></script>')
  // The polyfill needs a document, which Node lacks.
  await writeFile(join(folder, 'vite.config.js'), 'export default { build: { modulePreload: { polyfill: false } } }')
  await writeFile(
    join(folder, 'main.ts'),
    `import { createClient, listTokens, type Schema } from '@slipway/sdk'
import { keyOf } from '@slipway/sdk/react'
const answer = async () => new Response('{"success":true,"data":{"items":[]}}')
const client = createClient({ baseUrl: 'http://localhost', fetch: answer })
const read: () => Promise<{ items: Schema<'Token'>[] }> = () => listTokens(client)
Object.assign(globalThis, { page: { read, key: keyOf(listTokens) } })`,
  )
  await run(join(ROOT, 'node_modules/.bin/vite'), ['build', '--logLevel', 'error'], { cwd: folder })
  const assets = join(folder, 'dist/assets')
  const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'))
  t.equal(scripts.length, 1)
  const script = join(assets, scripts[0] as string)
  await import(pathToFileURL(script).href)
  const { page } = globalThis as unknown as { page: { read(): Promise<unknown>; key: unknown } }
  t.same([await page.read(), page.key], [{ items: [] }, ['slipway', 'GET /tokens']])
  t.notMatch(await readFile(script, 'utf8'), '/auth/login', 'operations that it does not call are not in it')
})

t.test('types distinguish operations, channels and signers, in a project without skipLibCheck', async (t) => {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    module: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    types: [],
  }
  const config = { compilerOptions, files: ['right.ts', 'wrong.ts'] }
  await writeFile(join(project.folder, 'tsconfig.json'), JSON.stringify(config))
  const write = (file: string, lines: string[]) =>
    writeFile(
      join(project.folder, file),
      [
        "import { connect, createClient, createToken, getToken, iterate, listTokens, listTokenTrades, type Schema } from '@slipway/sdk'",
        "import { sendAndSync, signIn, sync, syncBuy, uploadImage } from '@slipway/sdk'",
        "import { buildApproval, buildVote, quoteTrade, type Amount, type SlipwayError, syncVote, trade, transact } from '@slipway/sdk'",
        "import { erc20Abi } from '@slipway/sdk/abi'",
        "import { createApi } from '@slipway/sdk/api'",
        "import { hasReason, type ReasonOf } from '@slipway/sdk'",
        "import { createPublicClient, createWalletClient, http } from 'viem'",
        "import { privateKeyToAccount } from 'viem/accounts'",
        "const client = createClient({ baseUrl: 'http://localhost' })",
        "const api = createApi({ baseUrl: 'http://localhost' })",
        "const account = privateKeyToAccount('0x01')",
        'const walletClient = createWalletClient({ account, transport: http() })',
        'const publicClient = createPublicClient({ transport: http() })',
        'declare const failure: SlipwayError',
        ...lines,
      ].join('\n'),
    )

  await write('right.ts', [
    'const { items } = await listTokens(client)',
    "const tokens: Schema<'Token'>[] = items",
    "for await (const { side } of iterate(client, listTokenTrades, { path: { address: '0x' } })) void (side === 'buy')",
    'for await (const { symbol } of iterate(client, listTokens)) void symbol.length',
    "const { name }: { name: string } = await getToken(client, { path: { address: '0x' } })",
    'await signIn(client, account)',
    'await signIn(client, walletClient)',
    "await sync(client, createToken, '0x', { body: { description: name } })",
    "await uploadImage(client, { body: { file: new Blob(['']) } })",
    'const sent = () => walletClient.sendTransaction({ to: account.address, chain: null })',
    'const { trades } = await sendAndSync(client, syncBuy, sent, { publicClient })',
    "const side: 'buy' | 'sell' | undefined = trades[0]?.side",
    "connect(client).subscribe('trades', (message) => {",
    "  if (message.type === 'trade') message.data.quoteAmount.length",
    "  else if (message.type === 'gap') message.since.toFixed()",
    '})',
    // Values of responses are those of viem; options take any text, and bigints for amounts.
    "const { call, amountOut } = await quoteTrade(client, { path: { address: name }, query: { side: 'buy', amount: 5n } })",
    'if (call) await walletClient.sendTransaction({ to: call.to, data: call.data, value: BigInt(call.value), chain: null })',
    'await walletClient.sendTransaction({ ...buildApproval({ token: name, spender: name, amount: amountOut }), chain: null })',
    "await publicClient.readContract({ address: tokens[0]!.address, abi: erc20Abi, functionName: 'decimals' })",
    'const price: string | null = tokens[0]!.priceNative',
    "await trade(client, walletClient, { token: name, side: 'sell', amount: amountOut })",
    "await trade(client, { request: async () => '' }, { token: name, side: 'sell', amount: '5' })",
    "await transact(client, walletClient, buildVote(name, 'for'), syncVote, { path: { id: name } })",
    "const reason: 'TOKEN_NOT_FOUND' | undefined = failure.reason === 'TOKEN_NOT_FOUND' ? failure.reason : undefined",
    "connect(client).subscribe('token:0x', (message) => void (message.type === 'token.updated' && message.data.symbol.length))",
    // The flat form has the same types.
    "const flat: Schema<'Token'>[] = (await api.tokens.list({ sort: 'newest', limit: 5 })).items",
    "for await (const { side } of api.tokens.trades.all('0x', { side: 'buy' })) void (side === 'buy')",
    "await api.tokens.quote(name, { side: 'buy', amount: 5n }, { signal: AbortSignal.timeout(5) })",
    'const { followerCount }: { followerCount: number } = await api.follows.follow(name)',
    "await api.uploads.image({ file: new Blob(['']) })",
    "await sync(api, api.tokens.create.with({ description: name }), '0x')",
    "await transact(api, walletClient, buildVote(name, 'for'), api.proposals.syncVote.with(name), { onStep: () => {} })",
    'for await (const { symbol } of iterate(api, api.tokens.list.with({ limit: 5 }))) void symbol.length',
    "if (hasReason(failure, 'TOKEN_NOT_FOUND')) { const found: 'TOKEN_NOT_FOUND' = failure.reason; void found }",
    "const expected: ReasonOf<'getToken'> = 'TOKEN_NOT_FOUND'",
    'void [tokens, side, price, reason, flat, followerCount, expected]',
  ])

  const wrong = [
    'await getToken(client)',
    "await listTokens(client, { query: { sort: 'best' } })",
    "await sync(client, createToken, '0x', { body: { colour: 'red' } })",
    "connect(client).subscribe('nowhere', () => {})",
    "iterate(client, getToken, { path: { address: '0x' } })",
    'iterate(client, listTokenTrades)',
    "connect(client).subscribe('trades', (message) => message.type === 'candle')",
    "const sum = Number((await quoteTrade(client, { path: { address: '0x' }, query: { side: 'buy', amount: 5 } })).amountOut)",
    'const decimal: number = (await listTokens(client)).items[0]!.virtualQuote',
    "const amount: Amount = '5'",
    "await transact(client, walletClient, buildVote('', 'for'), syncVote)",
    "buildVote('', 'maybe')",
    "failure.reason === 'NO_SUCH_REASON'",
    'await api.tokens.get()',
    'await api.tokens.get(5)',
    "await api.tokens.list({ sort: 'best' })",
    "await api.tokens.quote('0x', { side: 'buy' })",
    "await api.tokens.get('0x', { limit: 5 })",
    "api.tokens.get.all('0x')",
    "await sync(api, api.tokens.create.with({ colour: 'red' }), '0x')",
    "const symbolOf: number = (await api.tokens.get('0x')).symbol",
    "hasReason(failure, 'NO_SUCH_REASON')",
    "const unexpected: ReasonOf<'getToken'> = 'RAISE_NOT_FOUND'",
  ]
  await write('wrong.ts', wrong)
  // Both at once, because the compiler checks the types of viem for longer than these files.
  const found = await run(join(ROOT, 'node_modules/.bin/tsc'), [], { cwd: project.folder }).then(
    () => [],
    ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
  )
  const isExpected = (line: string) => /^(wrong\.ts|\s)/.test(line)
  t.same(
    found.filter((line) => !isExpected(line)),
    [],
    'neither in what is right nor in the types of packages',
  )
  const lines = found.flatMap((line) => /^wrong\.ts\((\d+),/.exec(line)?.[1] ?? [])
  const first = 15
  t.same(
    [...new Set(lines)],
    wrong.map((_, index) => String(first + index)),
  )
})

/** What the examples of the README take as given. */
const given: Record<string, string> = {
  operations: 'declare const address: string, file: File, signal: AbortSignal',
  functions: 'declare const address: string',
  errors: 'declare const address: string, showMissing: () => void, showNotice: (text: string) => void',
  helpers: 'declare const address: string, wallet: string, render: (shown: unknown) => void',
  values: 'declare const trade: Schema<"Trade">, quote: Schema<"Quote">, text: string',
  transaction: 'declare const proposal: Schema<"Proposal">',
  trade: 'declare const token: Schema<"Token">, shown: Schema<"Quote">',
  launch: 'declare const file: File',
  transact:
    'declare const pool: Schema<"StakingPool">, amount: bigint, id: string, config: Schema<"Config">, token: string',
}

t.test('the examples of the README compile', async (t) => {
  const blocks = (await readBlocks('sdk/README.md')).filter(({ language }) => language.startsWith('ts'))
  const compilerOptions = {
    ...{ noEmit: true, strict: true, module: 'ESNext', moduleResolution: 'bundler', target: 'ES2022' },
    ...{ lib: ['ES2022', 'DOM'], types: [], jsx: 'react-jsx', skipLibCheck: true },
  }
  const folder = join(project.folder, 'examples')
  await mkdir(folder)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const [main, helpers] = [Object.keys(await project.load()), Object.keys(await project.loadHelpers())]
  for (const { language, name, code } of blocks) {
    const used = (names: string[]) => names.filter((one) => new RegExp(`(?<!\\.)\\b${one}[(,)]`).test(code)).join(', ')
    const imports = code.includes('import ')
      ? ''
      : `import { ${used(main)} } from '@slipway/sdk'\nimport { ${used(helpers)} } from '@slipway/sdk/helpers'`
    const wallet = code.includes('window.ethereum')
      ? ''
      : "import { createWalletClient, http } from 'viem'\nconst walletClient = createWalletClient({ account: '0x', transport: http() })"
    const client = code.includes('const api') ? '' : 'declare const api: Api'
    const types = "import type { Schema } from '@slipway/sdk'\nimport type { Api } from '@slipway/sdk/api'"
    const prelude = language === 'tsx' ? [] : [imports, types, wallet, client, given[name] ?? '']
    await writeFile(join(folder, `${name}.${language}`), [...prelude, code, 'export {}'].join('\n'))
  }
  t.ok(blocks.length > 6)
  const errors = await run(join(ROOT, 'node_modules/.bin/tsc'), [], { cwd: folder }).then(
    () => [],
    ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
  )
  t.same(errors, [])
})
