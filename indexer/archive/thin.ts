import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import { guard } from '../../db/guards.ts'
import { FINE_CANDLES } from '../../db/queries/archives.ts'
import { pause } from '../../lib/concurrency/pause.ts'
import { type Entry, listEntries, saveEntry } from './entries.ts'
import { keepCandles } from './keep-candles.ts'
import { createReplacement, swap } from './swap.ts'
import { tryAlone } from './try-alone.ts'

const DAY = 86_400

/**
 * Removes the candles shorter than an hour from the oldest partition that is entirely older than `days` before the last final
 * block, and still has them. Returns its name; undefined if there is none, or while an archive is written.
 */
export async function thinCandles(db: Db, days: number): Promise<string | undefined> {
  const entry = await findFine(db, days)
  if (!entry) return undefined
  return tryAlone(db, async (alone) => {
    await guard(alone, entry.name)
    const replacement = await createReplacement(alone, entry)
    await keepCandles(alone, entry, replacement, FINE_CANDLES)
    await swap(alone, entry, replacement, (trx) => saveEntry(trx, entry, { is_thinned: true }))
    return entry.name
  })
}

async function findFine(db: Db, days: number): Promise<Entry | undefined> {
  const { rows } = await sql<{ time: number | null }>`
    select (select time from blocks where number <= s.finalized_number order by number desc limit 1) as time
    from chain_state s`.execute(db)
  const before = (rows[0]?.time ?? 0) - days * DAY
  const entries = await listEntries(db)
  return entries.find(
    ({ parent, stop, state, isThinned }) => parent === 'candles' && state === 'live' && !isThinned && stop <= before,
  )
}

const INTERVAL_MS = 60_000

interface ThinningOptions {
  db: Db
  /** null: every candle is kept. */
  days: number | null
  isReady: () => boolean
  onThinned: (name: string) => void
  onError: (error: unknown) => void
  signal: AbortSignal
}

/** Removes fine candles in the background, a partition at a time, until the signal is aborted. */
export async function runThinning({ db, days, isReady, onThinned, onError, signal }: ThinningOptions): Promise<void> {
  if (days === null) return
  while (!signal.aborted) {
    let thinned: string | undefined
    try {
      thinned = isReady() ? await thinCandles(db, days) : undefined
    } catch (error) {
      onError(error)
    }
    if (thinned !== undefined) onThinned(thinned)
    else await pause(INTERVAL_MS, signal)
  }
}
