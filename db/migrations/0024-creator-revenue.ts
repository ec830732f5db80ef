import { type Kysely, sql } from 'kysely'

/* What each recipient was paid of the creator fees of a token. The payouts so far are those of the stored actions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table creator_revenue (
      token_id integer not null,
      recipient bytea not null,
      claimed numeric(78,0) not null,
      primary key (token_id, recipient)
    );
    create index creator_revenue_recipient on creator_revenue (recipient, token_id);
    comment on table creator_revenue is
      'What a recipient was paid of the creator fees of a token, in its quote asset. Once per batch and pair. Spread: by token.';

    create view readable_creator_revenue as
      select k.address as token, '0x' || encode(r.recipient, 'hex') as recipient, r.claimed
      from creator_revenue r left join tokens k on k.id = r.token_id;
    comment on view readable_creator_revenue is
      'Row of \`creator_revenue\` with text instead of numbers and bytes. A view, for psql.';

    insert into creator_revenue (token_id, recipient, claimed)
    select k.id, a.wallet, sum((a.data->>'amount')::numeric)
    from actions a join tokens k on k.address = a.subject
    where a.type = 'claim_creator_fee'
    group by k.id, a.wallet having sum((a.data->>'amount')::numeric) > 0;
  `.execute(db)
}
