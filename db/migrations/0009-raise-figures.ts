import { type Kysely, sql } from 'kysely'

/*
 * What all raises come to together, in one row, kept by triggers in the transaction of what it counts: however raises are
 * written, undone or made anew, no statement can forget it. How many are open follows from the clock, and so is counted
 * when it is asked for: by an index that finds those, and no others.
 */
const sums = sql`count(*) as total, coalesce(sum(proposal_count), 0) as proposals,
  coalesce(sum(total_committed), 0) as committed, coalesce(sum(released), 0) as released,
  coalesce(sum(refunded), 0) as refunded`

const statements = [
  sql`create table raise_figures (
    id boolean primary key default true check (id),
    total bigint not null,
    proposals bigint not null,
    committed numeric(78,0) not null,
    released numeric(78,0) not null,
    refunded numeric(78,0) not null
  ) with (fillfactor = 50)`,
  sql`insert into raise_figures (total, proposals, committed, released, refunded)
    select ${sums} from raises where created_block is not null`,

  sql`create function count_raises() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        update raise_figures f set total = f.total - e.total, proposals = f.proposals - e.proposals,
          committed = f.committed - e.committed, released = f.released - e.released, refunded = f.refunded - e.refunded
        from (select ${sums} from before where created_block is not null) e where e.total > 0;
      end if;
      if tg_op <> 'DELETE' then
        update raise_figures f set total = f.total + e.total, proposals = f.proposals + e.proposals,
          committed = f.committed + e.committed, released = f.released + e.released, refunded = f.refunded + e.refunded
        from (select ${sums} from after where created_block is not null) e where e.total > 0;
      end if;
      return null;
    end $$`,
  sql`create trigger count_raises_added after insert on raises referencing new table as after
    for each statement execute function count_raises()`,
  sql`create trigger count_raises_changed after update on raises referencing old table as before new table as after
    for each statement execute function count_raises()`,
  sql`create trigger count_raises_gone after delete on raises referencing old table as before
    for each statement execute function count_raises()`,

  // By range, and not by times: lists of the open ones are to be read in their own order.
  sql`create index raises_running on raises using gist (int8range(start_at, end_at))
    where created_block is not null and cancelled_at is null and finalized_at is null and total_committed < goal_max`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
