import type { Insertable, Kysely } from 'kysely'
import type { Database, TokenMetadataTable } from '../schema.ts'

/** Metadata of a token; null clears a field, undefined keeps it. */
export type MetadataChange = {
  [Column in 'description' | 'image_url' | 'banner_url' | 'website' | 'twitter' | 'telegram' | 'discord']?:
    | string
    | null
    | undefined
}

/** Metadata found through the token's URI. */
export type FoundMetadata = Pick<MetadataChange, 'description' | 'website' | 'image_url'>

/**
 * Stores the metadata found at the token's URI, unless it was edited before. Its author is the creator. Nothing is
 * written if the address belongs to another launch by now.
 */
export async function setFoundMetadata(
  db: Kysely<Database>,
  { token, creator, uri, found }: { token: string; creator: string; uri: string; found: FoundMetadata },
): Promise<void> {
  const columns = Object.keys(found) as (keyof FoundMetadata)[]
  const launch = await db
    .selectFrom('tokens')
    .select('address')
    .where('address', '=', token)
    .where('creator', '=', creator)
    .where('metadata_uri', '=', uri)
    .executeTakeFirst()
  if (!launch) return
  await db
    .insertInto('token_metadata')
    .values({ token, ...found, updated_by: creator })
    .onConflict((conflict) =>
      conflict
        .columns(['token', 'creation'])
        .doUpdateSet(({ fn, ref }) =>
          Object.fromEntries(
            columns.map((column) => [column, fn.coalesce(ref(`token_metadata.${column}`), ref(`excluded.${column}`))]),
          ),
        ),
    )
    .execute()
}

/** Updates the metadata of tokens, and records the author. */
export async function updateMetadata(
  db: Kysely<Database>,
  { tokens, change, wallet }: { tokens: readonly string[]; change: MetadataChange; wallet: string },
): Promise<void> {
  if (tokens.length === 0) return
  const changed = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const stamp = { ...changed, updated_by: wallet, updated_at: new Date() }
  const rows: Insertable<TokenMetadataTable>[] = tokens.map((token) => ({ token, ...stamp }))
  await db
    .insertInto('token_metadata')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['token', 'creation']).doUpdateSet(stamp))
    .execute()
}
