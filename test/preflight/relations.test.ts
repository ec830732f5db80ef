import t from 'tap'
import type { Address } from 'viem'
import { createWalletClient, numberToHex } from 'viem'
import { DEMO_CHAIN } from '../../chain/demo-accounts.ts'
import type { Deployment } from '../../config/config.ts'
import { raiseRules } from '../../contracts/deploy/creations.ts'
import { type DeployedContracts, deployContracts } from '../../dev/deploy.ts'
import { launchpads } from '../../launchpads/index.ts'
import { launchpadKinds } from '../../launchpads/kinds.ts'
import { checkDeployments } from '../../preflight/check-deployments.ts'
import { describe } from '../../preflight/finding.ts'
import { account, startChain } from '../acceptance/support/chain.ts'
import { miningOnRequest } from '../support/chain-fixture.ts'
import { httpWithGasMargin } from '../support/gas-margin.ts'
import { toData } from '../support/hostile/logs.ts'
import { failure, on, result, startHostileNode } from '../support/hostile/node.ts'
import { deployUniswapV4 } from '../support/launchpads/uniswap-v4.ts'
import { deployV3Periphery } from '../support/launchpads/v3-periphery.ts'
import { deployVenue } from '../support/launchpads/venue.ts'

const chain = await startChain(t)
const { contracts: own } = chain
const transport = httpWithGasMargin(chain.url)
/** The same contracts again, which know nothing of the first, with the rules of npm run deploy. */
const other: DeployedContracts = await deployContracts(
  { publicClient: chain.client, walletClient: createWalletClient({ account: account(1), transport }) },
  { raiseRules },
)

const listOf = (contracts: DeployedContracts): Deployment[] => {
  const startBlock = Number(contracts.startBlock)
  return (
    [
      ['launchpad', contracts.launchpad],
      ['wrapped-native', contracts.weth],
      ['uniswap-factory', contracts.uniswapFactory],
      ['uniswap-router', contracts.uniswapRouter],
      ['fee-splitter', contracts.feeSplitter],
      ['price-feed', contracts.priceFeed],
    ] as const
  ).map(([kind, address]) => ({ kind, address, startBlock }))
}
const check = async (deployments: readonly Deployment[]) => {
  const findings = await checkDeployments({ rpcUrls: [chain.url], chainId: 31_337, deployments: [...deployments] })
  return findings.filter(({ level }) => level === 'fail').map(({ message }) => message)
}
const [owned, others] = [listOf(own), listOf(other)]
const replaced = (kind: Deployment['kind']) =>
  owned.map((one) => (one.kind === kind ? (others.find((another) => another.kind === kind) ?? one) : one))

t.test('raises that decide within hours are reported on any chain but that of the demo', async (t) => {
  const node = await startHostileNode(t, chain.url)
  const warnings = async (contracts: DeployedContracts, chainId: number) => {
    node.follow(on('eth_chainId', () => result(numberToHex(chainId))))
    const raises: Deployment = { kind: 'raises', address: contracts.raises, startBlock: 0 }
    return (await checkDeployments({ rpcUrls: [node.url], chainId, deployments: [raises] }))
      .filter(({ level }) => level === 'warn')
      .map(describe)
  }
  t.match(await warnings(own, 1), [
    /^WARN {2}DEPLOYMENTS: raises 0x\w+ has rules of the demonstration: minVotingDelay 0 s, minVotingPeriod 3600 s, exitWindow 3600 s\./,
  ])
  t.strictSame(await warnings(own, DEMO_CHAIN), [])
  t.strictSame(await warnings(other, 1), [], 'those of npm run deploy')
})

t.test('a price feed needs a positive price and 8 decimals, a wrapped native coin 18 decimals', async (t) => {
  const node = await startHostileNode(t, chain.url)
  /** What is found of a contract whose function, by its selector, returns these words. */
  const find = async (kind: 'price-feed' | 'wrapped-native', selector: string, ...words: bigint[]) => {
    node.follow(
      on('eth_call', ({ params: [call] }) =>
        (call as { data: string }).data === selector
          ? result(toData(...words.map((word) => BigInt.asUintN(256, word))))
          : undefined,
      ),
    )
    const deployment = owned.find((one) => one.kind === kind)!
    const findings = await checkDeployments({ rpcUrls: [node.url], chainId: 31_337, deployments: [deployment] })
    return findings.filter(({ level }) => level === 'fail').map(({ message }) => message.split(/0x\w+ /)[1])
  }
  const [decimals, latestRoundData] = ['0x313ce567', '0xfeaf968c']
  const answer = (price: bigint) => find('price-feed', latestRoundData, 1n, price, 1n, 1n, 1n)
  t.same(await answer(1n), [])
  t.same(await answer(0n), ['has no price: its latest answer is 0'])
  t.same(await answer(-1n), ['has no price: its latest answer is -1'])
  t.same(await find('price-feed', decimals, 8n), [])
  t.same(await find('price-feed', decimals, 18n), ['has 18 decimals; feeds in US dollars have 8'])
  t.same(await find('wrapped-native', decimals, 18n), [])
  t.same(await find('wrapped-native', decimals, 8n), ['has 8 decimals; a wrapped native coin has 18'])
})

