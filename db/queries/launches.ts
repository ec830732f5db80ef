import type { Kysely } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../schema.ts'

/** A launched token with the addresses that hold a part of its supply. */
export interface LaunchRow {
  /** The number of the launch. */
  id: number
  address: string
  creator: string
  launchpad: string
  decimals: number
  total_supply: string
  /** null before the graduation. */
  pool: string | null
  /** The contract that holds the tokens in the pool; null: the pool does. */
  pool_manager: string | null
}

/** Throws TOKEN_NOT_FOUND. */
export async function getLaunch(db: Kysely<Database>, address: string): Promise<LaunchRow> {
  const launch = await db
    .selectFrom('tokens')
    .innerJoin('token_figures', 'token_figures.token_id', 'tokens.id')
    .where('tokens.address', '=', address)
    .select([
      'tokens.id',
      'tokens.address',
      'tokens.creator',
      'tokens.launchpad',
      'tokens.decimals',
      'tokens.total_supply',
      'tokens.pool_manager',
      'token_figures.pool',
    ])
    .executeTakeFirst()
  if (!launch) throw new AppError('TOKEN_NOT_FOUND', { address })
  return launch
}

/** Whether a token was launched here, hidden or not. */
export async function isLaunched(db: Kysely<Database>, address: string): Promise<boolean> {
  const token = await db.selectFrom('tokens').where('address', '=', address).select('id').executeTakeFirst()
  return token !== undefined
}
