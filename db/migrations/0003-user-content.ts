import { type Kysely, sql } from 'kysely'

/*
 * What users write, and how it is moderated.
 *
 * - Neither a reorg nor a rebuild of derived tables changes these rows, so they name tokens by address, without a foreign
 *   key. What belongs to a token has the creation of its launch, \x00 without one. Triggers set it, so that no statement
 *   can omit it.
 * - Triggers keep the counts, in the transaction of what they count. So no write is left out, such as a ban that hides
 *   all comments of a wallet.
 * - Times have milliseconds, the precision of responses and cursors.
 */

const profiles = sql`
  -- A wallet has a row from its first write on. Writes lock the row for share and a ban locks it for update, so that one of
  -- the two sees the other. username_skeleton: equal for names that look alike.
  create table profiles (
    wallet text collate "C" primary key,
    username text,
    username_skeleton text collate "C",
    bio text,
    avatar_url text,
    banned_at timestamptz(3),
    created_at timestamptz(3) not null default now()
  );
  create unique index profiles_username on profiles (username_skeleton);
  comment on table profiles is 'Profile of a wallet. Per request.';

  create table follows (
    follower text collate "C" not null,
    followee text collate "C" not null,
    created_at timestamptz(3) not null default now(),
    primary key (follower, followee)
  );
  create index follows_followers on follows (followee, created_at desc, follower desc);
  create index follows_following on follows (follower, created_at desc, followee desc);
  comment on table follows is 'Follow of a wallet by another. Per request.';

  -- Apart from profiles, where a count would wait for every running write of the wallet.
  create table follow_counts (
    wallet text collate "C" primary key,
    followers bigint not null default 0 check (followers >= 0),
    following bigint not null default 0 check (following >= 0)
  ) with (fillfactor = 70);
  comment on table follow_counts is 'Counts of the follows of a wallet. By triggers.';

  -- Both wallets in the order of their addresses, so that two that follow each other at once cannot deadlock.
  create function count_follow() returns trigger language plpgsql as $$
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
    end $$;
  create trigger count_follow after insert or delete on follows for each row execute function count_follow();
`

const tokenContent = sql`
  create table token_metadata (
    token text collate "C" not null,
    creation bytea not null default '\\x00'::bytea,
    description text,
    image_url text,
    -- The version of a published token list counts these changes: it must be a function of the data, so that all replicas
    -- return the same one, and must never decrease.
    image_changes integer not null default 0,
    image_changed_at timestamptz(3),
    banner_url text,
    website text,
    twitter text,
    telegram text,
    discord text,
    featured boolean not null default false,
    hidden boolean not null default false,
    -- The contractURI that was read after its update, which is the action at this position.
    contract_uri text,
    contract_uri_block bigint,
    contract_uri_log integer,
    updated_by text collate "C" not null,
    updated_at timestamptz not null default now(),
    primary key (token, creation)
  );
  create index token_metadata_token on token_metadata using hash (token);
  comment on table token_metadata is
    'Texts, pictures, links and flags of a token. Per request, and when its contractURI is fetched.';
  comment on column token_metadata.creation is
    'Not shown: texts, pictures, links, \`featured\`, \`hidden\`, and metadata from the contractURI.';

  create function count_image_change() returns trigger language plpgsql as $$
    declare
      before text := case when tg_op = 'UPDATE' then old.image_url end;
    begin
      if new.image_url is distinct from before then
        new.image_changes := new.image_changes + 1;
        new.image_changed_at := clock_timestamp();
      end if;
      return new;
    end $$;
  create trigger count_image_change before insert or update of image_url on token_metadata
    for each row execute function count_image_change();

  create table token_likes (
    token text collate "C" not null,
    creation bytea not null default '\\x00'::bytea,
    wallet text collate "C" not null,
    created_at timestamptz(3) not null default now(),
    primary key (token, creation, wallet)
  );
  comment on table token_likes is 'Like of a token. Per request.';
  comment on column token_likes.creation is 'Not counted.';

  create table token_counts (
    token text collate "C" not null,
    creation bytea not null default '\\x00'::bytea,
    comments bigint not null default 0 check (comments >= 0),
    likes bigint not null default 0 check (likes >= 0),
    primary key (token, creation)
  ) with (fillfactor = 70);
  create index token_counts_token on token_counts using hash (token);
  comment on table token_counts is 'Counts of the comments and likes of a token. By triggers.';
  comment on column token_counts.creation is 'Not shown.';

  create function count_token_like() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        update token_counts set likes = likes - 1 where token = old.token and creation = old.creation;
      else
        insert into token_counts as c (token, creation, likes) values (new.token, new.creation, 1)
          on conflict (token, creation) do update set likes = c.likes + 1;
      end if;
      return null;
    end $$;
  create trigger count_token_like after insert or delete on token_likes for each row execute function count_token_like();
`

