import { sql, type Transaction } from 'kysely'
import type { Database } from '../schema.ts'
import { logAction } from './audit-log.ts'
import { eraseDeletedText, lockComment, missingComment, setSilenced } from './comments.ts'
import { countComments } from './counts.ts'
import { isRemoved } from './deployments/visibility.ts'
import { getLaunch } from './launches.ts'
import { getRaiseCreator, upsertRaiseMetadata } from './raises/raises.ts'
import { upholdReports } from './reports.ts'

/** The operator, and the reason. */
interface Decision {
  actor: string
  reason: string | null
}

/**
 * Hides a token from all lists, or shows it again. token_metadata keeps the decision across reorgs and rebuilds;
 * token_figures repeats it for the lists' indexes. The caller holds the apply lock, because a concurrent rebuild would
 * restore the old figure. Returns whether it is hidden: a token of a removed launchpad stays hidden. Throws TOKEN_NOT_FOUND.
 */
export async function setTokenHidden(
  trx: Transaction<Database>,
  { token, hidden, actor, reason }: Decision & { token: string; hidden: boolean },
): Promise<boolean> {
  const { id } = await getLaunch(trx, token)
  await trx
    .insertInto('token_metadata')
    .values({ token_id: id, hidden, updated_by: actor })
    .onConflict((conflict) => conflict.column('token_id').doUpdateSet({ hidden }))
    .execute()
  const { rows } = await sql<{ hidden: boolean }>`
    update token_figures set hidden = ${hidden}::boolean or ${isRemoved('t')} from tokens t
    where token_id = ${id} and t.id = ${id} returning hidden`.execute(trx)
  await logAction(trx, { actor, action: hidden ? 'token.hide' : 'token.unhide', subject: token, reason })
  return rows[0]!.hidden
}

/** Features a token, or ends that. Throws TOKEN_NOT_FOUND. */
export async function setTokenFeatured(
  trx: Transaction<Database>,
  { token, featured, actor, reason }: Decision & { token: string; featured: boolean },
): Promise<void> {
  const { id } = await getLaunch(trx, token)
  await trx
    .insertInto('token_metadata')
    .values({ token_id: id, featured, updated_by: actor })
    .onConflict((conflict) => conflict.column('token_id').doUpdateSet({ featured }))
    .execute()
  await logAction(trx, { actor, action: featured ? 'token.feature' : 'token.unfeature', subject: token, reason })
}

/** Features a raise, or ends that, on behalf of its creator. Throws RESOURCE_NOT_FOUND. */
export async function setRaiseFeatured(
  trx: Transaction<Database>,
  { raise, featured, actor, reason }: Decision & { raise: string; featured: boolean },
): Promise<void> {
  const creator = await getRaiseCreator(trx, raise)
  await upsertRaiseMetadata(trx, { raises: [raise], creator, wallet: actor }, { featured })
  await logAction(trx, { actor, action: featured ? 'raise.feature' : 'raise.unfeature', subject: raise, reason })
}

/**
 * Hides a comment, which upholds its open reports, or shows it again. A deleted comment can only be hidden, and only
 * while it has open reports. Throws RESOURCE_NOT_FOUND.
 */
export async function setCommentHidden(
  trx: Transaction<Database>,
  { id, hidden, actor, reason }: Decision & { id: number; hidden: boolean },
): Promise<{ token: string; wasDeleted: boolean }> {
  const comment = await lockComment(trx, id)
  const wasDeleted = comment.deleted_at !== null
  if (wasDeleted && !hidden) throw missingComment(id)
  const { visible } = await trx
    .updateTable('comments')
    .set({ hidden })
    .where('id', '=', id)
    .returning('visible')
    .executeTakeFirstOrThrow()
  if (visible !== comment.visible) await countComments(trx, [comment], visible ? 1 : -1)
  const upheld = hidden ? await upholdReports(trx, id) : 0
  if (wasDeleted && upheld === 0) throw missingComment(id)
  if (wasDeleted) await eraseDeletedText(trx, id)
  await logAction(trx, { actor, action: hidden ? 'comment.hide' : 'comment.unhide', subject: String(id), reason })
  return { token: comment.token, wasDeleted }
}

/**
 * Bans a wallet, or lifts the ban: its comments disappear at once, and return with it. Waits for the wallet's open
 * writes (see enterAsWriter), so that none escapes the ban.
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
  await setSilenced(trx, { author: wallet, silenced: banned })
  await logAction(trx, { actor, action: banned ? 'wallet.ban' : 'wallet.unban', subject: wallet, reason })
}
