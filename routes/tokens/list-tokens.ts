import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { countTokens, listTokens, listTokensByNumber, type TokenSort } from '../../db/queries/token-list.ts'
import type { TokenFilter } from '../../features/screener/filters.ts'
import { readFilter } from '../../features/screener/read-filter.ts'
import { screenerReasons } from '../../features/screener/screener.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { Envelope, ok, walletOptional } from '../../schemas/common.ts'
import { TokenCursorQuery, TokenList, TokenListQuery, TokenPage } from '../../schemas/tokens.ts'
import { filteredKeysets, tokenKeysets } from '../keysets.ts'
import { type CursorRequest, cutPage, type PageRequest, readCursor, readPaging } from '../paging.ts'
import { personalizeTokens } from './personalize-tokens.ts'

/** The token list in six orders; two of them also have their own paths. */
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
          'no range. Shortly after a start of the service a filtered list may answer 503.',
        security: walletOptional,
        querystring: TokenListQuery,
        response: { 200: Envelope(TokenPage), ...failures('PAGE_TOO_DEEP', screenerReasons.FILTERS_NOT_READY) },
      },
    },
    async (request) => {
      const { sort = 'trending' } = request.query
      const filter = readFilter(request.query, LIST_PARAMETERS)
      if (filter !== null) return ok(await readFiltered(request, sort, filter))
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

const LIST_PARAMETERS = ['sort', 'page', 'limit', 'cursor']

type Keyset = readonly [string, string]

/** The places come from memory, and the rows from the primary, which the memory follows. */
async function readFiltered(request: FastifyRequest, sort: TokenSort, filter: TokenFilter) {
  const { screener, databases } = request.server
  const order = `tokens:${sort}:filtered`
  const { limit, after, offset, page } = readPaging(request.query as object, order, filteredKeysets[sort])
  await screener.catchUp()
  const place = after && { value: Number(after[0]), tie: Number(after[1]) }
  const { places, total } = screener.list({ filter, sort, limit: limit + 1, offset, after: place })
  const { items, nextCursor } = cutPage(places, limit, order, ({ value, tie }) => [String(value), String(tie)])
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
