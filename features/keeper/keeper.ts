import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { privateKeyToAccount } from 'viem/accounts'
import { findKeyProblem } from '../../chain/demo-accounts.ts'
import type { Chain } from '../../chain/rpc/client.ts'
import { describeFailure, isNodeFailure } from '../../chain/rpc/node-failure.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/client.ts'
import { listCompletedTokens } from '../../db/queries/completed-tokens.ts'
import { SetupError } from '../../errors.ts'
import { launchpads } from '../../launchpads/index.ts'
import type { Cache } from '../../lib/cache/cache.ts'
import { type KeeperState, writeKeeperState } from '../../lib/cache/keeper-state.ts'
import { pause } from '../../lib/concurrency/pause.ts'
import { GraduationError, Graduator } from './graduator.ts'

const ROUND_MS = 2_000
const BALANCE_MS = 60_000
const STOP_MS = 1_000
/** The most tokens of a round. */
const MAX_TOKENS = 1_000
/** Pause before the next attempt at a token that its launchpad has refused. */
const REFUSED_MS = 60_000
/** Any account may graduate their tokens. */
const kinds = launchpads.filter(({ graduation }) => graduation).map(({ kind }) => kind)

export interface Keeper {
  stop(): Promise<void>
}

interface KeeperOptions {
  db: Db
  chain: Chain
  cache: Cache
  log: FastifyBaseLogger
  config: Pick<Config, 'chainId'>
  key: NonNullable<Config['keeperKey']>
  /** Whether this process may send: one of all at a time. */
  isActive: () => boolean
}

/** Throws SetupError for a key of the demonstration on another chain: coins sent to such an account are taken at once. */
export function requirePrivate(address: string, chainId: number): void {
  const problem = findKeyProblem(address, chainId)
  if (problem !== null) throw new SetupError({ variable: 'KEEPER_KEY', ...problem })
}

/**
 * Graduates completed tokens whose completing buy did not, from the operator's account, and gets the launchpad's bounty. Its
 * state is for /health of every process.
 */
export function startKeeper({ db, chain, cache, log, config, key, isActive }: KeeperOptions): Keeper {
  const account = privateKeyToAccount(key)
  const { chainId } = config
  requirePrivate(account.address, chainId)
  const graduator = new Graduator({ client: chain.client, account, chainId })
  const stopping = new AbortController()
  const { signal } = stopping
  const state: KeeperState = {
    address: account.address.toLowerCase(),
    balance: null,
    waiting: 0,
    problem: null,
    since: null,
  }

  let balanceAt = 0
  /** Tokens that were refused, and until when they wait. */
  const refused = new Map<string, number>()
  /** The token whose failure has ended the last round: the next round begins after it. */
  let failed: string | null = null

  const report = (problem: string | null) => {
    if (problem !== null && state.problem === null) log.warn({ problem, waiting: state.waiting }, 'The keeper is stuck')
    if (problem === null && state.problem !== null) log.info('The keeper goes on')
    state.since = problem === null ? null : (state.since ?? Date.now())
    state.problem = problem
  }

  const round = async () => {
    const tokens = await listCompletedTokens(db, { kinds, limit: MAX_TOKENS })
    state.waiting = tokens.length
    if (tokens.length > 0 || Date.now() - balanceAt > BALANCE_MS) {
      state.balance = String(await graduator.readBalance())
      balanceAt = Date.now()
    }
    await writeKeeperState(cache, state)
    for (const [token, until] of refused) if (until <= Date.now()) refused.delete(token)
    const first = tokens.findIndex(({ token }) => token === failed) + 1
    for (const place of [...tokens.slice(first), ...tokens.slice(0, first)]) {
      if (signal.aborted || !isActive()) return
      if (refused.has(place.token)) continue
      failed = place.token
      const hash = await graduator.graduate(place, signal)
      if (hash) log.info({ ...place, hash }, 'Graduated a token')
      else refused.set(place.token, Date.now() + REFUSED_MS)
    }
    failed = null
    report(null)
  }

  const run = async () => {
    while (!signal.aborted) {
      if (isActive()) {
        await round().catch((error: unknown) => {
          if (signal.aborted) return
          log.debug({ err: error }, 'A round of the keeper failed')
          report(describeProblem(error, chain))
        })
        await writeKeeperState(cache, state)
      }
      await pause(ROUND_MS, signal)
    }
  }
  const ended = run()
  return {
    stop: async () => {
      stopping.abort()
      // A node that hangs does not delay the end: what is sent is mined without this process.
      await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** In public words: without URLs, and without texts of nodes. */
function describeProblem(error: unknown, { nodes }: Chain): string {
  if (error instanceof GraduationError) return error.message
  if (isNodeFailure(error)) return nodes.describeProblems().join('; ') || describeFailure(error)
  return 'see the log of the indexer'
}
