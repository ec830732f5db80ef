import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { launchpadKinds } from '../launchpads/kinds.ts'
import { InvalidPartsError, text } from './variables.ts'

const deploymentKinds = [
  ...Object.values(launchpadKinds).map(({ deployment }) => deployment),
  'price-feed',
  'wrapped-native',
  'uniswap-factory',
  'uniswap-router',
  'staking',
  'raises',
  'fee-splitter',
  'uniswap-v3-factory',
  'uniswap-v3-router',
  'uniswap-v3-quoter',
  'uniswap-v2-factory',
  'uniswap-v2-router',
  'uniswap-v4-pool-manager',
] as const
const Deployments = Type.Array(
  Type.Object(
    {
      kind: Type.Unsafe<(typeof deploymentKinds)[number]>(Type.String({ pattern: `^(${deploymentKinds.join('|')})$` })),
      address: Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })),
      startBlock: Type.Integer({ minimum: 0 }),
    },
    { additionalProperties: false },
  ),
)
/** A contract to index. Its address is in lower case. */
export type Deployment = Readonly<Static<typeof Deployments>[number]>

const EXPECTED: Readonly<Record<string, string>> = {
  kind: `one of ${deploymentKinds.join(', ')}`,
  address: '0x and 40 hex digits',
  startBlock: 'the block of its creation, an integer',
}

function readDeployments(raw: string): Deployment[] {
  const given: unknown = JSON.parse(raw)
  if (Array.isArray(given)) requireEntries(given)
  const deployments = Value.Decode(Deployments, given).map((item) => ({
    ...item,
    address: item.address.toLowerCase() as `0x${string}`,
  }))
  requireDistinct(deployments)
  return deployments
}

function requireEntries(given: unknown[]): void {
  const lines = new Map<string, string>()
  for (const { path, value } of Value.Errors(Deployments, given)) {
    const [, index, field] = path.split('/')
    const place = field === undefined ? `[${index}]` : `[${index}].${field}`
    const expected = field === undefined ? `an object of ${Object.keys(EXPECTED).join(', ')}` : EXPECTED[field]
    const problem = value === undefined ? 'is missing' : `is ${JSON.stringify(value)}`
    // A missing field has several errors.
    if (!lines.has(place))
      lines.set(
        place,
        `${place} ${expected ? `${problem}; expected ${expected}` : 'is unknown; expected no such field'}`,
      )
  }
  if (lines.size > 0) throw new InvalidPartsError([...lines.values()])
}

/** One exchange contract may serve launchpads of several kinds. */
const isShared = (kind: string) => kind.startsWith('uniswap-')

/** Of two entries for one contract only one would have an effect. */
function requireDistinct(deployments: readonly Deployment[]): void {
  const lines = deployments.flatMap(({ kind, address, startBlock }, index) => {
    const first = deployments.findIndex((other) => {
      if (other.address !== address) return false
      return other.kind === kind ? other.startBlock !== startBlock : !isShared(kind) || !isShared(other.kind)
    })
    if (first === -1 || first > index) return []
    return [`[${index}].address is also that of [${first}], with another kind or startBlock; expected one entry for it`]
  })
  if (lines.length > 0) throw new InvalidPartsError(lines)
}

export const deploymentVariables = {
  DEPLOYMENTS: text(
    {
      description:
        'Contracts to index. Append only: tokens of older contracts stay indexed. Operators add others over the API',
      accepts: `a JSON array of {"kind":"${deploymentKinds.join('|')}","address":"0x...","startBlock":0}`,
    },
    readDeployments,
    '[]',
  ),
}
