import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listPublished } from '../../../db/queries/integrations/published-list.ts'
import { AppError } from '../../../errors.ts'
import { exemplify, failures } from '../../../lib/openapi/failures.ts'
import { ref } from '../../../schemas/common.ts'
import { TokenList, TokenListQuery, tokenListLimits } from '../../../schemas/integrations/token-list.ts'
import { toTokenList } from './to-token-list.ts'

/** The same list at two paths: some programs only take a URL that ends in .json. */
const paths = [
  ['/tokenlist', 'getTokenList', 'Tokens as a token list'],
  ['/tokenlist.json', 'getTokenListFile', 'The token list, by a path that ends in .json'],
] as const

const routes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [path, operationId, summary] of paths) {
    app.get(
      path,
      {
        config: { bucket: 'read-heavy' },
        schema: {
          operationId,
          tags: ['Integrations'],
          summary,
          description:
            'In the format of Uniswap’s token lists, oldest first, and only what is final. Its version rises by its ' +
            'rules: major when a token goes, minor when one comes, patch when a picture changes. 404 while there is ' +
            'nothing to list, which the format has no form for.',
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
        const list = toTokenList(rows, { include, part }, app.settings)
        if (!list) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Token list', id: `${include} ${part}` })
        return list
      },
    )
  }
}

export default routes
