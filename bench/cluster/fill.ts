import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const PRINT_MS = 10_000
const POLL_MS = 250

/** The last block that the indexer has written; 0 before the first. */
export async function readCheckpoint(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ checkpoint: string }>('select checkpoint_number as checkpoint from chain_state')
  return Math.max(0, Number(rows[0]?.checkpoint ?? 0))
}

/** Waits until the indexer has written a block, and prints how far it is. */
export async function waitForBlock(client: pg.Client, block: number, signal: AbortSignal): Promise<void> {
  let printed = performance.now()
  for (;;) {
    signal.throwIfAborted()
    const checkpoint = await readCheckpoint(client)
    if (checkpoint >= block) return
    if (performance.now() - printed >= PRINT_MS) {
      printed = performance.now()
      console.log(`  block ${checkpoint.toLocaleString('en')} of ${block.toLocaleString('en')}`)
    }
    await sleep(POLL_MS)
  }
}

export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  // A server that is stopped while it is idle.
  client.on('error', () => {})
  await client.connect()
  return client
}
