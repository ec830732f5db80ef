import type { Db } from '../../db/client.ts'
import { requestMetadata } from '../../db/queries/token-metadata.ts'

/** Lets a token of the simulated market name this on the chain, as the indexer would have stored it. */
export async function nameMetadata(db: Db, token: string, metadataUri: string): Promise<void> {
  await db.updateTable('tokens').set({ metadata_uri: metadataUri }).where('address', '=', token).execute()
  await requestMetadata(db, [{ token, updatedAt: null }])
}

/** Makes every read that was postponed due now. */
export async function endPauses(db: Db): Promise<void> {
  await db.updateTable('metadata_reads').set({ due_at: new Date() }).execute()
}
