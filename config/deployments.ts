import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { launchpadKinds } from '../launchpads/kinds.ts'
import { text } from './variables.ts'

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

const readDeployments = (raw: string): Deployment[] =>
  Value.Decode(Deployments, JSON.parse(raw)).map((item) => ({
    ...item,
    address: item.address.toLowerCase() as `0x${string}`,
  }))

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
