import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listPublished } from '../../../db/queries/integrations/published-list.ts'
import { AppError } from '../../../errors.ts'
import { exemplify, failures } from '../../../lib/openapi/failures.ts'
import { ref } from '../../../schemas/common.ts'
import { TokenList, TokenListQuery, tokenListLimits } from '../../../schemas/integrations/token-list.ts'
import { assembleTokenList } from './assemble-token-list.ts'

/** The same list at two paths: some programs require a URL that ends in .json. */
const paths = [
  ['/tokenlist', 'getTokenList', 'Get the token list'],
  ['/tokenlist.json', 'getTokenListFile', 'Get the token list by a .json path'],
] as const

const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [path, operationId, summary] of paths) {
    app.get(
      path,
      {
        config: { bucket: 'read-heavy', heavyRead: 'aggregate' },
        schema: {
          operationId,
          tags: ['Integrations'],
          summary,
          description:
            'Final tokens in Uniswap’s token list format, oldest first. Version changes: major for a removed token, ' +
            'minor for an added token, patch for a changed image. 404 if the list is empty, which the format does ' +
            'not allow.',
          querystring: TokenListQuery,
          response: {
            200: ref(TokenList),
            ...failures(exemplify('RESOURCE_NOT_FOUND', { resource: 'Token list', id: 'graduated 1' })),
          },
        },
      },
      async ({ db, query: { include = 'graduated', part = 1 } }) => {
        const limit = tokenListLimits.tokens
        const rows = await listPublished(db, { include, limit, offset: (part - 1) * limit })
        const list = assembleTokenList(rows, { include, part }, app.settings)
        if (!list) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Token list', id: `${include} ${part}` })
        return list
      },
    )
  }
}

export default routes
