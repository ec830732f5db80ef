import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { countTokens, listTokens, listTokensByNumber, type TokenSort } from '../../db/queries/token-list.ts'
import type { TokenFilter } from '../../features/screener/filters.ts'
import { readFilter } from '../../features/screener/read-filter.ts'
import { screenerReasons } from '../../features/screener/screener.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import type { TokenOrdering } from '../../schemas/screener.ts'
import { TokenCursorQuery, TokenList, TokenListQuery, TokenPage } from '../../schemas/tokens.ts'
import { ScreenedKeyset, tokenKeysets } from '../keysets.ts'
import { type CursorRequest, cutPage, type PageRequest, readCursor, readPaging } from '../paging.ts'
import { personalizeTokens } from './personalize-tokens.ts'

/** The token list in its orders; two of them also have their own paths. */
const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '',
    {
      config: { cache: ['market', 'chain'] },
      schema: {
        operationId: 'listTokens',
        tags: ['Tokens'],
        summary: 'List tokens',
        description:
          'Excludes hidden tokens. Supports pages and cursors. All given filters must match; a figure that is unknown is within ' +
          'no range. Shortly after a start of the service a list with filters, or in an order of figures, may answer 503.',
        security: walletOptional,
        querystring: TokenListQuery,
        response: { 200: Envelope(TokenPage), ...failures('PAGE_TOO_DEEP', screenerReasons.FILTERS_NOT_READY) },
      },
    },
    async (request) => {
      const { sort = 'trending', direction = 'desc' } = request.query
      const filter = readFilter(request.query, LIST_PARAMETERS)
      if (filter !== null || direction === 'asc' || !isIndexed(sort))
        return ok(await readScreened(request, { sort, direction }, filter ?? { ranges: [] }))
      const paging = readPaging(request.query, `tokens:${sort}`, tokenKeysets[sort])
      const [list, total] = await Promise.all([readList(request, sort, paging), countTokens(request.db, sort)])
      return ok({ ...list, page: paging.page, limit: paging.limit, total })
    },
  )

  app.get(
    '/trending',
    {
      config: { cache: ['market', 'chain'] },
      schema: {
        operationId: 'listTrendingTokens',
        tags: ['Tokens'],
        summary: 'List trending tokens',
        description:
          'Ordered by traded volume with a weight that decays hourly. Same order as sort=trending of the token ' +
          'list.',
        security: walletOptional,
        querystring: TokenCursorQuery,
        response: { 200: Envelope(TokenList), ...failures('NO_PAGES') },
      },
    },
    async (request) =>
      ok(await readList(request, 'trending', readCursor(request.query, 'tokens:trending', tokenKeysets.trending))),
  )

  app.get(
    '/new',
    {
      config: { cache: ['market', 'chain'] },
      schema: {
        operationId: 'listNewTokens',
        tags: ['Tokens'],
        summary: 'List new tokens',
        description: 'Latest launch first. Same order as sort=newest of the token list.',
        security: walletOptional,
        querystring: TokenCursorQuery,
        response: { 200: Envelope(TokenList), ...failures('NO_PAGES') },
      },
    },
    async (request) =>
      ok(await readList(request, 'newest', readCursor(request.query, 'tokens:newest', tokenKeysets.newest))),
  )
}

export default routes

const LIST_PARAMETERS = ['sort', 'direction', 'page', 'limit', 'cursor']

const isIndexed = (sort: TokenOrdering['sort']): sort is TokenSort => sort in tokenKeysets

type Keyset = readonly [string, string]

/** The places come from memory, and the rows from the primary, which the memory follows. */
async function readScreened(request: FastifyRequest, order: TokenOrdering, filter: TokenFilter) {
  const { screener, databases } = request.server
  const name = `tokens:${order.sort}:${order.direction}:screened`
  const { limit, after, offset, page } = readPaging(request.query as object, name, ScreenedKeyset)
  await screener.catchUp()
  const place = after && { key: Number(after[0]), tie: Number(after[1]) }
  const { places, total } = screener.list({ filter, order, limit: limit + 1, offset, after: place })
  const { items, nextCursor } = cutPage(places, limit, name, ({ key, tie }) => [String(key), String(tie)])
  const rows = await listTokensByNumber(
    databases.reads,
    items.map(({ id }) => id),
  )
  return { items: await personalizeTokens(rows, request), page, limit, total, nextCursor }
}

async function readList(
  request: FastifyRequest,
  sort: TokenSort,
  { limit, after, offset = 0 }: CursorRequest<Keyset> & Partial<PageRequest<Keyset>>,
) {
  const rows = await listTokens(request.db, { sort, limit: limit + 1, offset, after })
  const { items, nextCursor } = cutPage(rows, limit, `tokens:${sort}`, (row) => [row.keyset_first, row.keyset_second])
  return { items: await personalizeTokens(items, request), nextCursor }
}
