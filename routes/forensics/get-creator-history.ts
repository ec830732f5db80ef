import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCreatorHistory } from '../../db/queries/forensics/creator-history.ts'
import { getLaunch } from '../../db/queries/launches.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toCreatorHistory } from '../../records/forensics/to-creator-history.ts'
import { AddressParams, Envelope, ok, ref } from '../../schemas/common.ts'
import { CreatorHistory } from '../../schemas/forensics.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:address/creator',
    {
      config: { bucket: 'read-heavy', heavyRead: 'aggregate', cache: ['market', 'chain'] },
      schema: {
        operationId: 'getTokenCreator',
        tags: ['Forensics'],
        summary: 'Get the history of a token’s creator',
        description: 'What became of the tokens that its creator launched: the latest 1,000, hidden ones included.',
        params: AddressParams,
        response: { 200: Envelope(ref(CreatorHistory)), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, params }) => {
      const { creator } = await getLaunch(db, params.address)
      return ok(toCreatorHistory(await getCreatorHistory(db, creator), creator))
    },
  )
}

export default routes
