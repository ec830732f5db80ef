import { decodeTransfer, isMint, tokenTopics } from '../../chain/token-events.ts'
import { toBytes } from '../../db/hex.ts'
import { unpackLogs } from '../engine/pack-logs.ts'

/** The amounts that the transfers of a token in these packed logs added to each wallet. */
export function sumTransfers(packed: readonly string[], token: string): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  const add = (wallet: string, amount: bigint) => sums.set(wallet, (sums.get(wallet) ?? 0n) + amount)
  for (const logs of packed) {
    for (const log of unpackLogs(toBytes(logs))) {
      if (log.address !== token || log.topics[0] !== tokenTopics.transfer || log.topics.length !== 3) continue
      const transfer = decodeTransfer(log)
      if (!isMint(transfer)) add(transfer.from, -transfer.value)
      add(transfer.to, transfer.value)
    }
  }
  return sums
}
