import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseEther,
  stringToHex,
  zeroHash,
} from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { timelockControllerAbi as abi } from '../../contracts/artifacts/abi/timelock-controller.ts'
import { waitForReceipt } from '../../contracts/deploy/clients.ts'
import { ROOT } from '../sdk/support/package.ts'
import { startEmptyChain } from './fixtures/empty-chain.ts'

const TWO_DAYS = 172_800
const chain = await startEmptyChain(t)
const { publicClient, existing } = chain
type Account = Awaited<ReturnType<typeof chain.fund>>

/** npm run deploy; with the addresses that it has created, by their names. */
async function deploy({ key }: Account, args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-timelock-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const all = ['--wrapped', existing.weth, '--currency', 'TEST', '--folder', folder, '--yes', ...args]
  const run = async () => {
    const { PATH, HOME, NODE_COMPILE_CACHE = '' } = process.env
    const child = spawn(process.execPath, ['scripts/deploy.ts', ...all], {
      cwd: ROOT,
      env: { PATH, HOME, NODE_COMPILE_CACHE, RPC_URL: chain.url, DEPLOYER_KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const pipe of [child.stdout, child.stderr])
      pipe.on('data', (chunk: Buffer) => {
        output += chunk
      })
    const [code] = await once(child, 'close')
    return { code, output }
  }
  const first = await run()
  const { contracts } = JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')) as {
    contracts: Record<string, { address: Address }>
  }
  const of = (name: string) => contracts[name]?.address as Address
  return { ...first, again: run, of }
}

const ownerOf = async (address: Address) =>
  (await publicClient.readContract({ address, abi: launchpadAbi, functionName: 'owner' })).toLowerCase()
const read = (address: Address) => ({ address, abi }) as const
const hasRole = (timelock: Address, role: string, account: Address) =>
  publicClient.readContract({
    ...read(timelock),
    functionName: 'hasRole',
    args: [role === 'DEFAULT_ADMIN_ROLE' ? zeroHash : keccak256(stringToHex(role)), account],
  })

t.test('a timelock of two days owns the contracts, and only the owner schedules its calls', async (t) => {
  const [deployer, owner, other] = [await chain.fund(), await chain.fund(), await chain.fund()]
  const { code, output, again, of } = await deploy(deployer, ['--owner', owner.address])
  t.equal(code, 0, output)
  const timelock = of('timelock')
  t.match(output, `The timelock ${timelock} owns the contracts: ${owner.address} schedules its calls`)
  t.notMatch(output, /must accept/)
  for (const name of ['launchpad', 'feeStaking', 'feeSplitter']) t.equal(await ownerOf(of(name)), timelock, name)
  t.equal(await publicClient.readContract({ ...read(timelock), functionName: 'getMinDelay' }), BigInt(TWO_DAYS))
  for (const role of ['PROPOSER_ROLE', 'CANCELLER_ROLE']) {
    t.equal(await hasRole(timelock, role, deployer.address), false, `${role}: not the deployer`)
    t.equal(await hasRole(timelock, role, owner.address), true, `${role}: the owner`)
  }
  const sent = await publicClient.getTransactionCount({ address: deployer.address })
  t.equal((await again()).code, 0)
  t.equal(await publicClient.getTransactionCount({ address: deployer.address }), sent, 'it is complete')

  // A change of terms waits for two days.
  const args = [parseEther('3'), 100, 50] as const
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'setDefaults', args })
  const operation = [of('launchpad'), 0n, data, zeroHash, zeroHash] as const
  const send = async ({ account }: Account, call: Hex) => {
    const wallet = createWalletClient({ account, transport: chain.transport })
    const hash = await wallet.sendTransaction({ to: timelock, data: call, gas: 500_000n, chain: null })
    return (await waitForReceipt(publicClient, hash)).status
  }
  const schedule = (delay: number) =>
    encodeFunctionData({ abi, functionName: 'schedule', args: [...operation, BigInt(delay)] })
  const execute = encodeFunctionData({ abi, functionName: 'execute', args: operation })
  t.equal(await send(deployer, schedule(TWO_DAYS)), 'reverted', 'the deployer decides nothing')
  t.equal(await send(owner, schedule(TWO_DAYS - 1)), 'reverted', 'sooner')
  t.equal(await send(owner, schedule(TWO_DAYS)), 'success')
  t.equal(await send(owner, execute), 'reverted', 'not yet')
  await chain.rpc('evm_increaseTime', TWO_DAYS)
  await chain.rpc('evm_mine')
  t.equal(await send(other, execute), 'success', 'anyone executes what is due')
  const launchpad = { address: of('launchpad'), abi: launchpadAbi } as const
  t.equal((await publicClient.readContract({ ...launchpad, functionName: 'defaults' }))[0], parseEther('3'))
})

t.test('a deployer that stays the owner keeps the proposer role of the timelock', async (t) => {
  const deployer = await chain.fund()
  const { code, output, of } = await deploy(deployer, ['--timelock-seconds', '3600', '--staking-token', 'none'])
  t.equal(code, 0, output)
  const timelock = of('timelock')
  t.equal(await ownerOf(of('launchpad')), timelock)
  t.equal(await publicClient.readContract({ ...read(timelock), functionName: 'getMinDelay' }), 3_600n)
  t.equal(await hasRole(timelock, 'PROPOSER_ROLE', deployer.address), true)
  t.equal(await hasRole(timelock, 'DEFAULT_ADMIN_ROLE', deployer.address), false)
  t.equal(await hasRole(timelock, 'DEFAULT_ADMIN_ROLE', timelock), true, 'it manages its own roles')
})
