import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createGuardedFetch, FetchRejectedError } from '../../lib/http/guarded-fetch.ts'
import { isPublicAddress } from '../../lib/http/public-address.ts'

const asked: string[] = []
const routes: Record<string, RequestListener> = {
  '/picture': (_, response) => response.end('picture'),
  '/ipfs/picture': (_, response) => response.end('picture of ipfs'),
  '/ipfs/inside': (_, response) => response.writeHead(302, { location: '/ipfs/picture' }).end(),
  '/ipfs/outside': (_, response) => response.writeHead(302, { location: '/picture' }).end(),
  '/again': (_, response) => response.writeHead(302, { location: '/picture' }).end(),
  '/round': (_, response) => response.writeHead(301, { location: '/round' }).end(),
  '/nowhere': (_, response) => response.writeHead(302, { location: 'http://[' }).end(),
  '/missing': (_, response) => response.writeHead(404).end('no'),
  '/busy': (_, response) => response.writeHead(503).end('later'),
  '/limited': (_, response) => response.writeHead(429).end('later'),
  '/bare': (_, response) => response.writeHead(302).end(),
  '/packed': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
  '/large': (_, response) => response.writeHead(200, { 'content-length': '5000' }).end('x'.repeat(5000)),
  '/endless': (_, response) => {
    const more = () => {
      while (response.write('x'.repeat(1000)));
    }
    response.on('drain', more)
    more()
  },
  '/missing-endless': (_, response) => {
    response.on('close', () => closed.resolve())
    response.writeHead(404).write('no')
  },
  '/silent': () => {},
  '/slow': (_, response) => void response.write('a little'),
  '/cut': (_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half', () => response.destroy())
  },
}
const closed = Promise.withResolvers<void>()
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  const target = /^\/to\?(.+)$/.exec(request.url ?? '')?.[1]
  if (target) response.writeHead(302, { location: decodeURIComponent(target) }).end()
  else routes[request.url ?? '']?.(request, response)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  server.closeAllConnections()
  server.close()
})
const { port } = server.address() as AddressInfo
const origin = `http://127.0.0.1:${port}`

