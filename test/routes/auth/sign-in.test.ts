import t from 'tap'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { parseSiweMessage } from 'viem/siwe'
import { startAnvil } from '../../../dev/anvil.ts'
import { createTestApp, testConfig } from '../../support/app.ts'

const [alice, bob] = [1, 2].map((n) => privateKeyToAccount(`0x${`${n}`.repeat(64)}`)) as [
  PrivateKeyAccount,
  PrivateKeyAccount,
]

const anvil = await startAnvil()
const config = testConfig({
  RPC_URL: anvil.url,
  CHAIN_ID: '31337',
  PUBLIC_URL: 'https://launch.example',
  ADMIN_WALLETS: alice.address,
})
const { app, services } = await createTestApp({ config })
t.teardown(async () => {
  await app.close()
  await anvil.stop()
})

const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url, payload, headers })
const askNonce = async (wallet: string) =>
  (await post('/auth/nonce', { wallet })).json().data as { nonce: string; message: string }

const refused = (error: string) => ({ success: false, data: null, error })

t.test(
  'the message to sign has the configured domain, the wallet, the chain and an expiration in five minutes',
  async (t) => {
    const answer = await post('/auth/nonce', { wallet: alice.address.toLowerCase() }, { host: 'evil.example' })
    t.equal(answer.statusCode, 200)
    const { nonce, message } = answer.json().data
    t.same(Object.keys(answer.json()), ['success', 'data'])
    const parsed = parseSiweMessage(message)
    t.match(parsed, {
      domain: 'launch.example',
      uri: 'https://launch.example',
      version: '1',
      chainId: 31337,
      nonce,
      address: alice.address,
    })
    t.equal((parsed.expirationTime?.getTime() ?? 0) - (parsed.issuedAt?.getTime() ?? 0), 300_000)
  },
)

t.test('a signed message is exchanged for a token, at both mounts', async (t) => {
  const { message } = (await post('/api/auth/nonce', { wallet: alice.address })).json().data
  const signature = await alice.signMessage({ message })
  const answer = await post('/auth/login', { wallet: alice.address.toLowerCase(), signature, message })
  t.equal(answer.statusCode, 200)
  const { token } = answer.json().data
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  t.match(header, { alg: 'HS256', kid: 'test' })
  t.match(claims, {
    sub: alice.address.toLowerCase(),
    iss: 'https://launch.example',
    aud: 'https://launch.example',
    jti: /./,
  })
  t.equal(claims.exp - claims.iat, 86_400)
  const identity = await app.inject({ url: '/api/auth/me', headers: { authorization: `bearer ${token}` } })
  t.match(identity.json(), {
    success: true,
    data: { wallet: alice.address.toLowerCase(), isAdmin: true, isLabs: false },
  })
})

t.test('a nonce is valid for one attempt', async (t) => {
  const { message } = await askNonce(alice.address)
  const signature = await alice.signMessage({ message })
  const attempts = await Promise.all(
    Array.from({ length: 10 }, () => post('/auth/login', { wallet: alice.address, signature, message })),
  )
  t.equal(attempts.filter(({ statusCode }) => statusCode === 200).length, 1)
  const replay = await post('/auth/login', { wallet: alice.address, signature, message })
  t.equal(replay.statusCode, 401)
  t.same(replay.json(), refused('Nonce expired or already used'))
})

t.test('a failed attempt consumes the nonce', async (t) => {
  const { message } = await askNonce(alice.address)
  const stranger = await post('/auth/login', {
    wallet: alice.address,
    signature: await bob.signMessage({ message }),
    message,
  })
  t.equal(stranger.statusCode, 401)
  t.same(stranger.json(), refused('Invalid signature'))
  const late = await post('/auth/login', {
    wallet: alice.address,
    signature: await alice.signMessage({ message }),
    message,
  })
  t.same(late.json(), refused('Nonce expired or already used'))
})

t.test('an unknown or expired nonce is rejected', async (t) => {
  const { message, nonce } = await askNonce(alice.address)
  const signature = await alice.signMessage({ message })
  await services.cache.delete(`nonce:${nonce}`)
  t.same(
    (await post('/auth/login', { wallet: alice.address, signature, message })).json(),
    refused('Nonce expired or already used'),
  )
})

t.test('a message that differs from the issued one in any part is rejected', async (t) => {
  const changes: Record<string, (message: string) => string> = {
    domain: (message) => message.replace('launch.example', 'evil.example'),
    chain: (message) => message.replace('Chain ID: 31337', 'Chain ID: 1'),
    wallet: (message) => message.replace(alice.address, bob.address),
    'letter case': (message) => message.replace(alice.address, alice.address.toLowerCase()),
    expiry: (message) => message.replace(/Expiration Time: 20/, 'Expiration Time: 21'),
    'one space': (message) => `${message} `,
  }
  for (const [name, change] of Object.entries(changes)) {
    const message = change((await askNonce(alice.address)).message)
    const answer = await post('/auth/login', {
      wallet: alice.address,
      signature: await alice.signMessage({ message }),
      message,
    })
    t.equal(answer.statusCode, 401, name)
    t.same(answer.json(), refused('Message does not match the issued message'), name)
  }
  const answer = await post('/auth/login', {
    wallet: alice.address,
    signature: await alice.signMessage({ message: 'hello' }),
    message: 'hello',
  })
  t.same(answer.json(), refused('Message does not match the issued message'))
})

t.test('a signature of another wallet is rejected', async (t) => {
  const { message } = await askNonce(alice.address)
  const own = await post('/auth/login', {
    wallet: bob.address,
    signature: await alice.signMessage({ message }),
    message,
  })
  t.same(own.json(), refused('Invalid signature'))
  const again = (await askNonce(alice.address)).message
  const other = await post('/auth/login', {
    wallet: bob.address,
    signature: await bob.signMessage({ message: again }),
    message: again,
  })
  t.same(other.json(), refused('Invalid signature'))
})

t.test('a malformed signature is an invalid signature', async (t) => {
  for (const signature of [
    '0x',
    '0x1',
    '0x12',
    `0x${'0'.repeat(129)}`,
    `0x${'0'.repeat(130)}`,
    `0x${'f'.repeat(130)}`,
    `0x${'ab'.repeat(500)}`,
  ]) {
    const { message } = await askNonce(alice.address)
    const answer = await post('/auth/login', { wallet: alice.address, signature, message })
    t.equal(answer.statusCode, 401, signature.slice(0, 12))
    t.same(answer.json(), refused('Invalid signature'))
  }
  t.equal((await post('/auth/login', { wallet: alice.address, signature: 'zz', message: 'm' })).statusCode, 400)
})

t.test('while the node is down, key signatures work and contract signatures are 503', async (t) => {
  const other = await createTestApp({ config: testConfig() })
  t.teardown(() => other.app.close())
  const send = (url: string, payload: object) => other.app.inject({ method: 'POST', url, payload })
  const ask = async () => (await send('/auth/nonce', { wallet: alice.address })).json().data.message as string
  const message = await ask()
  t.equal(
    (await send('/auth/login', { wallet: alice.address, signature: await alice.signMessage({ message }), message }))
      .statusCode,
    200,
  )
  const second = await ask()
  const strange = await send('/auth/login', {
    wallet: alice.address,
    signature: await bob.signMessage({ message: second }),
    message: second,
  })
  t.equal(strange.statusCode, 503)
  t.same(strange.json(), refused('The chain node is unreachable'))
})
