// Compiles the contracts and writes what the rest of the project reads of them:
//   contracts/artifacts/<Name>.json     ABI and creation bytecode, ours and the published Uniswap, PancakeSwap and WETH9 builds
//   chain/abi/<kebab-name>.ts           typed ABIs for the service
//   contracts/artifacts/abi/<...>.ts    typed ABIs of the contracts that only tests and the deployment use
// All of it is checked in, so that neither the service nor the development chain needs a compiler.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keccak256 } from 'viem'
import { flag } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'
import { readSource, compilerSettings as settings } from './standard-input.ts'

type AbiParameter = { name?: string; type: string; indexed?: boolean; components?: AbiParameter[] }
type AbiItem = {
  type: string
  name?: string
  inputs?: AbiParameter[]
  outputs?: AbiParameter[]
  stateMutability?: string
  anonymous?: boolean
}
type Build = { source: string; license?: string; abi: AbiItem[]; bytecode: string }
type SolcOutput = {
  errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[]
  contracts?: Record<string, Record<string, { abi: AbiItem[]; evm: { bytecode: { object: string } } }>>
}
type Solc = {
  compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)
const generatedFolders = ['contracts/artifacts', 'contracts/artifacts/abi', 'chain/abi']

const erc20Source = '@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol'
/** A contract of OpenZeppelin that is compiled here. */
const timelockSource = '@openzeppelin/contracts/governance/TimelockController.sol'
const published = {
  UniswapV2Factory: '@uniswap/v2-core/build/UniswapV2Factory.json',
  UniswapV2Pair: '@uniswap/v2-core/build/UniswapV2Pair.json',
  UniswapV2Router02: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  WETH9: '@uniswap/v2-periphery/build/WETH9.json',
  UniswapV3Factory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  UniswapV3Pool: '@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json',
  PancakeV3Pool: '@pancakeswap/v3-core/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json',
  SwapRouter02: '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
  QuoterV2: '@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
}
/** The package still names the licence that ended on its change date, 2023-04-01. */
const currentLicenses: Record<string, string> = { '@uniswap/v3-core': 'GPL-2.0-or-later' }

/** Typed ABI modules: file name without extension -> [export, contract]. */
const serviceAbis: Record<string, [string, string]> = {
  launchpad: ['launchpadAbi', 'Launchpad'],
  'launch-token': ['launchTokenAbi', 'LaunchToken'],
  'price-feed': ['priceFeedAbi', 'DevPriceFeed'],
  'fee-staking': ['feeStakingAbi', 'FeeStaking'],
  'fee-splitter': ['feeSplitterAbi', 'FeeSplitter'],
  raises: ['raisesAbi', 'Raises'],
  erc20: ['erc20Abi', 'IERC20Metadata'],
  'uniswap-v2-factory': ['uniswapV2FactoryAbi', 'UniswapV2Factory'],
  'uniswap-v2-pair': ['uniswapV2PairAbi', 'UniswapV2Pair'],
  'uniswap-v2-router02': ['uniswapV2Router02Abi', 'UniswapV2Router02'],
  weth9: ['weth9Abi', 'WETH9'],
}
const testAbis: Record<string, [string, string]> = {
  'smart-account': ['smartAccountAbi', 'SmartAccount'],
  'smart-account-factory': ['smartAccountFactoryAbi', 'SmartAccountFactory'],
  'approval-account': ['approvalAccountAbi', 'ApprovalAccount'],
  batcher: ['batcherAbi', 'Batcher'],
  reenterer: ['reentererAbi', 'Reenterer'],
  'test-token': ['testTokenAbi', 'TestToken'],
  'log-emitter': ['logEmitterAbi', 'LogEmitter'],
  'pair-trader': ['pairTraderAbi', 'PairTrader'],
  'uniswap-v3-factory': ['uniswapV3FactoryAbi', 'UniswapV3Factory'],
  'uniswap-v3-pool': ['uniswapV3PoolAbi', 'UniswapV3Pool'],
  'v3-trader': ['v3TraderAbi', 'V3Trader'],
  'nad-fun-curve': ['nadFunCurveAbi', 'NadFunCurve'],
  'clanker-v31': ['clankerV31Abi', 'ClankerV31'],
  'four-meme': ['fourMemeAbi', 'FourMeme'],
  'flap-portal': ['flapPortalAbi', 'FlapPortal'],
  'pancake-v3-deployer': ['pancakeV3DeployerAbi', 'PancakeV3Deployer'],
  'clanker-v4': ['clankerV4Abi', 'ClankerV4'],
  'v4-trader': ['v4TraderAbi', 'V4Trader'],
  'v4-fee-hook': ['v4FeeHookAbi', 'V4FeeHook'],
  'quote-token': ['quoteTokenAbi', 'QuoteToken'],
  'quoted-launchpad': ['quotedLaunchpadAbi', 'QuotedLaunchpad'],
  'hostile-token': ['hostileTokenAbi', 'HostileToken'],
  prober: ['proberAbi', 'Prober'],
  'feed-proxy': ['feedProxyAbi', 'FeedProxy'],
  'timelock-controller': ['timelockControllerAbi', 'TimelockController'],
}