const resolved: string[] = []
const hosts: Record<string, string[]> = {
  'inside.example': ['10.0.0.7'],
  'cloud.example': ['169.254.169.254'],
  'both.example': ['93.184.215.14', '127.0.0.1'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'none.example': [],
}
const resolve = async (host: string) => {
  resolved.push(host)
  const addresses = hosts[host]
  if (!addresses) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
const fetch = createGuardedFetch({ resolve })
const bounds = (milliseconds = 5_000, below = '/') => ({
  maxBytes: 1_000,
  signal: AbortSignal.timeout(milliseconds),
  exemptBelow: origin + below,
})
const failureOf = (url: string, milliseconds?: number) =>
  fetch(url, bounds(milliseconds)).then(
    () => null,
    (error: Error) => error,
  )

t.test('fetches URLs below an exempt base URL, and redirects within it', async (t) => {
  t.equal((await fetch(`${origin}/picture`, bounds())).toString(), 'picture')
  t.equal((await fetch(`${origin}/again`, bounds())).toString(), 'picture')
})

for (const url of [
  `http://localhost:${port}/picture`,
  'http://93.184.215.14/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://192.168.1.1/',
  'https://100.100.100.200/',
  'https://93.184.215.14:8443/',
  'https://user:pass@93.184.215.14/',
  'https://inside.example/',
  'https://cloud.example/',
  'https://both.example/',
  'https://six.example/',
  'https://mapped.example/',
  'https://none.example/',
  'file:///etc/passwd',
  'ftp://93.184.215.14/',
  'gopher://127.0.0.1/',
  'data:text/plain,a',
  'not a url',
  '',
]) {
  t.test(`rejects ${url || 'an empty URL'}, and a redirect to it`, async (t) => {
    const before = asked.length
    t.ok((await failureOf(url)) instanceof FetchRejectedError)
    t.equal(asked.length, before, 'nobody was asked')
    if (!URL.canParse(url)) return
    t.ok((await failureOf(`${origin}/to?${encodeURIComponent(url)}`)) instanceof FetchRejectedError)
    t.equal(asked.length, before + 1)
  })
}

t.test('an exempt base URL exempts neither siblings nor encoded paths out of it', async (t) => {
  const below = '/ipfs/'
  t.equal((await fetch(`${origin}/ipfs/picture`, bounds(5_000, below))).toString(), 'picture of ipfs')
  t.equal((await fetch(`${origin}/ipfs/inside`, bounds(5_000, below))).toString(), 'picture of ipfs')
  const paths = [
    ...['/picture', '/', '/ipfs', '/ipfs/../picture', '/ipfs/%2e%2e/picture', '/ipfs/.%2E/picture', '/ipfsx/picture'],
    ...['/ipfs/..%2fpicture', '/ipfs/a%2f..%2f..%2fpicture', '/ipfs/..%5cpicture', '/ipfs/%252e%252e/picture'],
    ...['/ipfs/%25252e%25252e/picture', '/ipfs/%252e%252e%252fpicture', '/ipfs/a%00', '/ipfs/a%0a', '/ipfs/outside'],
  ]
  for (const path of paths) {
    const before = asked.length
    const failure = await fetch(origin + path, bounds(5_000, below)).then(
      () => null,
      (error: Error) => error,
    )
    t.ok(failure instanceof FetchRejectedError, path)
    t.same(asked.slice(before), path === '/ipfs/outside' ? [path] : [], path)
  }
})

t.test('a host name is resolved once, for the connection', async (t) => {
  resolved.length = 0
  await failureOf('https://inside.example/')
  t.same(resolved, ['inside.example'])
})

t.test('the resolution of a host name ends with the fetch', async (t) => {
  const ended = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const silent = createGuardedFetch({
    resolve: (_, { signal }) => {
      signal.addEventListener('abort', () => ended.resolve())
      asked.resolve()
      return new Promise(() => {})
    },
  })
  const aborting = new AbortController()
  const fetched = silent('https://silent.example/', { maxBytes: 1, signal: aborting.signal })
  await asked.promise
  aborting.abort()
  await t.rejects(fetched, { name: 'AbortError' })
  await ended.promise
})

for (const path of ['/round', '/nowhere', '/missing', '/bare', '/packed', '/large', '/endless']) {
  t.test(`rejects the response of ${path}`, async (t) => {
    t.ok((await failureOf(origin + path)) instanceof FetchRejectedError)
  })
}

t.test('a rejected response is not received any further', async (t) => {
  t.match(await failureOf(`${origin}/missing-endless`, 600_000), { message: 'Answered 404' })
  await closed.promise
})

t.test('a response of a busy server is not a rejection of the file', async (t) => {
  for (const path of ['/busy', '/limited']) {
    const failure = await failureOf(origin + path)
    t.ok(failure instanceof Error && !(failure instanceof FetchRejectedError), path)
  }
})

t.test('rejects timed-out and truncated responses', async (t) => {
  for (const path of ['/silent', '/slow', '/cut']) t.ok((await failureOf(origin + path, 300)) instanceof Error, path)
  t.ok((await failureOf('https://gone.example/')) instanceof Error)
})

t.test('distinguishes public addresses from all others', async (t) => {
  for (const address of ['1.1.1.1', '93.184.215.14', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])
    t.ok(isPublicAddress(address), address)
  for (const address of [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.8.8.8', '169.254.1.1', '172.16.0.1', '172.31.255.255'],
    ...['192.0.0.8', '192.0.2.1', '192.168.0.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:10.0.0.1', 'fc00::1', 'fd12::1', 'fe80::1', 'ff02::1'],
    ...['2001::1', '2001:db8::1', '2002:a00:1::', '64:ff9b::a00:1', '3fff::1', 'localhost', '', '1.1.1'],
  ])
    t.notOk(isPublicAddress(address), address)
})
