import { sql, type Transaction } from 'kysely'
import { getAbiItem, parseEventLogs, toEventSelector, zeroAddress } from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import type { Database } from '../../db/schema.ts'
import type { Findings } from '../findings.ts'
import type { PinnedReader } from '../pinned-reader.ts'
import type { AuditedToken, ContractState } from './audited-launchpad.ts'

const STATUS = ['none', 'curve', 'completed', 'graduated']

interface CurveInfo {
  creator: string
  pool: string
  status: number
  protocolFeeBps: number
  creatorFeeBps: number
  virtualQuote: bigint
  virtualToken: bigint
  realQuote: bigint
  realToken: bigint
  targetQuote: bigint
  creatorFees: bigint
}

/** Compares a token's curve and what its creator has not claimed. */
export async function compareCurve(
  findings: Findings,
  reader: PinnedReader,
  { token, row }: AuditedToken,
): Promise<void> {
  const curve = await reader.read<CurveInfo>(String(row.launchpad), launchpadAbi, 'curves', [token])
  const graduated = STATUS[curve.status] === 'graduated'
  const unclaimed = BigInt(String(row.creator_fees)) - BigInt(String(row.paid_creator_fees))
  findings.compareRows(
    `token ${token}`,
    { ...row, unclaimed_creator_fees: unclaimed },
    {
      creator: curve.creator.toLowerCase(),
      pool: graduated ? curve.pool.toLowerCase() : null,
      status: STATUS[curve.status] ?? String(curve.status),
      protocol_fee_bps: curve.protocolFeeBps,
      creator_fee_bps: curve.creatorFeeBps,
      virtual_quote: curve.virtualQuote,
      virtual_token: curve.virtualToken,
      // A graduated curve has paid its quote into the pool; the stored value is that amount.
      real_quote: graduated ? curve.targetQuote : curve.realQuote,
      real_token: curve.realToken,
      target_quote: curve.targetQuote,
      unclaimed_creator_fees: curve.creatorFees,
    },
  )
}

/** Compares what each launchpad kept, paid out and paid for graduations of its fees with the fees of all trades. */
export async function compareProtocolFees(
  trx: Transaction<Database>,
  findings: Findings,
  { chain, reader, addresses, startBlock, checkpoint }: ContractState,
): Promise<void> {
  const eventName = ['ProtocolFeeClaimed', 'GraduationBountyPaid'] as const
  const logs = await chain.getLogs({
    address: [...addresses],
    topics: eventName.map((name) => toEventSelector(getAbiItem({ abi: launchpadAbi, name }))),
    range: { from: startBlock, to: checkpoint },
  })
  const payments = parseEventLogs({ abi: launchpadAbi, eventName: [...eventName], logs: logs as never[] })
  const { rows } = await sql<{ launchpad: string; fees: string }>`
    select t.launchpad, sum(f.protocol_fees) as fees from tokens t join token_figures f on f.token_id = t.id
    where t.launchpad_kind = 'slipway' and t.quote_token = ${zeroAddress} group by t.launchpad`.execute(trx)
  for (const { launchpad, fees } of rows) {
    const subject = `launchpad ${launchpad} protocol fees ever paid`
    await findings.attempt(subject, async () => {
      const kept = await reader.read<bigint>(launchpad, launchpadAbi, 'protocolFees')
      const own = payments.filter(({ address }) => address.toLowerCase() === launchpad)
      const paid = own.reduce((sum, { args }) => sum + (args.amount ?? 0n), 0n)
      findings.compare(subject, fees, kept + paid)
    })
  }
}