function compileSources(): Map<string, Build> {
  const paths = (readdirSync(join(root, 'contracts/src'), { recursive: true }) as string[])
    .filter((path) => path.endsWith('.sol'))
    .map((path) => `contracts/src/${path.replaceAll('\\', '/')}`)
    .sort()
  const sources: Record<string, { content: string }> = {}
  for (const path of [...paths, erc20Source, timelockSource]) sources[path] = { content: readSource(path) }

  const solc = require('solc') as Solc
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const output = JSON.parse(solc.compile(input, { import: readImport })) as SolcOutput
  for (const problem of output.errors ?? []) {
    const ours = problem.sourceLocation?.file.startsWith('contracts/') ?? true
    if (ours || problem.severity === 'error') console.error(problem.formattedMessage)
  }
  if (output.errors?.some((problem) => problem.severity === 'error')) throw new Error('The contracts do not compile')

  const builds = new Map<string, Build>()
  for (const [source, contracts] of Object.entries(output.contracts ?? {})) {
    if (!(source in sources)) continue
    for (const [name, contract] of Object.entries(contracts)) {
      builds.set(name, { source, abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` })
    }
  }
  return builds
}

function readImport(path: string) {
  try {
    return { contents: readSource(path) }
  } catch (error) {
    return { error: String(error) }
  }
}

/** The packages of Uniswap and PancakeSwap publish what was audited and deployed; those exact bytes are used, never a recompilation. */
function readPublishedBuilds(): Map<string, Build> {
  return new Map(
    Object.entries(published).map(([name, path]) => {
      const build = require(path) as { abi: AbiItem[]; bytecode: string }
      const packageName = path.split('/').slice(0, 2).join('/')
      const { version, license } = require(`${packageName}/package.json`) as { version: string; license: string }
      return [
        name,
        {
          source: `${packageName}@${version}`,
          license: currentLicenses[packageName] ?? license,
          abi: build.abi,
          bytecode: `0x${build.bytecode.replace(/^0x/, '')}`,
        },
      ]
    }),
  )
}

function renderFiles(builds: Map<string, Build>): Map<string, string> {
  const files = new Map<string, string>()
  for (const [name, build] of builds) {
    // Interfaces and internal libraries have no code to deploy.
    if (build.bytecode === '0x' || build.abi.every((item) => item.type === 'error')) continue
    const hash = ['UniswapV2Pair', 'UniswapV3Pool'].includes(name)
      ? { initCodeHash: keccak256(build.bytecode as `0x${string}`) }
      : {}
    const { source, license, bytecode } = build
    const artifact = { name, source, license, ...hash, abi: build.abi.map(normalizeItem), bytecode }
    files.set(`contracts/artifacts/${name}.json`, `${JSON.stringify(artifact, null, 2)}\n`)
  }
  for (const [folder, modules] of [
    ['chain/abi', serviceAbis],
    ['contracts/artifacts/abi', testAbis],
  ] as const) {
    for (const [file, [exported, contract]] of Object.entries(modules)) {
      const lines = builds.get(contract)!.abi.map((item) => `  ${JSON.stringify(normalizeItem(item))},\n`)
      const text = `// Generated by contracts/compile.ts: do not edit.\nexport const ${exported} = [\n${lines.join('')}] as const\n`
      files.set(`${folder}/${file}.ts`, text)
    }
  }
  return files
}

/** Keeps the standard fields alone, in one order: old compilers add others. */
function normalizeItem({ type, name, inputs, outputs, stateMutability, anonymous }: AbiItem): AbiItem {
  return {
    type,
    ...(name && { name }),
    ...(inputs && { inputs: inputs.map(normalizeParameter) }),
    ...(outputs && { outputs: outputs.map(normalizeParameter) }),
    ...(stateMutability && { stateMutability }),
    ...(anonymous && { anonymous }),
  }
}

function normalizeParameter({ name, type, indexed, components }: AbiParameter): AbiParameter {
  return {
    name: name ?? '',
    type,
    ...(indexed !== undefined && { indexed }),
    ...(components && { components: components.map(normalizeParameter) }),
  }
}

function listExistingFiles(): string[] {
  return generatedFolders.flatMap((folder) => {
    mkdirSync(join(root, folder), { recursive: true })
    const entries = readdirSync(join(root, folder), { withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => `${folder}/${entry.name}`)
  })
}

function writeFiles(files: Map<string, string>): void {
  for (const path of listExistingFiles()) if (!files.has(path)) rmSync(join(root, path))
  for (const [path, text] of files) writeFileSync(join(root, path), text)
  console.log(`${files.size} files written under ${generatedFolders[0]} and ${generatedFolders[2]}`)
}

/** Returns the exit code. */
function checkFiles(files: Map<string, string>): number {
  const existing = new Set(listExistingFiles())
  const differing = [...files].filter(
    ([path, text]) => !existing.has(path) || readFileSync(join(root, path), 'utf8') !== text,
  )
  const stale = [...existing].filter((path) => !files.has(path))
  for (const [path] of differing) console.error(`${relative('.', join(root, path))}: differs from its source`)
  for (const path of stale) console.error(`${relative('.', join(root, path))}: has no source`)
  if (differing.length + stale.length > 0) {
    console.error('Run: npm run generate:contracts')
    return 1
  }
  console.log(`${files.size} files are up to date`)
  return 0
}

await runCommand({
  command: 'npm run generate:contracts',
  about: 'Compiles contracts/src and writes contracts/artifacts and chain/abi.',
  options: { check: flag('write nothing; exit 1 if a file differs') },
  exitCodes: '0 the files are written or current, 1 a file differs (--check), 2 the contracts do not compile.',
  run: async ({ check }) => {
    const files = renderFiles(new Map([...compileSources(), ...readPublishedBuilds()]))
    if (check) return checkFiles(files)
    writeFiles(files)
    return 0
  },
})
