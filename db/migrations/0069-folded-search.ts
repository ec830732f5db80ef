import { type Kysely, sql } from 'kysely'

/*
 * Names and symbols are searched without accents, so that "cafe" finds "Café", and the other way round. Most are ASCII, where the
 * two lengths are equal: those need no decomposition. tokens_symbol stays: a symbol is taken with its accents.
 */
const statements = [
  sql`create function fold_text(given text) returns text immutable strict parallel safe language sql as $$
    select case when octet_length(given) = char_length(given) then lower(given)
      else translate(lower(regexp_replace(normalize(given, nfkd), '[\u0300-\u036f]', '', 'g')), 'øłđħŧı', 'oldhti') end
  $$`,
  sql`drop index tokens_name, tokens_search`,
  sql`create index tokens_folded_symbol on tokens (fold_text(symbol) text_pattern_ops, block_number, log_index)`,
  sql`create index tokens_folded_name on tokens (fold_text(name) text_pattern_ops)`,
  sql`create index tokens_search on tokens using gin ((fold_text(name) || ' ' || fold_text(symbol)) gin_trgm_ops)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
