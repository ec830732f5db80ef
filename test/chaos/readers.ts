import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../indexer/fixtures/random.ts'
import type { Clients } from './clients.ts'

const PAUSE_MS = 100

const paths = (token: string) => [
  '/tokens?sort=trending&limit=20',
  '/tokens?sort=newest&limit=50',
  `/tokens/${token}`,
  `/tokens/${token}/trades`,
  `/tokens/${token}/holders`,
  `/tokens/${token}/comments`,
  `/tokens/${token}/chart?interval=1h`,
  '/transactions?limit=20',
  '/search?q=t1',
  '/stats',
  '/leaderboard',
  '/feed',
  '/raises',
  '/staking/pools',
  '/config',
]

/** A client that reads without a token until the signal. */
export async function readAlways(
  clients: Clients,
  { random, tokens, signal }: { random: Random; tokens: readonly string[]; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await clients.request(clients.pick(random), 'GET', random.pick(paths(random.pick(tokens))))
    await sleep(PAUSE_MS)
  }
}
