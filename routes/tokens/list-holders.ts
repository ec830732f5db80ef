import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { forensicsReasons } from '../../db/queries/forensics/read-launch.ts'
import { listCustody, listHolders } from '../../db/queries/holders.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toHolder } from '../../records/to-holder.ts'
import { AddressParams, Envelope, ok } from '../../schemas/common.ts'
import { HolderList, HolderQuery } from '../../schemas/holders.ts'
import { AmountKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const ORDER = 'holders'
const isOfPast = ({ query }: FastifyRequest): boolean => (query as { at?: unknown }).at !== undefined
const historyReasons = Object.values(forensicsReasons)

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/holders',
    {
      config: {
        bucket: 'read-heavy',
        isInBucket: isOfPast,
        cache: ['token'],
        heavyRead: (request) => (isOfPast(request) ? 'replay' : undefined),
      },
      schema: {
        operationId: 'listTokenHolders',
        tags: ['Tokens'],
        summary: 'List the holders of a token',
        description:
          'Ordered by balance, highest first. The balances add up to the total supply; addresses other than plain ' +
          'wallets have a label. With `at`, balances after an earlier block: by undoing later transfers, as far as 20,000 logs ' +
          'reach, and within the quota of the operation.',
        params: AddressParams,
        querystring: HolderQuery,
        response: { 200: Envelope(HolderList), ...failures('NO_PAGES', 'TOKEN_NOT_FOUND', ...historyReasons) },
      },
    },
    async ({ db, params, query }) => {
      const { at } = query
      const order = at === undefined ? ORDER : `${ORDER} at ${at}`
      const { limit, after } = readCursor(query, order, AmountKeyset)
      const launch = await getLaunch(db, params.address)
      const rows =
        at === undefined
          ? await listHolders(db, { tokenId: launch.id, limit: limit + 1, after })
          : await app.holdersAt.list(db, { token: launch, block: at, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, order, (row) => [row.balance, row.wallet])
      const custody = await listCustody(db)
      return ok({ items: items.map((row) => toHolder(row, { launch, custody })), nextCursor })
    },
  )
}

export default routes
