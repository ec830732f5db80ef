import { type Kysely, sql } from 'kysely'

/*
 * Whether an older launch has a token's symbol, in any letter case. Every read of a token shows it, and looking for the
 * older launch took a quarter of the database's time. Triggers keep it, so that no statement can forget it. Launches may
 * arrive in any order; symbols and positions of stored ones never change.
 */
const older = (of: string) => sql`exists (
  select from tokens o where lower(o.symbol) = lower(${sql.raw(of)}.symbol)
    and (o.block_number, o.log_index) < (${sql.raw(of)}.block_number, ${sql.raw(of)}.log_index))`

const statements = [
  sql`alter table tokens add column symbol_taken_before boolean not null default false`,
  sql`update tokens t set symbol_taken_before = true
    from (
      select address, rank() over (partition by lower(symbol) order by block_number, log_index) as place from tokens
    ) ranked
    where ranked.address = t.address and ranked.place > 1`,

  // Of a new launch. A write of its own would be a new entry in every index. Plans are kept while the table grows: both
  // functions always use its index.
  sql`create function find_taken_symbol() returns trigger language plpgsql set enable_seqscan = off as $$
    begin
      new.symbol_taken_before := ${older('new')};
      return new;
    end $$`,
  sql`create trigger find_taken_symbol before insert on tokens
    for each row execute function find_taken_symbol()`,

  // Marks later launches with the same symbol again. None exist while launches are added in the order of the chain.
  sql`create function mark_taken_symbols() returns trigger language plpgsql set enable_seqscan = off as $$
    begin
      update tokens t set symbol_taken_before = not t.symbol_taken_before
      from (
        select distinct on (lower(symbol)) lower(symbol) as symbol, block_number, log_index from changed
        order by lower(symbol), block_number, log_index
      ) c
      where lower(t.symbol) = c.symbol and (t.block_number, t.log_index) > (c.block_number, c.log_index)
        and t.symbol_taken_before <> ${older('t')};
      return null;
    end $$`,
  sql`create trigger mark_symbols_after_insert after insert on tokens referencing new table as changed
    for each statement execute function mark_taken_symbols()`,
  sql`create trigger mark_symbols_after_delete after delete on tokens referencing old table as changed
    for each statement execute function mark_taken_symbols()`,

  sql`comment on table tokens is 'Launch of a token. Appended; whether its symbol was taken before, by triggers.'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