const comments = sql`
  create table comments (
    id bigint generated always as identity primary key,
    token text collate "C" not null,
    creation bytea not null default '\\x00'::bytea,
    author text collate "C" not null,
    -- The comment that began the thread: threads are one level deep.
    parent_id bigint references comments (id),
    body text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    deleted_at timestamptz(3),
    hidden boolean not null default false,
    -- The author is banned.
    silenced boolean not null default false,
    visible boolean not null generated always as (deleted_at is null and not hidden and not silenced) stored,
    -- A removed comment with replies keeps its place in lists, without text and author. A column, because reply_count in the
    -- condition of an index would add an entry to the index with every reply.
    shown boolean not null
      generated always as ((deleted_at is null and not hidden and not silenced) or reply_count > 0) stored,
    like_count bigint not null default 0 check (like_count >= 0),
    reply_count bigint not null default 0 check (reply_count >= 0)
  ) with (fillfactor = 80);
  create index comments_token on comments (token, id desc) where shown;
  create index comments_roots on comments (token, id desc) where shown and parent_id is null;
  create index comments_thread on comments (parent_id, id desc) where visible;
  create index comments_recent on comments (created_at desc, id desc) where visible;
  create index comments_author on comments (author, created_at desc, id desc) where visible;
  create index comments_by_author on comments (author);
  comment on table comments is 'Comment on a token. Per request.';
  comment on column comments.creation is
    'Not listed, 404 by id; the same for the likes, replies and reports that refer to them.';

  -- Locks a comment before the counts of its token, as all writers do.
  create function count_comment() returns trigger language plpgsql as $$
    declare
      change integer := new.visible::integer - case when tg_op = 'UPDATE' then old.visible::integer else 0 end;
    begin
      if change = 0 then return null; end if;
      update comments set reply_count = reply_count + change where id = new.parent_id;
      insert into token_counts as c (token, creation, comments) values (new.token, new.creation, greatest(change, 0))
        on conflict (token, creation) do update set comments = c.comments + change;
      return null;
    end $$;
  create trigger count_comment after insert or update of deleted_at, hidden, silenced on comments
    for each row execute function count_comment();

  create table comment_likes (
    comment_id bigint not null references comments (id),
    wallet text collate "C" not null,
    created_at timestamptz(3) not null default now(),
    primary key (comment_id, wallet)
  );
  comment on table comment_likes is 'Like of a comment. Per request.';

  create function count_comment_like() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        update comments set like_count = like_count - 1 where id = old.comment_id;
      else
        update comments set like_count = like_count + 1 where id = new.comment_id;
      end if;
      return null;
    end $$;
  create trigger count_comment_like after insert or delete on comment_likes
    for each row execute function count_comment_like();
`

