import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Address } from 'viem'
import type { Deployment } from '../../config/config.ts'
import { buildStandardInput } from '../standard-input.ts'
import type { CreationRecords } from './create-contracts.ts'
import { type Addresses, artifactNames, type ContractName, creationCodeLength } from './creations.ts'
import { writeDurably } from './state-file.ts'
import type { Verification } from './verify-source.ts'

/** The service needs no timelock. */
const kinds: Readonly<Record<Exclude<ContractName, 'timelock'>, Deployment['kind']>> = {
  launchpad: 'launchpad',
  priceFeed: 'price-feed',
  weth: 'wrapped-native',
  uniswapFactory: 'uniswap-factory',
  uniswapRouter: 'uniswap-router',
  feeStaking: 'staking',
  raises: 'raises',
  feeSplitter: 'fee-splitter',
}

/** The contracts that are compiled here, with their source; the others are published builds. */
const sources = {
  launchpad: 'contracts/src/Launchpad.sol',
  feeStaking: 'contracts/src/FeeStaking.sol',
  raises: 'contracts/src/Raises.sol',
  feeSplitter: 'contracts/src/FeeSplitter.sol',
  timelock: '@openzeppelin/contracts/governance/TimelockController.sol',
} as const

/** The value of DEPLOYMENTS. Contracts of others are of interest from the launchpad's block on. */
export function listDeployments(addresses: Partial<Addresses>, records: CreationRecords): Deployment[] {
  const first = records.launchpad?.block ?? 0
  return (Object.entries(kinds) as [keyof typeof kinds, Deployment['kind']][]).flatMap(([name, kind]) => {
    const address = addresses[name]
    return address ? [{ kind, address, startBlock: records[name]?.block ?? first }] : []
  })
}

interface Settings {
  chainId: number
  deployments: readonly Deployment[]
  /** "MON:Monad" for a chain that is not a known one. */
  currency: string | undefined
}

/** The variables of the service, as a file for `node --env-file` and Compose. */
export function renderEnvironment({ chainId, deployments, currency }: Settings): string {
  return `# Settings of the service for the contracts on chain ${chainId}. Keep this file secret: it signs sessions.
NODE_ENV=production
CHAIN_ID=${chainId}
${currency === undefined ? '' : `NATIVE_CURRENCY='${currency}'\n`}DEPLOYMENTS='${JSON.stringify(deployments)}'
JWT_KEYS=first:${randomBytes(32).toString('hex')}
# Yours to add; npm run preflight checks them.
#RPC_URL=https://
#DATABASE_URL=postgres://
#REDIS_URL=redis://
#PUBLIC_URL=https://
#TRUST_PROXY=127.0.0.1
#ADMIN_WALLETS=0x
#FINALITY=12
`
}

/** The full version of the installed compiler; undefined without development packages. */
function readCompilerVersion(): string | undefined {
  try {
    const { version } = createRequire(import.meta.url)('solc') as { version(): string }
    return `v${version().replace(/\.Emscripten.*$/, '')}`
  } catch {
    return undefined
  }
}

/** Writes the standard JSON inputs of the contracts that are compiled here. Returns what an explorer needs to verify them. */
export async function writeVerifications(folder: string, records: CreationRecords): Promise<Verification[]> {
  const compilerVersion = readCompilerVersion()
  if (compilerVersion === undefined) return []
  const verifications: Verification[] = []
  for (const [name, source] of Object.entries(sources) as [keyof typeof sources, string][]) {
    const record = records[name]
    if (!record) continue
    const input = JSON.stringify(buildStandardInput(source))
    const contractName = `${source}:${artifactNames[name]}`
    const constructorArguments = record.data.slice(creationCodeLength(name))
    await writeDurably(join(folder, `${artifactNames[name]}.input.json`), `${input}\n`, 0o644)
    verifications.push({
      address: record.address as Address,
      contractName,
      input,
      compilerVersion,
      constructorArguments,
    })
  }
  const table = verifications.map(({ input, ...rest }) => rest)
  await writeDurably(join(folder, 'verification.json'), `${JSON.stringify(table, null, 2)}\n`, 0o644)
  return verifications
}
