import type { Insertable, Kysely } from 'kysely'
import type { Database, TokenMetadataTable } from '../schema.ts'

/** What people may say about a token; null clears, undefined leaves as it is. */
export type MetadataChange = {
  [Column in 'description' | 'image_url' | 'banner_url' | 'website' | 'twitter' | 'telegram' | 'discord']?:
    | string
    | null
    | undefined
}

/** Gives a token the image that was found for it, unless somebody has given it one. It is said by its creator: on the chain. */
export async function setFoundImage(
  db: Kysely<Database>,
  { token, url, creator }: { token: string; url: string; creator: string },
): Promise<void> {
  await db
    .insertInto('token_metadata')
    .values({ token, image_url: url, updated_by: creator })
    .onConflict((conflict) =>
      conflict.column('token').doUpdateSet({ image_url: url }).where('token_metadata.image_url', 'is', null),
    )
    .execute()
}

/** Changes what is said about some tokens, and says by whom. */
export async function updateMetadata(
  db: Kysely<Database>,
  { tokens, change, wallet }: { tokens: readonly string[]; change: MetadataChange; wallet: string },
): Promise<void> {
  if (tokens.length === 0) return
  const said = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const stamp = { ...said, updated_by: wallet, updated_at: new Date() }
  const rows: Insertable<TokenMetadataTable>[] = tokens.map((token) => ({ token, ...stamp }))
  await db
    .insertInto('token_metadata')
    .values(rows)
    .onConflict((conflict) => conflict.column('token').doUpdateSet(stamp))
    .execute()
}