t.test('a node that fails says nothing about a wrapped native coin', async (t) => {
  const node = await startHostileNode(t, chain.url)
  const deposit = '0xd0e30db0'
  node.follow(
    on('eth_call', ({ params: [call] }) =>
      (call as { data: string }).data === deposit ? failure(-32_005, 'limit exceeded') : undefined,
    ),
  )
  const deployments = owned.filter(({ kind }) => kind === 'wrapped-native')
  const findings = await checkDeployments({ rpcUrls: [node.url], chainId: 31_337, deployments })
  t.match(findings.map(describe), [/^WARN {2}DEPLOYMENTS: not checked: /])
})

t.test('contracts of one deployment are accepted together', async (t) => {
  t.strictSame(await check(owned), [])
  t.strictSame(await check(others), [])
  t.strictSame(await check([...owned, ...others]), [], 'two whole deployments beside each other, too')
})

/** A contract of another deployment, and what names another one then. */
const cases: [kind: Deployment['kind'], subject: string, uses: string, expected: Address, instead: Address][] = [
  ['wrapped-native', `launchpad ${own.launchpad}`, 'wrapped-native', own.weth, other.weth],
  ['uniswap-factory', `launchpad ${own.launchpad}`, 'uniswap-factory', own.uniswapFactory, other.uniswapFactory],
  [
    'uniswap-factory',
    `uniswap-router ${own.uniswapRouter}`,
    'uniswap-factory',
    own.uniswapFactory,
    other.uniswapFactory,
  ],
  [
    'uniswap-router',
    `uniswap-router ${other.uniswapRouter}`,
    'uniswap-factory',
    other.uniswapFactory,
    own.uniswapFactory,
  ],
  ['launchpad', `fee-splitter ${own.feeSplitter}`, 'launchpad', own.launchpad, other.launchpad],
  ['fee-splitter', `fee-splitter ${other.feeSplitter}`, 'launchpad', other.launchpad, own.launchpad],
]

for (const [kind, subject, uses, expected, instead] of cases) {
  t.test(`a ${kind} of another deployment is reported at the ${subject.split(' ')[0]} that uses its own`, async (t) => {
    const failures = await check(replaced(kind))
    const line = `${subject} uses the ${uses} ${expected}, not ${instead}`
    t.ok(failures.includes(line), line, { failures })
    const without = await check(replaced(kind).filter((one) => one.kind !== uses))
    t.notOk(
      without.some((found) => found.startsWith(`${subject} uses the ${uses}`)),
      'without one there is nothing to compare',
    )
  })
}

t.test('a launchpad that does not name its wrapped coin, or the factory of its pools, needs it named', async (t) => {
  const startBlock = Number(own.startBlock)
  const others: Deployment[] = [{ kind: 'nad-fun', address: own.launchpad, startBlock }]
  t.same(await check(others), ['no wrapped-native is named'])
  t.same(await check([...others, { kind: 'wrapped-native', address: own.weth, startBlock }]), [])
  const clanker: Deployment[] = [
    { kind: 'clanker-v31', address: own.launchpad, startBlock },
    { kind: 'wrapped-native', address: own.weth, startBlock },
  ]
  t.same(await check(clanker), ['no uniswap-v3-factory is named'])
  t.same(await check([...clanker, { kind: 'uniswap-v3-factory', address: own.uniswapFactory, startBlock }]), [])
  const flap: Deployment[] = [{ kind: 'flap', address: own.launchpad, startBlock }]
  t.same(await check(flap), ['no wrapped-native is named'])
  t.same(await check([...flap, { kind: 'wrapped-native', address: own.weth, startBlock }]), [])
  const fourMeme: Deployment[] = [
    { kind: 'four-meme', address: own.launchpad, startBlock },
    { kind: 'wrapped-native', address: own.weth, startBlock },
  ]
  t.same(await check(fourMeme), ['no uniswap-v2-factory is named'])
  t.same(await check([...fourMeme, { kind: 'uniswap-v2-factory', address: own.uniswapFactory, startBlock }]), [])
  const wrong = await check([...fourMeme, { kind: 'uniswap-v2-factory', address: own.weth, startBlock }])
  t.match(wrong, [/does not answer allPairsLength/])
})

t.test('the contract that each launchpad needs is missed, with the reason', async (t) => {
  const startBlock = Number(own.startBlock)
  const wrapped: Deployment = { kind: 'wrapped-native', address: own.weth, startBlock }
  const remedies: Record<string, string> = {}
  for (const { kind, needs } of launchpads.filter(({ needs }) => needs !== undefined)) {
    const deployment: Deployment = { kind: launchpadKinds[kind].deployment, address: own.launchpad, startBlock }
    const findings = await checkDeployments({
      ...{ rpcUrls: [chain.url], chainId: 31_337, deployments: [deployment, wrapped] },
    })
    const [missing, ...others] = findings.filter(({ level }) => level === 'fail')
    t.same([missing?.message, others], [`no ${needs} is named`, []])
    remedies[kind] = String(missing?.remedy)
  }
  t.same(remedies, {
    'clanker-v31':
      'Add it: Clanker v3.1 does not name the pools of its tokens. See "Contracts that a launchpad needs" in docs/launchpads.md',
    'four-meme':
      'Add it: four.meme does not name the pools of its tokens. See "Contracts that a launchpad needs" in docs/launchpads.md',
    'clanker-v4':
      'Add it: the pools of Clanker v4 are in it. See "Contracts that a launchpad needs" in docs/launchpads.md',
  })
})

