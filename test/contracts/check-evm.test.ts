import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { createPublicClient, http, numberToHex } from 'viem'
import { checkEvm } from '../../contracts/deploy/check-evm.ts'
import { contractNames } from '../../contracts/deploy/creations.ts'
import { type AnvilOptions, startAnvil } from '../../dev/anvil.ts'
import { ROOT } from '../sdk/support/package.ts'
import { failure, on, raw, result, startHostileNode } from '../support/hostile/node.ts'

const CHAIN_ID = 3_999_000_001

async function open(t: Test, extraArgs: string[], options: AnvilOptions = {}) {
  const anvil = await startAnvil({ chainId: CHAIN_ID, extraArgs, ...options })
  t.teardown(() => anvil.stop())
  return anvil.url
}

const check = (url: string, chainId = CHAIN_ID) =>
  checkEvm(createPublicClient({ transport: http(url, { retryCount: 0 }), cacheTime: 0 }), chainId, contractNames)

/** npm run deploy with an unknown deployer. */
async function deploy(url: string, env: Record<string, string> = {}) {
  const args = ['scripts/deploy.ts', '--currency', 'TEST', '--from', `0x${'12'.repeat(20)}`, '--folder', '/nowhere']
  const { PATH, HOME, NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH, HOME, NODE_COMPILE_CACHE, RPC_URL: url, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  return { code, output }
}

t.test('an EVM that lacks opcodes of the contracts is rejected with the upgrade it needs', async (t) => {
  const lacks: Record<string, RegExp> = {
    paris:
      /^The EVM of chain \d+ lacks PUSH0 \(Shanghai\), MCOPY \(Cancun\), TSTORE \(Cancun\), which the contracts need/,
    shanghai: /^The EVM of chain \d+ lacks MCOPY \(Cancun\), TSTORE \(Cancun\), .* Use a chain with the Cancun upgrade/,
  }
  for (const [hardfork, message] of Object.entries(lacks)) {
    const url = await open(t, ['--hardfork', hardfork])
    await t.rejects(check(url), { name: 'OptionError', message }, hardfork)
    t.match(await deploy(url), { code: 2, output: message }, `npm run deploy, ${hardfork}`)
  }
  for (const hardfork of ['cancun', 'prague']) {
    const url = await open(t, ['--hardfork', hardfork])
    t.equal(await check(url), undefined, hardfork)
  }
})

t.test('limits of code size and of block gas that are too low are rejected', async (t) => {
  const small = await open(t, ['--code-size-limit', '12000'])
  await t.rejects(check(small), /^Chain \d+ does not take contracts of \d+ bytes of code\. Use a chain/)
  const short = await open(t, ['--gas-limit', '7000000'])
  await t.rejects(check(short), /^The blocks of chain \d+ have 7000000 gas; a contract needs up to \d+\./)
})

t.test('chain ids that differ are rejected with both values', async (t) => {
  const url = await open(t, [])
  const node = await startHostileNode(t, url)
  node.follow(on('eth_chainId', () => result(numberToHex(CHAIN_ID + 1))))
  await t.rejects(
    check(node.url, CHAIN_ID + 1),
    /on chain 3999000002, but contracts there see chain 3999000001, so that/,
  )
  const expected = 'CHAIN_ID is 56, but the node of RPC_URL is on chain 3999000001. Correct one of them\n'
  t.match(await deploy(url, { CHAIN_ID: '56' }), { code: 2, output: expected })
})

t.test('a node failure is not reported as missing opcodes', async (t) => {
  const node = await startHostileNode(t, await open(t, []))
  for (const answer of [raw(403, '{}'), raw(502, '<html>'), failure(-32_005, 'limit exceeded'), { error: 'no' }]) {
    node.follow(on('eth_call', () => answer))
    await t.rejects(check(node.url), /RPC_URL: the node does not run code of contracts that are not there yet/)
  }
})
