import { type Kysely, sql } from 'kysely'

/*
 * People: profiles, comments, likes, follows, notifications; moderation and its audit log; ambassador applications.
 *
 * Counters are kept by triggers, in the transaction of what they count: no statement that writes a comment, a like or a
 * follow can forget them, a ban that hides ten thousand comments included. Times have milliseconds, as they are served and
 * as cursors carry them, so that a time that has been out and back is still the same. Addresses are collated "C", as in the tables of
 * the chain, which they are joined with.
 */
const statements = [
  // A row from a wallet's first write on. Every write locks it for share and a ban for update, so that of the two one
  // always sees the other. username_skeleton: what the name looks like.
  sql`create table profiles (
    wallet text collate "C" primary key,
    username text,
    username_skeleton text collate "C",
    bio text,
    avatar_url text,
    banned_at timestamptz(3),
    created_at timestamptz(3) not null default now()
  )`,
  sql`create unique index profiles_username on profiles (username_skeleton)`,

  sql`create table follows (
    follower text collate "C" not null,
    followee text collate "C" not null,
    created_at timestamptz(3) not null default now(),
    primary key (follower, followee)
  )`,
  sql`create index follows_followers on follows (followee, created_at desc, follower desc)`,
  sql`create index follows_following on follows (follower, created_at desc, followee desc)`,

  // Apart from profiles: there a count would wait for every write of the wallet that is under way.
  sql`create table follow_counts (
    wallet text collate "C" primary key,
    followers bigint not null default 0 check (followers >= 0),
    following bigint not null default 0 check (following >= 0)
  ) with (fillfactor = 70)`,

  // parent_id: the comment that began the thread; threads are one level deep. silenced: the author is banned.
  sql`create table comments (
    id bigint generated always as identity primary key,
    token text collate "C" not null,
    author text collate "C" not null,
    parent_id bigint references comments (id),
    body text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    deleted_at timestamptz(3),
    hidden boolean not null default false,
    silenced boolean not null default false,
    visible boolean not null generated always as (deleted_at is null and not hidden and not silenced) stored,
    like_count bigint not null default 0 check (like_count >= 0),
    reply_count bigint not null default 0 check (reply_count >= 0)
  ) with (fillfactor = 80)`,
  sql`create index comments_token on comments (token, id desc) where visible`,
  sql`create index comments_roots on comments (token, id desc) where visible and parent_id is null`,
  sql`create index comments_thread on comments (parent_id, id desc) where visible`,
  sql`create index comments_recent on comments (created_at desc, id desc) where visible`,
  sql`create index comments_author on comments (author, created_at desc, id desc) where visible`,
  sql`create index comments_by_author on comments (author)`,

  sql`create table token_counts (
    token text collate "C" primary key,
    comments bigint not null default 0 check (comments >= 0),
    likes bigint not null default 0 check (likes >= 0)
  ) with (fillfactor = 70)`,

  sql`create table token_likes (
    token text collate "C" not null,
    wallet text collate "C" not null,
    created_at timestamptz(3) not null default now(),
    primary key (token, wallet)
  )`,
  sql`create table comment_likes (
    comment_id bigint not null references comments (id),
    wallet text collate "C" not null,
    created_at timestamptz(3) not null default now(),
    primary key (comment_id, wallet)
  )`,

  // Lock order: a comment before its token's counter.
  sql`create function count_comment() returns trigger language plpgsql as $$
    declare
      change integer := new.visible::integer - case when tg_op = 'UPDATE' then old.visible::integer else 0 end;
    begin
      if change = 0 then return null; end if;
      update comments set reply_count = reply_count + change where id = new.parent_id;
      insert into token_counts as c (token, comments) values (new.token, greatest(change, 0))
        on conflict (token) do update set comments = c.comments + change;
      return null;
    end $$`,
  sql`create trigger count_comment after insert or update of deleted_at, hidden, silenced on comments
    for each row execute function count_comment()`,

  sql`create function count_token_like() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        update token_counts set likes = likes - 1 where token = old.token;
      else
        insert into token_counts as c (token, likes) values (new.token, 1)
          on conflict (token) do update set likes = c.likes + 1;
      end if;
      return null;
    end $$`,
  sql`create trigger count_token_like after insert or delete on token_likes
    for each row execute function count_token_like()`,

  sql`create function count_comment_like() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        update comments set like_count = like_count - 1 where id = old.comment_id;
      else
        update comments set like_count = like_count + 1 where id = new.comment_id;
      end if;
      return null;
    end $$`,
  sql`create trigger count_comment_like after insert or delete on comment_likes
    for each row execute function count_comment_like()`,

  // Both wallets in the order of their addresses: two that follow each other at once do not wait for each other.
  sql`create function count_follow() returns trigger language plpgsql as $$
    declare
      pair follows := case when tg_op = 'DELETE' then old else new end;
      change integer := case when tg_op = 'DELETE' then -1 else 1 end;
      one text collate "C" := least(pair.follower, pair.followee);
      other text collate "C" := greatest(pair.follower, pair.followee);
    begin
      insert into follow_counts (wallet) values (one) on conflict do nothing;
      insert into follow_counts (wallet) values (other) on conflict do nothing;
      update follow_counts set followers = followers + change * (one = pair.followee)::integer,
        following = following + change * (one = pair.follower)::integer where wallet = one;
      update follow_counts set followers = followers + change * (other = pair.followee)::integer,
        following = following + change * (other = pair.follower)::integer where wallet = other;
      return null;
    end $$`,
  sql`create trigger count_follow after insert or delete on follows
    for each row execute function count_follow()`,

  // block_number and log_index: of the event that it tells of, if one of the chain; a reorg takes it back by them. types
  // are not enumerated: every domain tells of its own.
  sql`create table notifications (
    id bigint generated always as identity primary key,
    recipient text collate "C" not null,
    type text not null,
    actor text collate "C",
    subject text collate "C" not null,
    comment_id bigint references comments (id),
    payload jsonb not null default '{}',
    block_number bigint,
    log_index integer,
    created_at timestamptz(3) not null default clock_timestamp(),
    read_at timestamptz(3)
  ) with (fillfactor = 90)`,
  sql`create index notifications_recipient on notifications (recipient, id desc)`,
  sql`create index notifications_unread on notifications (recipient, id desc) where read_at is null`,
  // An event that comes again after a reorg, or is applied again by a rebuild, is told of once.
  sql`create unique index notifications_event on notifications (block_number, log_index, type, recipient)
    where block_number is not null`,
  // Repeated likes notify once.
  sql`create unique index notifications_once on notifications (recipient, type, subject, actor)
    where type in ('token_like', 'comment_like', 'follow')`,

  sql`create table reports (
    id bigint generated always as identity primary key,
    comment_id bigint not null references comments (id),
    reporter text collate "C" not null,
    reason text not null check (reason in ('spam', 'scam', 'abuse', 'illegal', 'other')),
    note text,
    status text not null default 'open' check (status in ('open', 'upheld', 'dismissed')),
    created_at timestamptz(3) not null default now(),
    unique (comment_id, reporter)
  )`,
  sql`create index reports_status on reports (status, id desc)`,

  // What operators and labs did. Appended to, never changed.
  sql`create table audit_log (
    id bigint generated always as identity primary key,
    actor text collate "C" not null,
    action text not null,
    subject text collate "C" not null,
    reason text,
    created_at timestamptz(3) not null default now()
  )`,
  sql`create index audit_log_actor on audit_log (actor, id desc)`,
  sql`create index audit_log_subject on audit_log (subject, id desc)`,

  // Personal data: for operators alone. The id is public and says nothing of how many there are.
  sql`create table ambassador_applications (
    id text collate "C" primary key default gen_random_uuid()::text,
    name text not null,
    email text not null,
    wallet text collate "C",
    country text not null,
    socials jsonb not null,
    audience text not null,
    motivation text not null,
    status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
    reviewer text collate "C",
    review_note text,
    reviewed_at timestamptz(3),
    created_at timestamptz(3) not null default now()
  )`,
  sql`create unique index ambassador_applications_email on ambassador_applications (lower(email)) where status = 'pending'`,
  sql`create unique index ambassador_applications_wallet on ambassador_applications (wallet) where status = 'pending'`,
  sql`create index ambassador_applications_recent on ambassador_applications (created_at desc, id desc)`,
  sql`create index ambassador_applications_status on ambassador_applications (status, created_at desc, id desc)`,

  // The feed shows trades of at least one native coin.
  sql`create index trades_large on trades (block_number desc, log_index desc) where quote_amount >= 1000000000000000000`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
