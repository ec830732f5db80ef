import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findStakingPools } from '../../db/queries/staking/staking-pools.ts'
import { findStakingEventsAt, findStakingPositions } from '../../db/queries/staking/staking-positions.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toStakingEvent } from '../../records/to-staking-event.ts'
import { toStakingPool } from '../../records/to-staking-pool.ts'
import { toStakingPosition } from '../../records/to-staking-position.ts'
import { Envelope, ok, ref, TxHashBody, walletRequired } from '../../schemas/common.ts'
import { type StakingAct, SyncedStaking, stakingActs } from '../../schemas/staking.ts'
import { receiptSyncReasons } from '../reasons.ts'
import { syncReceipt } from '../sync-receipt.ts'

const operations: Record<StakingAct, { operationId: string; summary: string; done: string }> = {
  stake: { operationId: 'syncStake', summary: 'Sync a stake', done: 'stakes' },
  unstake: { operationId: 'syncUnstake', summary: 'Sync a request to unstake', done: 'requests' },
  withdraw: { operationId: 'syncWithdrawal', summary: 'Sync a withdrawal', done: 'withdrawals' },
  claim: { operationId: 'syncRewardClaim', summary: 'Sync a claim of rewards', done: 'claims' },
  fund: { operationId: 'syncFunding', summary: 'Sync a funding', done: 'fundings' },
}

/** Receipt sync of all actions at a pool; each looks for its own event. */
const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const kind of stakingActs) {
    const { operationId, summary, done } = operations[kind]
    app.post(
      `/${kind}`,
      {
        config: { bucket: 'trade' },
        schema: {
          operationId,
          tags: ['Staking'],
          summary,
          description:
            'After the transaction is sent to the chain, send its hash. The service indexes the transaction ' +
            `immediately and returns the ${done} that your wallet made in it, with the updated pools and positions. ` +
            '425 if the transaction is not mined yet; retry.',
          security: walletRequired,
          body: TxHashBody,
          response: {
            200: Envelope(ref(SyncedStaking)),
            ...failures(...receiptSyncReasons),
          },
        },
      },
      async (request) => {
        const [{ txHash }, wallet] = [request.body, walletOf(request)]
        const { positions: at } = await syncReceipt(request, { txHash, wallet, kind })
        const events = await findStakingEventsAt(request.db, at)
        const ids = [...new Set(events.map(({ pool }) => pool))]
        const pools = await findStakingPools(request.db, ids)
        const positions = await findStakingPositions(request.db, { wallet, pools: ids })
        return ok({
          txHash,
          events: events.map(toStakingEvent),
          pools: pools.map(toStakingPool),
          positions: positions.map(toStakingPosition),
        })
      },
    )
  }
}

export default routes
