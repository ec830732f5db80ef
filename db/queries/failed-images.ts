import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

const DAYS = 30

/** Whether these decoders have failed on an image within the last days. */
export async function hasFailed(
  db: Kysely<Database>,
  { id, decoders }: { id: string; decoders: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('failed_images')
    .select('id')
    .where('id', '=', id)
    .where('decoders', '=', decoders)
    .where('failed_at', '>', sql<Date>`now() - make_interval(days => ${DAYS})`)
    .executeTakeFirst()
  return row !== undefined
}

/** Stores that these decoders failed on an image, and deletes expired rows. */
export async function storeFailure(
  db: Kysely<Database>,
  failure: { id: string; decoders: string; reason: string },
): Promise<void> {
  await db
    .insertInto('failed_images')
    .values(failure)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...failure, failed_at: sql`now()` }))
    .execute()
  await db
    .deleteFrom('failed_images')
    .where('failed_at', '<', sql<Date>`now() - make_interval(days => ${DAYS})`)
    .execute()
}