const notifications = sql`
  -- block_number and log_index: of the event on the chain, if it is about one; a reorg deletes it by them. creation: of the
  -- liked token; a notification about a comment is shown as long as the comment is. Types belong to the domains.
  create table notifications (
    id bigint generated always as identity primary key,
    recipient text collate "C" not null,
    type text not null,
    actor text collate "C",
    subject text collate "C" not null,
    creation bytea,
    comment_id bigint references comments (id),
    payload jsonb not null default '{}',
    block_number bigint,
    log_index integer,
    created_at timestamptz(3) not null default clock_timestamp(),
    read_at timestamptz(3)
  ) with (fillfactor = 90);
  create index notifications_recipient on notifications (recipient, id desc);
  create index notifications_unread on notifications (recipient, id desc) where read_at is null;
  -- An event that is applied again, after a reorg or by a rebuild, notifies once.
  create unique index notifications_event on notifications (block_number, log_index, type, recipient)
    where block_number is not null;
  -- Repeated likes and follows notify once.
  create unique index notifications_once on notifications (recipient, type, subject, actor, coalesce(creation, '\\x00'::bytea))
    where type in ('token_like', 'comment_like', 'follow');
  -- So does the end of a vote, which has no event. Ids are compared by the collation "C".
  create unique index notifications_vote on notifications ((payload ->> 'proposal') collate "C", recipient)
    where type = 'raise_proposal_passed';
  comment on table notifications is 'Notification of a wallet. Per request, and with the events of a batch.';
  comment on column notifications.creation is
    'Likes of the token are neither listed nor counted as unread; those of comments follow the comment.';
`

const creations = sql`
  create function set_creation() returns trigger language plpgsql as $$
    begin
      new.creation := coalesce((select t.creation from tokens t where t.address = new.token), '\\x00'::bytea);
      return new;
    end $$;
  create trigger set_creation before insert on token_metadata for each row execute function set_creation();
  create trigger set_creation before insert on token_likes for each row execute function set_creation();
  create trigger set_creation before insert on comments for each row execute function set_creation();

  create function set_notification_creation() returns trigger language plpgsql as $$
    begin
      new.creation := coalesce((select t.creation from tokens t where t.address = new.subject), '\\x00'::bytea);
      return new;
    end $$;
  create trigger set_creation before insert on notifications for each row when (new.type = 'token_like')
    execute function set_notification_creation();
`

const moderation = sql`
  create table reports (
    id bigint generated always as identity primary key,
    comment_id bigint not null references comments (id),
    reporter text collate "C" not null,
    reason text not null check (reason in ('spam', 'scam', 'abuse', 'illegal', 'other')),
    note text,
    status text not null default 'open' check (status in ('open', 'upheld', 'dismissed')),
    created_at timestamptz(3) not null default now(),
    unique (comment_id, reporter)
  );
  create index reports_status on reports (status, id desc);
  comment on table reports is 'Report of a comment. Per request, and on the decision of an operator.';

  create table audit_log (
    id bigint generated always as identity primary key,
    actor text collate "C" not null,
    action text not null,
    subject text collate "C" not null,
    reason text,
    created_at timestamptz(3) not null default now()
  );
  create index audit_log_actor on audit_log (actor, id desc);
  create index audit_log_subject on audit_log (subject, id desc);
  create index audit_log_visibility on audit_log (subject, id) where action in ('token.hide', 'token.unhide');
  comment on table audit_log is 'Action of an operator or labs member. Appended.';

  -- Personal data, for operators only. The public id does not reveal the number of applications.
  create table ambassador_applications (
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
  );
  create unique index ambassador_applications_email on ambassador_applications (lower(email)) where status = 'pending';
  create unique index ambassador_applications_wallet on ambassador_applications (wallet) where status = 'pending';
  create index ambassador_applications_recent on ambassador_applications (created_at desc, id desc);
  create index ambassador_applications_status on ambassador_applications (status, created_at desc, id desc);
  comment on table ambassador_applications is
    'Application of an ambassador. Per request, and on the decision of an operator.';
`

export async function up(db: Kysely<unknown>): Promise<void> {
  const all = [profiles, tokenContent, comments, notifications, creations, moderation]
  for (const part of all) await part.execute(db)
}
