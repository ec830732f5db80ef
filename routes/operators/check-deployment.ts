import { findKindProblem, hasCodeAt } from '../../chain/prove-contract.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import type { Deployment } from '../../config/config.ts'
import { AppError, define, defineReasons } from '../../errors.ts'
import { findByDeployment, launchpadContracts, launchpads } from '../../launchpads/index.ts'

export const deploymentReasons = defineReasons({
  DEPLOYMENT_INVALID: define(422, (d: { problem: string }) => `This contract ${d.problem}`, {
    problem: 'has no code on this chain',
  }),
})

const invalid = (problem: string) => new AppError(deploymentReasons.DEPLOYMENT_INVALID, { problem })

/** The contracts whose events name the pools of tokens, by the launchpads that need them. */
const companionKinds: readonly string[] = launchpads.flatMap(({ needs }) => needs ?? [])
/** Contracts that quote and carry out trades. They have no part in what is indexed. */
const tradingKinds: ReadonlySet<string> = new Set([
  'uniswap-router',
  ...launchpads.flatMap(({ venue: { trades } }) => (trades ? [trades.router, trades.quoter] : [])),
])
/** The kinds that can be added while the service runs. Others have a part in what is indexed already. */
const addableKinds: readonly string[] = [...Object.keys(launchpadContracts), ...companionKinds, ...tradingKinds]

/** Whether events of a contract of the kind are indexed. */
export const isIndexed = (kind: string): boolean => !tradingKinds.has(kind)

/** Throws DEPLOYMENT_INVALID. */
export function readKind(kind: string): Deployment['kind'] {
  if (!addableKinds.includes(kind))
    throw invalid(`cannot be added as ${kind}: its kind must be one of ${addableKinds.join(', ')}`)
  return kind as Deployment['kind']
}

export interface Surroundings {
  /** The contracts that the service follows. */
  followed: readonly Deployment[]
  /** The native coin as an ERC-20; null before the first block. */
  wrappedNative: string | null
  /** Whether a launchpad has created it. */
  isCreated: boolean
}

/**
 * Throws DEPLOYMENT_INVALID unless the contract exists since its start block or later, is of its kind, and belongs to the others.
 * Rejects if no node answers.
 */
export async function requireDeployable(chain: Chain, added: Deployment, surroundings: Surroundings): Promise<void> {
  if (surroundings.isCreated) throw invalid('is a token or a pool of one, which a launchpad has created')
  requireCompanions(added, surroundings.followed)
  const { address, startBlock } = added
  await chain.startBudget().run(async () => {
    const head = await chain.getHeader('latest')
    if (head && startBlock > head.number)
      throw invalid(`cannot start at block ${startBlock}: the newest block is ${head.number}`)
    const problem = await findKindProblem(chain.client, added, launchpadContracts)
    if (problem !== null) throw invalid(problem)
    if (startBlock > 0 && (await hasCodeAt(chain.client, address, startBlock - 1)) === true)
      throw invalid(`exists since before block ${startBlock}: start at the block of its creation`)
    await requireSameDeployment(chain, added, surroundings)
  })
}

/** The contract whose events name the pools of a launchpad must be there first, once: with another one, former launches would mean something else. */
function requireCompanions({ kind }: Deployment, followed: readonly Deployment[]): void {
  const has = (wanted: string) => followed.some((one) => one.kind === wanted)
  const needs = findByDeployment(kind)?.needs
  if (needs !== undefined && !has(needs))
    throw invalid(`needs a ${needs}, whose events name the pools of its tokens: add it`)
  if (companionKinds.includes(kind) && has(kind))
    throw invalid(`cannot be added, because another ${kind} is followed: name it in DEPLOYMENTS`)
}

/** Launchpads name their wrapped coin and factory. */
async function requireSameDeployment(
  { client }: Chain,
  { kind, address }: Deployment,
  { followed, wrappedNative }: Surroundings,
): Promise<void> {
  const { abi, uses } = findByDeployment(kind)?.contract ?? { abi: [], uses: {} }
  for (const [used, functionName] of Object.entries(uses)) {
    const named = String(await client.readContract({ address, abi, functionName })).toLowerCase()
    const expected = followed.flatMap((one) => (one.kind === used ? [one.address as string] : []))
    if (used === 'wrapped-native' && wrappedNative !== null) expected.push(wrappedNative)
    if (expected.length > 0 && !expected.includes(named)) throw invalid(`uses the ${used} ${named}, not ${expected[0]}`)
  }
}
