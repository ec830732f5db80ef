// Signatures other than 65 bytes of a key: of contracts, of keys that delegate to one, and compact ones.
import t from 'tap'
import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  hashMessage,
  http,
  keccak256,
  parseSignature,
  publicActions,
  serializeCompactSignature,
  serializeErc6492Signature,
  serializeErc8010Signature,
  signatureToCompactSignature,
  sliceHex,
  toHex,
  zeroHash,
} from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import approvalAccount from '../../../contracts/artifacts/ApprovalAccount.json' with { type: 'json' }
import { approvalAccountAbi as abi } from '../../../contracts/artifacts/abi/approval-account.ts'
import { smartAccountFactoryAbi } from '../../../contracts/artifacts/abi/smart-account-factory.ts'
import factoryArtifact from '../../../contracts/artifacts/SmartAccountFactory.json' with { type: 'json' }
import { startAnvil } from '../../../dev/anvil.ts'
import { createTestApp, testConfig } from '../../support/app.ts'

const anvil = await startAnvil()
const { app } = await createTestApp({
  config: testConfig({ RPC_URL: anvil.url, CHAIN_ID: '31337', RATE_LIMITS: 'off' }),
})
t.teardown(async () => {
  await app.close()
  await anvil.stop()
})
const owner = mnemonicToAccount('test test test test test test test test test test test junk')
/** A key whose account has no code, and never sent anything. */
const key = privateKeyToAccount(keccak256('0x01'))
const client = createWalletClient({
  account: owner,
  chain: foundry,
  transport: http(anvil.url),
  pollingInterval: 10,
}).extend(publicActions)
const deploy = async (artifact: { abi: readonly unknown[]; bytecode: string }) => {
  const hash = await client.deployContract({ abi: artifact.abi, bytecode: artifact.bytecode as Hex, args: [] })
  return (await client.waitForTransactionReceipt({ hash })).contractAddress as Address
}
const send = async (call: Pick<Parameters<typeof client.writeContract>[0], 'functionName' | 'args'>) => {
  const hash = await client.writeContract({ address: account, abi, ...call } as never)
  await client.waitForTransactionReceipt({ hash })
}
const account = await deploy(approvalAccount)
await send({ functionName: 'initialize', args: [owner.address] })

const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload })

/** Signs in with what `sign` makes of the message, and returns the status. */
async function login(wallet: Address, sign: (message: string) => Hex | Promise<Hex>): Promise<number> {
  const { message } = (await post('/auth/nonce', { wallet })).json().data
  return (await post('/auth/login', { wallet, message, signature: await sign(message) })).statusCode
}

const initialize = encodeFunctionData({ abi, functionName: 'initialize', args: [owner.address] })

/** A signature of the owner for an account that has authorized the contract, but sent no such transaction yet. */
async function wrap(message: string, nonce = 0): Promise<Hex> {
  const authorization = await key.signAuthorization({ contractAddress: account, chainId: foundry.id, nonce })
  return serializeErc8010Signature({
    address: key.address,
    authorization: authorization as never,
    data: initialize,
    signature: await owner.signMessage({ message }),
  })
}

t.test('a contract that approved the message signs it with an empty signature', async (t) => {
  const approve = async (message: string): Promise<Hex> => {
    await send({ functionName: 'approve', args: [hashMessage(message)] })
    return '0x'
  }
  t.equal(await login(account, approve), 200)
  t.equal(await login(account, () => '0x'), 401, 'another message')
  t.equal(await login(key.address, () => '0x'), 401, 'an account without code')
  t.equal(await login(`0x${'4'.padStart(40, '0')}`, () => '0x'), 401, 'a precompile that returns its input')
  t.equal(await login(account, (message) => owner.signMessage({ message })), 200, 'its owner can sign as well')
})

