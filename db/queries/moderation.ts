import { sql, type Transaction } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../schema.ts'
import { logAction } from './audit-log.ts'
import { getRaiseCreator } from './raises.ts'
import { getLaunch } from './tokens.ts'

/** Who acts, and why. */
interface Decision {
  actor: string
  reason: string | null
}

/**
 * Takes a token out of all lists, or puts it back. What the operator decided is in token_metadata, which outlives a reorg
 * and a rebuild; token_figures repeats it for the lists' indexes. The caller holds the indexer's lock, or a rebuild that is
 * under way would bring the old figure back. Throws TOKEN_NOT_FOUND.
 */
export async function setTokenHidden(
  trx: Transaction<Database>,
  { token, hidden, actor, reason }: Decision & { token: string; hidden: boolean },
): Promise<void> {
  await getLaunch(trx, token)
  await trx
    .insertInto('token_metadata')
    .values({ token, hidden, updated_by: actor })
    .onConflict((conflict) => conflict.columns(['token', 'creation']).doUpdateSet({ hidden }))
    .execute()
  await trx.updateTable('token_figures').set({ hidden }).where('token', '=', token).execute()
  await logAction(trx, { actor, action: hidden ? 'token.hide' : 'token.unhide', subject: token, reason })
}

/** Marks a token as worth a look, or no more. Throws TOKEN_NOT_FOUND. */
export async function setTokenFeatured(
  trx: Transaction<Database>,
  { token, featured, actor, reason }: Decision & { token: string; featured: boolean },
): Promise<void> {
  await getLaunch(trx, token)
  await trx
    .insertInto('token_metadata')
    .values({ token, featured, updated_by: actor })
    .onConflict((conflict) => conflict.columns(['token', 'creation']).doUpdateSet({ featured }))
    .execute()
  await logAction(trx, { actor, action: featured ? 'token.feature' : 'token.unfeature', subject: token, reason })
}

/** The same of a raise, under the wallet that opened it. Throws RESOURCE_NOT_FOUND. */
export async function setRaiseFeatured(
  trx: Transaction<Database>,
  { raise, featured, actor, reason }: Decision & { raise: string; featured: boolean },
): Promise<void> {
  const creator = await getRaiseCreator(trx, raise)
  await trx
    .insertInto('raise_metadata')
    .values({ raise, creator, featured, updated_by: actor })
    .onConflict((conflict) => conflict.columns(['raise', 'creator']).doUpdateSet({ featured }))
    .execute()
  await logAction(trx, { actor, action: featured ? 'raise.feature' : 'raise.unfeature', subject: raise, reason })
}

/** Hides a comment from everybody, which upholds what was reported of it; or shows it again. Throws RESOURCE_NOT_FOUND. */
export async function setCommentHidden(
  trx: Transaction<Database>,
  { id, hidden, actor, reason }: Decision & { id: number; hidden: boolean },
): Promise<{ token: string }> {
  const comment = await trx
    .updateTable('comments')
    .set({ hidden })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('token')
    .executeTakeFirst()
  if (!comment) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Comment', id: String(id) })
  if (hidden) {
    await sql`update reports set status = 'upheld' where comment_id = ${id} and status = 'open'`.execute(trx)
  }
  await logAction(trx, { actor, action: hidden ? 'comment.hide' : 'comment.unhide', subject: String(id), reason })
  return comment
}

/**
 * Silences a wallet, or lets it speak again: its comments go from everywhere at once, and come back with it. Writes of the
 * wallet that are under way end first (see enterAsWriter), so that none slips by.
 */
export async function setWalletBanned(
  trx: Transaction<Database>,
  { wallet, banned, actor, reason }: Decision & { wallet: string; banned: boolean },
): Promise<void> {
  const banned_at = banned ? new Date() : null
  await trx
    .insertInto('profiles')
    .values({ wallet, banned_at })
    .onConflict((conflict) => conflict.column('wallet').doUpdateSet({ banned_at }))
    .execute()
  await sql`update comments set silenced = ${banned} where author = ${wallet} and silenced <> ${banned}`.execute(trx)
  await logAction(trx, { actor, action: banned ? 'wallet.ban' : 'wallet.unban', subject: wallet, reason })
}
