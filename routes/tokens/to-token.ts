import type { FastifyRequest } from 'fastify'
import { findLikedTokens } from '../../db/queries/likes.ts'
import type { TokenRow } from '../../db/queries/tokens.ts'
import { toToken as toRecord } from '../../records/to-token.ts'

type Asked = Pick<FastifyRequest, 'db' | 'server' | 'wallet'>

/** Converts token rows to API records. Adds the authenticated wallet’s likes, with one more query. */
export async function toTokens(rows: readonly TokenRow[], { db, server, wallet }: Asked) {
  const { chainId } = server.settings
  const tokens = rows.map(({ address }) => address)
  const liked = wallet === null ? null : await findLikedTokens(db, { wallet, tokens })
  return rows.map((row) => toRecord(row, { chainId, liked: liked?.has(row.address) ?? null }))
}

export const toToken = async (row: TokenRow, request: Asked) =>
  (await toTokens([row], request))[0] as ReturnType<typeof toRecord>
