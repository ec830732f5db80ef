import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rollup } from 'rollup'
import t from 'tap'
import { parse } from 'yaml'
import { installSdk, ROOT } from './support/package.ts'

const run = promisify(execFile)
const project = await installSdk(t)

t.test('the tarball holds what is built, its description and nothing else', async (t) => {
  t.same(
    project.files.filter((path) => !/^dist\/[\w-]+\.(js|d\.ts)$/.test(path)),
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

t.test('a bundle holds the operations that are called and no other', async (t) => {
  const entry = join(project.folder, 'entry.js')
  await writeFile(
    entry,
    `import { createClient, listTokens } from '@slipway/sdk'
export const read = () => listTokens(createClient({ baseUrl: 'http://localhost' }))`,
  )
  const bundle = await rollup({
    input: entry,
    plugins: [
      {
        name: 'installed',
        resolveId: (id) => (id === '@slipway/sdk' ? join(project.sdk, 'dist/index.js') : null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'es' })
  const { code } = output[0]
  t.match(code, "'/tokens'")
  for (const other of ['/tokens/trending', '/buy', '/auth/login', 'subscribe', 'AlreadyIndexedError'])
    t.notMatch(code, other, `${other} is not in it`)
})

t.test('types tell operations, rooms and signers apart, for a project that checks its libraries too', async (t) => {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    module: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    types: [],
  }
  await writeFile(join(project.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }))
  const write = (lines: string[]) =>
    writeFile(
      join(project.folder, 'typed.ts'),
      [
        "import { connect, createClient, createToken, getToken, iterate, listTokens, listTokenTrades, type Schema } from '@slipway/sdk'",
        "import { sendAndSync, signIn, sync, syncBuy, uploadImage } from '@slipway/sdk'",
        "import { createPublicClient, createWalletClient, http } from 'viem'",
        "import { privateKeyToAccount } from 'viem/accounts'",
        "const client = createClient({ baseUrl: 'http://localhost' })",
        "const account = privateKeyToAccount('0x01')",
        'const walletClient = createWalletClient({ account, transport: http() })',
        'const publicClient = createPublicClient({ transport: http() })',
        ...lines,
      ].join('\n'),
    )
  const check = () =>
    run(join(ROOT, 'node_modules/.bin/tsc'), [], { cwd: project.folder }).then(
      () => [],
      ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
    )

  await write([
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
    "connect(client).subscribe('token:0x', (message) => void (message.type === 'token.updated' && message.data.symbol.length))",
    'void [tokens, side]',
  ])
  t.same(await check(), [])

  await write([
    'await getToken(client)',
    "await listTokens(client, { query: { sort: 'best' } })",
    "await sync(client, createToken, '0x', { body: { colour: 'red' } })",
    "connect(client).subscribe('nowhere', () => {})",
    "iterate(client, getToken, { path: { address: '0x' } })",
    'iterate(client, listTokenTrades)',
    "connect(client).subscribe('trades', (message) => message.type === 'candle')",
  ])
  const lines = (await check()).filter((line) => line.startsWith('typed.ts')).map((line) => /\((\d+),/.exec(line)?.[1])
  t.same([...new Set(lines)], ['9', '10', '11', '12', '13', '14', '15'])
})
