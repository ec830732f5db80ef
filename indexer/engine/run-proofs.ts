import type { Chain } from '../../chain/rpc/client.ts'
import { isNodeFailure } from '../../chain/rpc/node-failure.ts'
import type { Transact } from '../../db/client.ts'
import { pause } from '../../lib/concurrency/pause.ts'
import type { Difference } from './compare-blocks.ts'
import { LeaseLostError } from './errors.ts'
import { BlockProver, type ProverOptions } from './prove-blocks.ts'
import { type ProofState, setProofState } from './unproven.ts'

/** Between looks at a follower that lags. */
const PAUSE_MS = 1_000
/** Until blocks that a backfill has added since are looked for. */
const IDLE_MS = 10_000
/** Until nodes that have no receipts are tried again, and blocks whose receipts they lack. */
const UNSUPPORTED_MS = 10 * 60_000
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 300_000
/** Log lines name so many logs of a block. */
const EXAMPLES = 3

interface ProofServices extends ProverOptions {
  /** Fenced by the lease. */
  transact: Transact
  /** 0: off. */
  requestsPerSecond: number
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  /** Whether the follower is at the head; the proofs pause while it is not. */
  isCaughtUp: () => boolean
  signal: AbortSignal
}

/**
 * Proves blocks in the background until the signal aborts or the lease is lost. It leaves the nodes alone: at most
 * `requestsPerSecond` on average, at least as long a pause as a step took, and longer ones while nodes fail.
 */
export async function runProofs(services: ProofServices): Promise<void> {
  const { log, signal, requestsPerSecond, isCaughtUp } = services
  const prover = new BlockProver({
    ...services,
    onDifference: (difference) => {
      log.warn(describe(difference), 'An indexed block differs from the chain; it is corrected')
      services.onDifference?.(difference)
    },
    onRebuild: (isDone) =>
      log.warn({}, isDone ? 'The derived tables are rebuilt' : 'Rebuilding the derived tables without forged logs'),
  })
  let failures = 0
  let hasSkipped = false
  while (!signal.aborted) {
    if (!isCaughtUp()) {
      await pause(PAUSE_MS, signal)
      continue
    }
    try {
      if (!(await isEnabled(services))) {
        await pause(UNSUPPORTED_MS, signal)
        continue
      }
      const start = performance.now()
      const { outcome, requests } = await prover.step()
      failures = 0
      hasSkipped ||= outcome === 'skipped'
      if (outcome !== 'done') {
        const elapsed = performance.now() - start
        await pause(Math.max(elapsed, (requests * 1_000) / requestsPerSecond), signal)
        continue
      }
      await pause(hasSkipped ? UNSUPPORTED_MS : IDLE_MS, signal)
      hasSkipped = false
    } catch (error) {
      if (error instanceof LeaseLostError) return
      const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures++, 10))
      const reason = isNodeFailure(error) ? 'No node answers' : 'Blocks could not be proven'
      log.warn({ err: error, retryInMs: delay }, `${reason}; the proofs of indexed blocks go on later`)
      await pause(delay, signal)
    }
  }
}

/** Stores, for /stats, whether blocks are proven. */
async function isEnabled({ chain, requestsPerSecond, transact, db, log }: ProofServices): Promise<boolean> {
  const state = await findState(chain, requestsPerSecond)
  const known = await db.selectFrom('chain_state').select('proofs').executeTakeFirstOrThrow()
  if (known.proofs !== state) {
    await transact((trx) => setProofState(trx, state))
    if (state === 'unsupported')
      log.warn({}, 'No node proves logs by receipts: blocks that a backfill has read in ranges stay unproven')
  }
  return state === 'on'
}

async function findState(chain: Chain, requestsPerSecond: number): Promise<ProofState> {
  if (requestsPerSecond === 0) return 'off'
  return (await chain.canProveLogs()) ? 'on' : 'unsupported'
}

function describe({ block, missing, forged, price, isHeaderWrong }: Difference): object {
  const examples = [...missing, ...forged].slice(0, EXAMPLES)
  return {
    block: block.number,
    missing: missing.length,
    forged: forged.length,
    ...(price !== 'right' && { price }),
    ...(isHeaderWrong && { hash: block.hash }),
    logs: examples.map(({ txHash, logIndex }) => `${txHash}/${logIndex}`),
  }
}