t.test('a key signs in 64 bytes (EIP-2098), without the node', async (t) => {
  const compact = async (message: string, signer: Pick<typeof key, 'signMessage'> = key) =>
    serializeCompactSignature(signatureToCompactSignature(parseSignature(await signer.signMessage({ message }))))
  const { app: offline } = await createTestApp({ config: testConfig() })
  t.teardown(() => offline.close())
  const inject = (url: string, payload: object) => offline.inject({ method: 'POST', url, payload })
  // Both parities of the curve point.
  for (let parities = new Set<boolean>(); parities.size < 2; ) {
    const { message } = (await inject('/auth/nonce', { wallet: key.address })).json().data
    const signature = await compact(message)
    t.equal(signature.length, 130)
    parities = new Set([...parities, BigInt(sliceHex(signature, 32, 33)) >= 0x80n])
    const { statusCode } = await inject('/auth/login', { wallet: key.address, message, signature })
    t.equal(statusCode, 200)
  }
  t.equal(await login(key.address, (message) => compact(message, owner)), 401, 'of another key')
})

t.test('an account signs before it has delegated (ERC-8010), and after', async (t) => {
  t.equal(await login(key.address, wrap), 200)
  t.equal(await login(key.address, (message) => wrap(message, 7)), 401, 'an authorization that the chain rejects')
  t.equal(await login(owner.address, wrap), 401, 'an authorization of another account')
  t.equal(await login(key.address, () => wrap('another message')), 401)
  const authorization = await key.signAuthorization({ contractAddress: account, chainId: foundry.id, nonce: 0 })
  const hash = await client.sendTransaction({ to: key.address, data: initialize, authorizationList: [authorization] })
  await client.waitForTransactionReceipt({ hash })
  t.equal(await login(key.address, wrap), 200, 'the wrapped signature')
  t.equal(await login(key.address, (message) => owner.signMessage({ message })), 200, 'that of the contract')
  t.equal(await login(key.address, (message) => key.signMessage({ message })), 200, 'and that of the key')
})

t.test('a contract signs before it is deployed (ERC-6492)', async (t) => {
  const factory = await deploy(factoryArtifact)
  const args = [owner.address, owner.address, zeroHash] as const
  const wallet = await client.readContract({
    address: factory,
    abi: smartAccountFactoryAbi,
    functionName: 'addressOf',
    args,
  })
  const sign = async (message: string) =>
    serializeErc6492Signature({
      address: factory,
      data: encodeFunctionData({ abi: smartAccountFactoryAbi, functionName: 'create', args }),
      signature: await owner.signMessage({ message }),
    })
  t.equal(await login(wallet, sign), 200)
  t.equal(await login(wallet, () => sign('another message')), 401)
})

t.test('a broken wrapper is an invalid signature, never an error of the service', async (t) => {
  const whole = (await wrap('any')).slice(2)
  const suffix8010 = whole.slice(-64)
  const undeployed = serializeErc6492Signature({ address: account, data: '0x1234', signature: '0x12' }).slice(2)
  const broken = [
    suffix8010,
    `${'f'.repeat(64)}${suffix8010}`,
    `${'0'.repeat(64)}${suffix8010}`,
    `${'0'.repeat(62)}20${suffix8010}`,
    // Each word of the wrapper as the largest number, and as zero.
    ...Array.from({ length: whole.length / 64 - 1 }, (_, word) => [
      `${whole.slice(0, -64 * (word + 2))}${'f'.repeat(64)}${whole.slice(whole.length - 64 * (word + 1))}`,
      `${whole.slice(0, -64 * (word + 2))}${'0'.repeat(64)}${whole.slice(whole.length - 64 * (word + 1))}`,
    ]).flat(),
    undeployed.slice(-64),
    `${'f'.repeat(64)}${undeployed.slice(64)}`,
    `${undeployed.slice(0, 64)}${'f'.repeat(64)}${undeployed.slice(128)}`,
    'ff'.repeat(64),
    '00'.repeat(64),
    'ab'.repeat(32_000),
  ]
  for (const wallet of [key.address, account, privateKeyToAccount(keccak256(toHex('new'))).address])
    for (const signature of broken)
      t.equal(await login(wallet, () => `0x${signature}`), 401, `${wallet} ${signature.slice(-140)}`)
})
