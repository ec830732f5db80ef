import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { countUnread, listNotifications, markRead } from '../../db/queries/notifications.ts'
import { enqueueEvents } from '../../db/queries/outbox.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { channels } from '../../records/channels.ts'
import { toEvent } from '../../records/events.ts'
import { toNotification } from '../../records/to-notification.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { NotificationList, NotificationQuery, ReadRequest, ReadResult } from '../../schemas/social.ts'
import { IdKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/notifications',
    {
      schema: {
        operationId: 'listNotifications',
        tags: ['Social'],
        summary: 'List your notifications',
        description: 'Newest first. Notifications of a comment are removed with the comment.',
        security: walletRequired,
        querystring: NotificationQuery,
        response: { 200: Envelope(NotificationList), ...failures('NO_PAGES') },
      },
    },
    async (request) => {
      const recipient = walletOf(request)
      const unread = !['false', '0'].includes(request.query.unread ?? 'false')
      const order = unread ? 'notifications:unread' : 'notifications'
      const { limit, after } = readCursor(request.query, order, IdKeyset)
      const rows = await listNotifications(request.db, {
        recipient,
        unread,
        limit: limit + 1,
        after: after?.[0] ?? null,
      })
      const { items, nextCursor } = cutPage(rows, limit, order, (row) => [row.id])
      return ok({ items: items.map(toNotification), nextCursor, unreadCount: await countUnread(request.db, recipient) })
    },
  )

  app.post(
    '/notifications/read',
    {
      schema: {
        operationId: 'readNotifications',
        tags: ['Social'],
        summary: 'Mark notifications as read',
        description: 'Ids of other wallets’ notifications are ignored.',
        security: walletRequired,
        body: ReadRequest,
        response: { 200: Envelope(ref(ReadResult)), ...failures('WALLET_BANNED') },
      },
    },
    async (request) => {
      const recipient = walletOf(request)
      const ids = request.body.ids?.map(Number) ?? 'all'
      const result = await app.transactionWithEvents(async (trx) => {
        const read = await markRead(trx, { recipient, ids })
        const result = { read, unreadCount: await countUnread(trx, recipient) }
        if (read > 0) await enqueueEvents(trx, [toEvent('notification.read', [channels.wallet(recipient)], result)])
        return result
      }, [])
      return ok(result)
    },
  )
}

export default routes
