import type { Static } from '@sinclair/typebox'
import { zeroAddress } from 'viem'
import { toPercent } from '../chain/price.ts'
import type { CustodyRole, HolderRow } from '../db/queries/holders.ts'
import type { LaunchRow } from '../db/queries/launches.ts'
import type { Holder } from '../schemas/holders.ts'
import { toIso } from './format.ts'

/** Burn addresses: no private key is known for either. */
const burnAddresses: readonly string[] = [zeroAddress, '0x000000000000000000000000000000000000dead']

interface HolderContext {
  /** The token, whose supply and addresses a row is compared with. */
  launch: LaunchRow
  /** Contracts of the platform that keep tokens of many wallets. */
  custody: ReadonlyMap<string, CustodyRole>
}

/** A holder of a token as the API serves it. */
export const toHolder = (row: HolderRow, { launch, custody }: HolderContext): Static<typeof Holder> => ({
  address: row.wallet,
  balance: row.balance,
  pct: toPercent(BigInt(row.balance), BigInt(launch.total_supply)),
  label: labelOf(row.wallet, launch) ?? custody.get(row.wallet) ?? null,
  firstSeenAt: toIso(row.first_seen_at),
  lastActiveAt: toIso(row.last_trade_at ?? row.first_seen_at),
})

function labelOf(
  wallet: string,
  { launchpad, pool, pool_manager: manager, creator }: LaunchRow,
): Static<typeof Holder>['label'] {
  if (burnAddresses.includes(wallet)) return 'burn'
  if (wallet === launchpad) return 'curve'
  if (wallet === (manager ?? pool)) return 'pool'
  return wallet === creator ? 'creator' : null
}
