import type { TokenRow } from '../db/queries/tokens.ts'
import { type LaunchpadKind, launchpadKinds, ownLaunchpad } from '../launchpads/kinds.ts'

/** The launchpad of a token. */
export const toLaunchpad = (row: { launchpad: string; launchpad_kind: LaunchpadKind }) => ({
  kind: row.launchpad_kind,
  address: row.launchpad,
  name: launchpadKinds[row.launchpad_kind].name,
})

/** The name of a launchpad in the configuration and in statistics: our own contracts carry the brand of the service. */
export const nameLaunchpad = (kind: LaunchpadKind, brand: { name: string }): string =>
  kind === ownLaunchpad ? brand.name : launchpadKinds[kind].name

/** Whether the two amounts whose ratio is the price of a pool are what it holds. Elsewhere only the price is known. */
export const hasReserves = (venue: string): boolean => venue === 'uniswap-v2'

/** Whether the two amounts whose ratio is the price of a curve are its virtual reserves. */
export const hasCurveReserves = (kind: LaunchpadKind): boolean => launchpadKinds[kind].curve === 'reserves'

/** The reserves whose ratio is the price, and the liquidity in the quote asset; null if the pool's logs do not contain it. */
export function readReserves(row: TokenRow): { quote: bigint; token: bigint; liquidity: bigint | null } {
  if (row.status !== 'graduated' || row.pool_quote === null || row.pool_token === null) {
    const liquidity = BigInt(row.real_quote)
    return { quote: BigInt(row.virtual_quote), token: BigInt(row.virtual_token), liquidity }
  }
  const quote = BigInt(row.pool_quote)
  return { quote, token: BigInt(row.pool_token), liquidity: hasReserves(row.venue) ? 2n * quote : null }
}
