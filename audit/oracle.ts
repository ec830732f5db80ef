import { zeroAddress } from 'viem'
import { launchTokenAbi } from '../chain/abi/launch-token.ts'
import type { RpcLog } from '../chain/logs/log.ts'
import type { AuditedContracts } from './audited-contracts.ts'
import {
  type AuditedBlock,
  type AuditedLaunch,
  at,
  decodeByAbi,
  type Expected,
  type Known,
  keyOf,
  lower,
  recordSighting,
} from './expected.ts'
import { auditedLaunchpads } from './launchpads/index.ts'
import { auditedVenues, findVenueSharing } from './venues/index.ts'

/*
 * Computes the expected rows of a block's logs a second time, with viem's decoder and with every rule written again, so
 * that a bug in the indexer is not repeated here.
 */
export function expectBlock(
  out: Expected,
  block: AuditedBlock,
  launchpads: AuditedContracts['launchpads'],
  known: Known,
): void {
  const ofTransactions = Map.groupBy(block.logs, ({ transactionHash }) => transactionHash)
  for (const logs of ofTransactions.values()) {
    for (const log of logs) {
      const kind = launchpads.get(lower(log.address))
      if (kind !== undefined) auditedLaunchpads[kind]?.expect(out, block, log, known, logs)
      else expectTokenLog(out, block, log, known.tokens.get(lower(log.address)))
    }
    const poolOf = (log: RpcLog) => {
      const shared = findVenueSharing(launchpads.get(lower(log.address)))?.[1].shared
      return (shared?.holdsPools && shared.poolOf(log)) || lower(log.address)
    }
    for (const [address, own] of Map.groupBy(logs, poolOf)) {
      const pool = known.pools.get(address)
      if (pool) auditedVenues[pool.venue]?.expect(out, block, { logs: own, pool, all: logs, address })
    }
  }
}

function expectTokenLog(out: Expected, block: AuditedBlock, log: RpcLog, launch: AuditedLaunch | undefined): void {
  if (!launch) return
  const event = decodeByAbi(launchTokenAbi, log)
  const token = lower(log.address)
  if (event?.eventName === 'ContractURIUpdated')
    out.actions.set(keyOf(block, log), {
      ...at(block, log),
      ...{ type: 'update_metadata', wallet: launch.creator, subject: token },
    })
  if (event?.eventName !== 'Transfer') return
  for (const wallet of [lower(event.args.from), lower(event.args.to)]) {
    if (wallet !== zeroAddress || wallet === lower(event.args.to)) recordSighting(out, block, token, wallet)
  }
}
