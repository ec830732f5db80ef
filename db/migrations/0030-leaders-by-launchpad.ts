import { type Kysely, sql } from 'kysely'

/*
 * The kind of launchpad on which a wallet has traded; and, for those that have on several, its figures on each. The indexes of the
 * leaderboard begin with the kind: lists over all kinds merge those of each, so a service that follows one kind has no index more.
 *
 * If there is one kind, all wallets have traded on it. Else the kinds are unknown, as are those of wallets that processes
 * of the version before insert until they are replaced: null without rows in the new table. Such wallets are ranked only among all.
 * The next indexer that starts completes them, or has the derived tables rebuilt (see completeKinds). Without the former indexes, the
 * leaderboard of the version before sorts all wallets.
 */

const PERIODS = ['total', 'h24', 'd7', 'd30']
const figuresOf = (period: string) => `
  trades_${period} bigint not null, volume_${period} numeric(78,0) not null, volume_usd_${period} numeric(38,8) not null,
  realized_${period} numeric(78,0) not null, realized_usd_${period} numeric(38,8) not null`

/** An index for each ranking of traders. */
const indexesOf = (table: string) =>
  PERIODS.flatMap((period) =>
    ['volume', 'realized'].map(
      (
        figure,
      ) => `create index ${table}_kind_${figure}_${period} on ${table} (launchpad_kind, ${figure}_${period} desc, wallet)
        where trades_${period} > 0`,
    ),
  )

const statements = [
  `comment on column wallet_figures.launchpad_kind is 'The only kind of launchpad on which it has traded; null if there are several.'`,
  `create table wallet_launchpad_figures (
    wallet bytea not null, launchpad_kind text not null, ${PERIODS.map(figuresOf)}, primary key (wallet, launchpad_kind)
  )`,
  `comment on table wallet_launchpad_figures is
    'Turnover and profit of a wallet on a kind of launchpad, if it has traded on several. Once per batch and wallet. Spread: by wallet.'`,
  ...indexesOf('wallet_launchpad_figures'),
  ...indexesOf('wallet_figures'),
  ...PERIODS.flatMap((period) => [
    `drop index wallet_figures_${period}`,
    `drop index wallet_figures_realized_${period}`,
  ]),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ kind: string }>`select distinct kind from launchpad_figures`.execute(db)
  const only = rows.length === 1 ? rows[0]?.kind : undefined
  // One statement at a time: on Citus, they are sent as prepared statements.
  if (only === undefined) await sql`alter table wallet_figures add column launchpad_kind text`.execute(db)
  else {
    // A default gives it to the stored rows without writing them.
    await sql`alter table wallet_figures add column launchpad_kind text default ${sql.lit(only)}`.execute(db)
    await sql`alter table wallet_figures alter column launchpad_kind drop default`.execute(db)
  }
  for (const statement of statements) await sql.raw(statement).execute(db)
}
