import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import {
  type Address,
  createPublicClient,
  encodeDeployData,
  getContractAddress,
  type Hex,
  http,
  pad,
  toFunctionSelector,
} from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import launchpadArtifact from '../../contracts/artifacts/Launchpad.json' with { type: 'json' }
import { startAnvil } from '../../dev/anvil.ts'
import { findDeployedContracts } from '../../dev/deploy.ts'
import { startTestChain } from './fixtures/chain.ts'

const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

async function answers(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
    (response) => response.ok,
    () => false,
  )
}

/** Two minutes at least: the watcher of anvil gives it one before it ends it by force. */
async function waitUntil(condition: () => boolean | Promise<boolean>) {
  for (let attempt = 0; attempt < 4_800; attempt++) {
    if (await condition()) return true
    await delay(25)
  }
  return false
}

t.test('a port that is in use is an error that names it', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  await t.rejects(startAnvil({ port }), { message: new RegExp(`^port ${port} is taken`) })
})

t.test('an invalid option is an error with the message of anvil', async (t) => {
  await t.rejects(startAnvil({ extraArgs: ['--no-such-flag'] }), { message: /ended with code 2: .*no-such-flag/s })
})

t.test('a chain continues from its state file, with its logs', async (t) => {
  const statePath = join(folder, 'state.json')
  const chain = await startTestChain(t, { statePath, chainId: 31337 })
  const { token } = await chain.launch(chain.accounts[1], 10n ** 18n)
  const [height, curve] = [await chain.publicClient.getBlockNumber(), await chain.pad.read.curves([token])]
  await chain.anvil.stop()
  await chain.anvil.stop()
  t.equal(await answers(chain.anvil.url), false)

  const again = await startAnvil({ statePath, chainId: 31337 })
  t.teardown(again.stop)
  const publicClient = createPublicClient({ transport: http(again.url) })
  t.ok((await publicClient.getBlockNumber()) >= height)
  const found = await findDeployedContracts(publicClient, chain.accounts[0])
  t.match(found, { launchpad: chain.launchpad, weth: chain.weth, startBlock: chain.startBlock })
  const pad = { address: chain.launchpad, abi: launchpadAbi }
  t.strictSame(await publicClient.readContract({ ...pad, functionName: 'curves', args: [token] }), curve)
  const events = await publicClient.getContractEvents({ ...pad, fromBlock: found!.startBlock })
  t.ok(events.some((event) => event.eventName === 'CurveBuy'))
})

t.test('no deployment is found on an empty chain', async (t) => {
  const anvil = await startAnvil()
  t.teardown(anvil.stop)
  const publicClient = createPublicClient({ transport: http(anvil.url) })
  t.equal(await findDeployedContracts(publicClient, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'), undefined)
})

t.test('the deployed contracts refer to each other, and a wrong init code hash is rejected', async (t) => {
  const chain = await startTestChain(t)
  const router = { address: chain.uniswapRouter, abi: uniswapV2Router02Abi }
  t.equal(
    (await chain.publicClient.readContract({ ...router, functionName: 'factory' })).toLowerCase(),
    chain.uniswapFactory,
  )
  t.equal((await chain.publicClient.readContract({ ...router, functionName: 'WETH' })).toLowerCase(), chain.weth)
  t.equal((await chain.pad.read.weth()).toLowerCase(), chain.weth)
  const pairs = { address: chain.uniswapFactory, abi: uniswapV2FactoryAbi, functionName: 'allPairsLength' } as const
  t.equal(await chain.publicClient.readContract(pairs), 1n, 'the probe')
  const { accounts, weth, uniswapFactory } = chain
  const create = (wrapped: Address, factory: Address) => {
    const args = [accounts[0], accounts[0], wrapped, factory, `0x${'11'.repeat(32)}`, 0n] as const
    const data = encodeDeployData({ abi: launchpadAbi, bytecode: launchpadArtifact.bytecode as Hex, args })
    return chain.publicClient.call({ account: accounts[0], data }).catch(String)
  }
  t.match(await create(weth, uniswapFactory), toFunctionSelector('PairInitCodeHashMismatch()'))
  for (const failure of [await create(accounts[1], uniswapFactory), await create(weth, accounts[1])])
    t.match(failure, `${toFunctionSelector('NotAContract(address)')}: ${pad(accounts[1]).slice(2).toLowerCase()}`)
})

t.test('a pair created in advance for the launchpad does not block its deployment', async (t) => {
  const chain = await startTestChain(t)
  const { accounts, weth, uniswapFactory, publicClient, walletClient } = chain
  const nonce = await publicClient.getTransactionCount({ address: accounts[0] })
  const future = getContractAddress({ from: accounts[0], nonce: BigInt(nonce + 1) })
  await chain.mine(chain.factory.write.createPair([future, weth], { account: accounts[0] }))
  const encode = (hash: Hex) =>
    encodeDeployData({
      abi: launchpadAbi,
      bytecode: launchpadArtifact.bytecode as Hex,
      args: [accounts[0], accounts[0], weth, uniswapFactory, hash, 0n],
    })
  await t.rejects(publicClient.call({ account: accounts[0], data: encode(`0x${'11'.repeat(32)}`) }), /PAIR_EXISTS/)
  const hash = await chain.pad.read.pairInitCodeHash()
  const { contractAddress } = await chain.mine(walletClient.sendTransaction({ data: encode(hash) }))
  t.equal(contractAddress?.toLowerCase(), future.toLowerCase())
})

const onWindows = { skip: process.platform === 'win32' && 'no POSIX shell' }
t.test(
  'anvil exits with its parent process, even a killed one, saves its state and leaves no files',
  onWindows,
  async (t) => {
    const script = `
    import { startAnvil } from ${JSON.stringify(new URL('../../dev/anvil.ts', import.meta.url).href)}
    console.log((await startAnvil({ statePath: process.argv[2] })).url)
    if (process.argv[1] === 'stay') setInterval(() => {}, 1000)`
    for (const mode of ['stay', 'leave']) {
      const statePath = join(folder, `${mode}.json`)
      const env = { ...process.env, TMPDIR: folder, NODE_OPTIONS: '' }
      const args = ['--input-type=module-typescript', '-e', script, mode, statePath]
      const parent = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
      const exited = once(parent, 'exit')
      const [url] = (await once(createInterface(parent.stdout), 'line')) as [string]
      if (mode === 'stay') {
        t.ok(await answers(url))
        parent.kill('SIGKILL')
      }
      t.strictSame(await exited, mode === 'stay' ? [null, 'SIGKILL'] : [0, null])
      t.ok(await waitUntil(async () => !(await answers(url))), `${mode}: anvil is gone`)
      t.ok(await waitUntil(() => existsSync(statePath)), `${mode}: its state is saved`)
      const leftOver = () => readdirSync(folder).filter((name) => name.startsWith('slipway-anvil-'))
      t.ok(await waitUntil(() => leftOver().length === 0), `${mode}: its files are gone`)
    }
  },
)
