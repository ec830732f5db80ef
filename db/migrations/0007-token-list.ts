import { type Kysely, sql } from 'kysely'

/*
 * The version of a published token list must be a function of the data, so that all replicas return the same one, and it
 * must never decrease. A trigger therefore counts the changes of an image. The other changes of a list are already counted:
 * launches and graduations are rows, and hiding and unhiding are in the audit log.
 */
const statements = [
  sql`alter table token_metadata
    add column image_changes integer not null default 0,
    add column image_changed_at timestamptz(3)`,
  sql`update token_metadata set image_changes = 1, image_changed_at = updated_at where image_url is not null`,
  sql`create function count_image_change() returns trigger language plpgsql as $$
    declare
      before text := case when tg_op = 'UPDATE' then old.image_url end;
    begin
      if new.image_url is distinct from before then
        new.image_changes := new.image_changes + 1;
        new.image_changed_at := clock_timestamp();
      end if;
      return new;
    end $$`,
  sql`create trigger count_image_change before insert or update of image_url on token_metadata
    for each row execute function count_image_change()`,
  sql`create index audit_log_visibility on audit_log (subject, id) where action in ('token.hide', 'token.unhide')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
