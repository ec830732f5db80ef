import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forensicsReasons, getForensicToken, readLaunch } from '../../db/queries/forensics/read-launch.ts'
import { AppError } from '../../errors.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toFirstBuyer } from '../../records/forensics/to-first-buyer.ts'
import { AddressParams, Envelope, ok } from '../../schemas/common.ts'
import { FirstBuyers } from '../../schemas/forensics.ts'

const SHOWN = 50

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/first-buyers',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate', cache: ['token', 'chain'] },
      schema: {
        operationId: 'listFirstBuyers',
        tags: ['Forensics'],
        summary: 'List the first buyers of a token',
        description:
          'The first 50 wallets that bought it, in order, with their first purchase and what they hold now; of the first 500 ' +
          'trades. Flags say how they bought.',
        params: AddressParams,
        response: {
          200: Envelope(FirstBuyers),
          ...failures('TOKEN_NOT_FOUND', forensicsReasons.HISTORY_ARCHIVED),
        },
      },
    },
    async ({ db, params }) => {
      const token = await getForensicToken(db, params.address)
      const launch = await readLaunch(db, token, app.settings.sniperSeconds)
      if (!launch) throw new AppError(forensicsReasons.HISTORY_ARCHIVED)
      return ok({ items: launch.buyers.slice(0, SHOWN).map((buyer) => toFirstBuyer(buyer, launch)) })
    },
  )
}

export default routes
