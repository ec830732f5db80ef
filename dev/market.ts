import { pause } from '../lib/concurrency/pause.ts'
import { LiveMarket, type LiveMarketOptions } from './market/live-market.ts'

const PACE_MS = 2_000
/** The market trades at full pace up to this block height. */
const FULL_PACE_HEIGHT = 2_000
const LONGEST_RETRY_MS = 30_000

export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface Market {
  start(): void
  /** Waits for the current step. The market can be started again. */
  stop(): Promise<void>
}

/**
 * A market that trades by itself, every couple of seconds during its first hour. anvil's memory, block time and state
 * file grow with the height, so the pace falls with it: some 8,000 blocks after a day and 15,000 after a week.
 */
export function createMarket(options: Omit<LiveMarketOptions, 'signal'> & { log: Logger; paceMs?: number }): Market {
  let running: { stopping: AbortController; ended: Promise<void> } | undefined
  return {
    start: () => {
      if (running) return
      const stopping = new AbortController()
      running = { stopping, ended: run(options, stopping.signal) }
    },
    stop: async () => {
      running?.stopping.abort()
      await running?.ended
      running = undefined
    },
  }
}

async function run(options: Parameters<typeof createMarket>[0], signal: AbortSignal): Promise<void> {
  const { log, paceMs = PACE_MS } = options
  const market = new LiveMarket({ ...options, signal })
  let height = 0
  let failures = 0
  while (!signal.aborted) {
    const slowdown = Math.max(1, height / FULL_PACE_HEIGHT) ** 2
    const wait = failures > 0 ? Math.min(LONGEST_RETRY_MS, paceMs * 2 ** failures) : paceMs * slowdown
    await pause(wait * (0.5 + Math.random()), signal)
    if (signal.aborted) return
    try {
      height = (await market.step(Math.floor(Date.now() / 1_000))).height
      if (failures > 0) log.info({}, 'The market trades again')
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      // Log once per outage.
      if (failures === 0) log.warn({ err: error }, 'The market has stopped for now; it will try again')
      failures += 1
    }
  }
}
