import { zeroAddress } from 'viem'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import type { RpcLog } from '../../chain/logs/log.ts'
import { type AuditedPool, big, decodeByAbi, lower } from '../expected.ts'

/** The wallet that sent the most tokens to the pool in these logs; undefined without a sender or after a tie. */
export function findSeller(logs: readonly RpcLog[], pool: AuditedPool, address: string): string | undefined {
  const sent: Record<string, bigint> = {}
  for (const log of logs) {
    const event = lower(log.address) === pool.token ? decodeByAbi(launchTokenAbi, log) : undefined
    if (event?.eventName !== 'Transfer' || lower(event.args.to) !== address) continue
    const from = lower(event.args.from)
    sent[from] = (sent[from] ?? 0n) + big(event.args, 'value')
  }
  const senders = Object.entries(sent)
    .filter(([from, value]) => value > 0n && from !== address && from !== zeroAddress)
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
  const [first, second] = senders
  return first?.[1] === second?.[1] ? undefined : first?.[0]
}
