import t from 'tap'
import { bytesToHex, numberToHex, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Deployment } from '../../config/config.ts'
import { checkKeeper } from '../../preflight/check-keeper.ts'
import { describe } from '../../preflight/finding.ts'
import { runPreflight } from '../../preflight/run-preflight.ts'
import { account, startChain } from '../acceptance/support/chain.ts'
import { failure, on, result, startHostileNode } from '../support/hostile/node.ts'

const chain = await startChain(t)
const node = await startHostileNode(t, chain.url)
t.afterEach(() => node.follow())
const launchpad: Deployment = { kind: 'launchpad', address: chain.contracts.launchpad, startBlock: 0 }
const key = generatePrivateKey()
const { address } = privateKeyToAccount(key)
const good = { keeperKey: key, rpcUrls: [node.url], chainId: 31_337, deployments: [launchpad] }

const demoKey = bytesToHex(account(3).getHdKey().privateKey!)

const check = async (changes: Partial<Parameters<typeof checkKeeper>[0]> = {}) =>
  (await checkKeeper({ ...good, ...changes })).map(describe)

/** A node on which the account has these coins, and a unit of gas costs a gwei and a half at most. */
const withBalance = (balance: bigint) => [
  on('eth_getBalance', () => result(numberToHex(balance))),
  on('eth_maxPriorityFeePerGas', () => result(numberToHex(300_000_000n))),
  on('eth_getBlockByNumber', () => result({ number: '0x1', timestamp: '0x1', baseFeePerGas: '0x3b9aca00' })),
]

t.test('the account of KEEPER_KEY can pay for a graduation', async (t) => {
  // 3.2 million gas with a margin of a quarter, at 1.2 base fees and the tip.
  const cost = parseEther('0.006')
  node.follow(...withBalance(cost))
  t.strictSame(await check(), [
    `OK    KEEPER_KEY: its account ${address} has 0.006 coins; a graduation costs up to 0.006.`,
  ])
  node.follow(...withBalance(cost - 1n))
  t.match(await check(), [
    /^WARN {2}KEEPER_KEY: its account 0x\w+ has 0\.005999999999999999 coins, and a graduation costs up to 0\.006\. Send it coins/,
  ])
  node.follow(on('eth_getBalance', () => failure(-32_000, 'busy')))
  t.match(await check(), [/^WARN {2}KEEPER_KEY: not checked: .*\. Run this again/])
})

t.test('a public demo key fails on any chain but that of the demo', async (t) => {
  t.match(await check({ keeperKey: demoKey, chainId: 1 }), [/^FAIL {2}KEEPER_KEY: it is a public key of the demo/])
  t.match(await check({ keeperKey: demoKey }), [/^OK {4}KEEPER_KEY: its account/])
})

t.test('nothing is reported without a key, a launchpad or a node of the chain', async (t) => {
  t.strictSame(await check({ keeperKey: null }), [])
  t.strictSame(await check({ deployments: [] }), [])
  t.strictSame(await check({ rpcUrls: [] }), [])
  t.strictSame(await check({ chainId: 1 }), [])
})

t.test('the preflight command includes the check of KEEPER_KEY', async (t) => {
  const findings = await runPreflight({ ...chain.env, KEEPER_KEY: key })
  t.match(findings.filter(({ name }) => name === 'KEEPER_KEY').map(describe), [
    /^WARN .* has 0 coins, and a graduation/,
  ])
})
