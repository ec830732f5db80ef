import { type Kysely, sql } from 'kysely'

/*
 * What people say belongs to a creation of a token, not to its address: after a reorg another launch may have the address. A
 * creation is the same wherever its transaction is mined, and another one for another transaction or creator. Triggers
 * set it, so that no statement can forget it. Rows from before belong to the creation that is stored now.
 */
const NONE = sql.lit('\\x00')
const ofToken = (token: string) =>
  sql`coalesce((select t.creation from tokens t where t.address = ${sql.raw(token)}), ${NONE}::bytea)`
const keyed = ['token_metadata', 'token_likes', 'comments'] as const

const statements = [
  sql`alter table tokens add column creation bytea not null
    generated always as (sha256((address || tx_hash || creator)::bytea)) stored`,

  ...[...keyed, 'token_counts'].flatMap((table) => [
    sql`alter table ${sql.table(table)} add column creation bytea not null default ${NONE}::bytea`,
    sql`update ${sql.table(table)} set creation = ${ofToken(`${table}.token`)}`,
  ]),
  sql`create function set_creation() returns trigger language plpgsql as $$
    begin
      new.creation := ${ofToken('new.token')};
      return new;
    end $$`,
  ...keyed.map(
    (table) => sql`create trigger set_creation before insert on ${sql.table(table)}
      for each row execute function set_creation()`,
  ),
  ...[
    ['token_metadata', 'token, creation'],
    ['token_likes', 'token, creation, wallet'],
    ['token_counts', 'token, creation'],
  ].flatMap(([table = '', key = '']) => [
    sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_pkey`)}, add primary key (${sql.raw(key)})`,
  ]),

  sql`create or replace function count_comment() returns trigger language plpgsql as $$
    declare
      change integer := new.visible::integer - case when tg_op = 'UPDATE' then old.visible::integer else 0 end;
    begin
      if change = 0 then return null; end if;
      update comments set reply_count = reply_count + change where id = new.parent_id;
      insert into token_counts as c (token, creation, comments) values (new.token, new.creation, greatest(change, 0))
        on conflict (token, creation) do update set comments = c.comments + change;
      return null;
    end $$`,
  sql`create or replace function count_token_like() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        update token_counts set likes = likes - 1 where token = old.token and creation = old.creation;
      else
        insert into token_counts as c (token, creation, likes) values (new.token, new.creation, 1)
          on conflict (token, creation) do update set likes = c.likes + 1;
      end if;
      return null;
    end $$`,

  // Of a like of a token; a notification of a comment is shown as long as the comment is.
  sql`alter table notifications add column creation bytea`,
  sql`update notifications set creation = ${ofToken('notifications.subject')} where type = 'token_like'`,
  sql`create function set_notification_creation() returns trigger language plpgsql as $$
    begin
      new.creation := ${ofToken('new.subject')};
      return new;
    end $$`,
  sql`create trigger set_creation before insert on notifications for each row when (new.type = 'token_like')
    execute function set_notification_creation()`,
  sql`drop index notifications_once`,
  sql`create unique index notifications_once on notifications (recipient, type, subject, actor, coalesce(creation, ${NONE}::bytea))
    where type in ('token_like', 'comment_like', 'follow')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
