import type pg from 'pg'

/** Any fixed number will do; it is another one than apply's. */
const LEADER_LOCK = '7308339911'

export interface Leadership {
  /** Whether the connection that holds the lock is still there. PostgreSQL frees the lock of one that is not. */
  isHeld(): boolean
  release(): Promise<void>
}

/** Takes the indexers' lock, or returns undefined at once if another process has it. */
export async function tryLead(pool: pg.Pool): Promise<Leadership | undefined> {
  const client = await pool.connect()
  let held = true
  // Stays after the release: a client of the pool without a listener would end the process when its connection breaks.
  client.on('error', () => {
    held = false
  })
  try {
    const { rows } = await client.query<{ led: boolean }>(`select pg_try_advisory_lock(${LEADER_LOCK}) as led`)
    if (!rows[0]?.led) {
      client.release()
      return undefined
    }
  } catch (error) {
    client.release(true)
    throw error
  }
  return {
    isHeld: () => held,
    release: async () => {
      held = false
      // Closing the connection frees the lock whatever state it is in.
      client.release(true)
    },
  }
}
