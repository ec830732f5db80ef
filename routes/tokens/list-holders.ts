import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { toPercent } from '../../chain/price.ts'
import { type HolderRow, listHolders } from '../../db/queries/holders.ts'
import { getLaunch } from '../../db/queries/tokens.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toIso } from '../../records/format.ts'
import { AddressParams, Envelope, ok } from '../../schemas/common.ts'
import { type Holder, HolderList, TokenCursorQuery } from '../../schemas/tokens.ts'
import { AmountKeyset } from '../keysets.ts'
import { cutPage, readCursor } from '../paging.ts'

const ORDER = 'holders'

/** Burn addresses: no private key is known for either. */
const burnAddresses = [`0x${'0'.repeat(40)}`, '0x000000000000000000000000000000000000dead']

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/holders',
    {
      config: { coalesce: true },
      schema: {
        operationId: 'listTokenHolders',
        tags: ['Tokens'],
        summary: 'List the holders of a token',
        description:
          'Ordered by balance, highest first. The balances add up to the total supply; addresses other than plain ' +
          'wallets have a label.',
        params: AddressParams,
        querystring: TokenCursorQuery,
        response: { 200: Envelope(HolderList), ...failures('NO_PAGES', 'TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, params, query }) => {
      const { limit, after } = readCursor(query, ORDER, AmountKeyset)
      const launch = await getLaunch(db, params.address)
      const rows = await listHolders(db, { token: launch.address, limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, ORDER, (row) => [row.balance, row.wallet])
      return ok({ items: items.map((row) => toHolder(row, launch)), nextCursor })
    },
  )
}

export default routes

type Label = Static<typeof Holder>['label']
type Launch = Awaited<ReturnType<typeof getLaunch>>

function toHolder(row: HolderRow, launch: Launch) {
  return {
    address: row.wallet,
    balance: row.balance,
    pct: toPercent(BigInt(row.balance), BigInt(launch.total_supply)),
    label: labelOf(row.wallet, launch),
    firstSeenAt: toIso(row.first_seen_at),
    lastActiveAt: toIso(row.last_trade_at ?? row.first_seen_at),
  }
}

function labelOf(wallet: string, { launchpad, pool, creator }: Launch): Label {
  if (burnAddresses.includes(wallet)) return 'burn'
  if (wallet === launchpad) return 'curve'
  if (wallet === pool) return 'pool'
  return wallet === creator ? 'creator' : null
}