t.test('a feed is missed for every launchpad, a router for those whose trades are quoted by it', async (t) => {
  const missed = async (deployments: Deployment[]) => {
    const findings = await checkDeployments({ rpcUrls: [chain.url], chainId: 31_337, deployments })
    return findings.filter(({ level }) => level === 'warn').map(({ message }) => message)
  }
  const without = (...kinds: Deployment['kind'][]) => owned.filter(({ kind }) => !kinds.includes(kind))
  t.same(await missed(owned), [])
  t.same(await missed(without('price-feed', 'uniswap-router')), [
    'no uniswap-router is named',
    'no price-feed is named',
  ])
  const startBlock = Number(own.startBlock)
  const foreign: Deployment[] = [{ kind: 'nad-fun', address: own.launchpad, startBlock }]
  t.same(await missed([...foreign, { kind: 'wrapped-native', address: own.weth, startBlock }]), [
    'no price-feed is named',
  ])
})

t.test('the pools of Clanker v4 need the one manager of the chain, which answers as one', async (t) => {
  const startBlock = Number(own.startBlock)
  const weth = own.weth as Address
  const { poolManager } = await miningOnRequest(chain.url, (host) => deployUniswapV4(host, weth))
  const clanker: Deployment[] = [
    { kind: 'clanker-v4', address: own.launchpad, startBlock },
    { kind: 'wrapped-native', address: own.weth, startBlock },
  ]
  const manager = (address: Address): Deployment => ({ kind: 'uniswap-v4-pool-manager', address, startBlock })
  t.same(await check(clanker), ['no uniswap-v4-pool-manager is named'])
  t.same(await check([...clanker, manager(poolManager)]), [])
  t.same(await check([...clanker, manager(poolManager), manager(poolManager)]), [
    'more than one uniswap-v4-pool-manager is named',
  ])
  t.same(await check([...clanker, manager(own.weth as Address)]), [
    `uniswap-v4-pool-manager ${own.weth} does not answer protocolFeeController(), so it is not of kind uniswap-v4-pool-manager`,
  ])
})

t.test('routers and quoters of other launchpads are of the factory of the pools, and of their kind', async (t) => {
  const startBlock = Number(own.startBlock)
  const deployBoth = () =>
    miningOnRequest(chain.url, async (host) => {
      const venue = await deployVenue(host)
      return { venue, periphery: await deployV3Periphery(host, venue) }
    })
  const { venue, periphery } = await deployBoth()
  const { venue: another, periphery: foreign } = await deployBoth()
  const { router, quoter } = periphery
  const named = (kind: Deployment['kind'], address: string): Deployment => ({
    kind,
    address: address as Address,
    startBlock,
  })
  const wrapped = named('wrapped-native', venue.weth)
  const v3 = [wrapped, named('uniswap-v3-factory', venue.factory)]
  const of = (one: string, other: string) => [...v3, named('uniswap-v3-router', one), named('uniswap-v3-quoter', other)]
  const wrongFactory = (subject: string, kind: string, found: string, wanted: string) =>
    `${subject} uses the ${kind} ${found}, not ${wanted}`
  t.strictSame(await check(of(router, quoter)), [])
  const found = [another.factory, venue.factory] as const
  t.strictSame(await check(of(foreign.router, quoter)), [
    wrongFactory(`uniswap-v3-router ${foreign.router}`, 'uniswap-v3-factory', ...found),
  ])
  t.strictSame(await check(of(router, foreign.quoter)), [
    wrongFactory(`uniswap-v3-quoter ${foreign.quoter}`, 'uniswap-v3-factory', ...found),
  ])
  t.strictSame(await check(of(quoter, quoter)), [
    `uniswap-v3-router ${quoter} does not answer factoryV2(), positionManager(), so it is not of kind uniswap-v3-router`,
  ])
  const v2 = [wrapped, named('uniswap-v2-factory', own.uniswapFactory)]
  t.strictSame(await check([...v2, named('uniswap-v2-router', own.uniswapRouter)]), [])
  t.strictSame(await check([...v2, named('uniswap-v2-router', other.uniswapRouter)]), [
    wrongFactory(
      `uniswap-v2-router ${other.uniswapRouter}`,
      'uniswap-v2-factory',
      other.uniswapFactory,
      own.uniswapFactory,
    ),
  ])
  const findings = await checkDeployments({
    ...{ rpcUrls: [chain.url], chainId: 31_337, deployments: [...v3, named('uniswap-v3-router', router)] },
  })
  t.ok(findings.some(({ level, message }) => level === 'warn' && /only one of uniswap-v3-router/.test(message)))
})
