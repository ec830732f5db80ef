import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Transaction } from 'kysely'
import { setWalletBanned } from '../../db/queries/moderation.ts'
import type { Database } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { exemplify, failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { Decision, WalletBan } from '../../schemas/operators/operators.ts'
import { WalletParams } from '../../schemas/profiles.ts'
import { enqueueRemovalsOf } from '../social/enqueue-events.ts'
import { readReason } from './read-reason.ts'

const isOperator = exemplify('WRONG_STATE', { resource: 'This wallet', state: 'an operator' })

const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const banned of [true, false]) {
    app.post(
      `/wallets/:wallet/${banned ? 'ban' : 'unban'}`,
      {
        schema: {
          operationId: banned ? 'banWallet' : 'unbanWallet',
          tags: ['Operators'],
          summary: banned ? 'Ban a wallet' : 'Unban a wallet',
          description: banned
            ? 'A banned wallet may read but not write. Its comments and its username, bio and avatar are no longer ' +
              'returned. 409 for operators.'
            : 'The wallet’s comments are returned again.',
          security: walletRequired,
          params: WalletParams,
          body: Decision,
          response: {
            200: Envelope(ref(WalletBan)),
            ...failures('NOT_ADMIN', 'WALLET_BANNED', 'CACHE_READ_ONLY', ...(banned ? [isOperator] : [])),
          },
        },
      },
      async (request) => {
        const { wallet } = request.params
        if (banned && app.settings.adminWallets.includes(wallet))
          throw new AppError('WRONG_STATE', { resource: 'This wallet', state: 'an operator' })
        const decision = { wallet, banned, actor: walletOf(request), reason: readReason(request.body) }
        // Its comments are on many tokens.
        const decide = async (trx: Transaction<Database>) => {
          await setWalletBanned(trx, decision)
          if (banned) await enqueueRemovalsOf(trx, wallet)
        }
        await app.transactionWithEvents(decide, ['social', 'token', 'market'])
        await app.bannedWallets.set(wallet, banned)
        return ok({ wallet, banned })
      },
    )
  }
}

export default routes
