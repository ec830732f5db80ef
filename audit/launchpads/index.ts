import type { AuditedLaunchpad } from './audited-launchpad.ts'
import { clankerV4, clankerV31 } from './clanker.ts'
import { flap } from './flap.ts'
import { fourMeme } from './four-meme.ts'
import { nadFun } from './nad-fun.ts'
import { slipway } from './slipway.ts'

/** The oracles, by the kind of the contract in DEPLOYMENTS. */
export const auditedLaunchpads: Readonly<Record<string, AuditedLaunchpad>> = {
  launchpad: slipway,
  'nad-fun': nadFun,
  'clanker-v31': clankerV31,
  'four-meme': fourMeme,
  flap,
  'clanker-v4': clankerV4,
}
