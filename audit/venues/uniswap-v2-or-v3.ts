import type { RpcLog } from '../../chain/logs/log.ts'
import type { AuditedVenue } from './audited-venue.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV3 } from './uniswap-v3.ts'

const types = Object.entries({ 'uniswap-v2': uniswapV2, 'uniswap-v3': uniswapV3 })

/** The type of the pool that emits such a log. */
const typeOfPool = ({ topics: [topic] }: RpcLog): string | undefined =>
  types.find(([, { topics }]) => (topics as readonly (string | undefined)[]).includes(topic))?.[0]

/** Pools that may be of either type: each log is one of its type. */
export const uniswapV2OrV3: AuditedVenue = {
  topics: types.flatMap(([, { topics }]) => topics),
  shared: null,
  // No launchpad launches in one.
  firstPrice: () => undefined,
  expect(out, block, { logs, ...pool }) {
    for (const [type, venue] of types)
      venue.expect(out, block, { ...pool, logs: logs.filter((log) => typeOfPool(log) === type) })
  },
}
