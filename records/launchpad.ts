import { type LaunchpadKind, launchpadNames } from '../launchpads/kinds.ts'

/** The launchpad of a token. */
export const toLaunchpad = (row: { launchpad: string; launchpad_kind: LaunchpadKind }) => ({
  kind: row.launchpad_kind,
  address: row.launchpad,
  name: launchpadNames[row.launchpad_kind],
})

/** Whether the two amounts whose ratio is the price of a pool are what it holds. Elsewhere only the price is known. */
export const hasReserves = (venue: string): boolean => venue === 'uniswap-v2'
