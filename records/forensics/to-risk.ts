import type { Static } from '@sinclair/typebox'
import { toPercent } from '../../chain/price.ts'
import type { Flag, LaunchForensics, LaunchWallet } from '../../db/queries/forensics/read-launch.ts'
import type { Risk, WalletGroup } from '../../schemas/forensics.ts'

/** The launch of a token as the API serves it with the token. */
export function toRisk({ token, wallets }: LaunchForensics): {
  risk: Static<typeof Risk>
  suspicious: Static<typeof WalletGroup>
} {
  const supply = BigInt(token.total_supply)
  const all = [...wallets.values()]
  const having = (...flags: Flag[]) => all.filter((wallet) => flags.some((flag) => wallet.flags.has(flag)))
  const group = (some: readonly LaunchWallet[]) => ({
    count: some.length,
    pct: toPercent(
      some.reduce((sum, { balance }) => sum + balance, 0n),
      supply,
    ),
  })
  return {
    risk: {
      snipers: group(having('sniper')),
      bundlers: group(having('bundler')),
      insiders: group(having('insider')),
      freshWallets: group(having('fresh')),
      washTradePct: toPercent(BigInt(token.wash_volume), BigInt(token.volume_total)),
      creatorSoldPct: toPercent(BigInt(token.creator_sent), supply),
    },
    suspicious: group(having('sniper', 'bundler', 'insider')),
  }
}
