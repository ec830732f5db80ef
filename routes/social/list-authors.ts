import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findAuthors } from '../../db/queries/profiles.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toAuthor } from '../../records/to-author.ts'
import { Envelope, ok } from '../../schemas/common.ts'
import { AuthorBatch, WalletBatch } from '../../schemas/profiles.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/profiles/batch',
    {
      schema: {
        operationId: 'listAuthors',
        tags: ['Social'],
        summary: 'Get the names and avatars of many wallets',
        description:
          'Such as those of a page of trades. Changes nothing: the addresses are in the body because a URL is too ' +
          'short for them. Wallets without a name and an avatar are left out, as are banned ones.',
        body: WalletBatch,
        response: { 200: Envelope(AuthorBatch), ...failures() },
      },
    },
    async ({ db, body }) => {
      const wallets = [...new Set(body.wallets)]
      const found = await findAuthors(
        db,
        wallets.map((wallet) => ({ wallet })),
      )
      return ok({ items: [...found].map(([wallet, author]) => toAuthor(wallet, author)) })
    },
  )
}

export default routes
