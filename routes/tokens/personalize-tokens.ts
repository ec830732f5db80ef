import type { Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { findLikedTokens } from '../../db/queries/likes.ts'
import type { TokenRow } from '../../db/queries/tokens.ts'
import { toToken } from '../../records/to-token.ts'
import type { Token } from '../../schemas/tokens.ts'

type Request = Pick<FastifyRequest, 'db' | 'server' | 'wallet'>

/** The records of these rows, with the likes of the authenticated wallet: one more query, if there is a wallet. */
export async function personalizeTokens(rows: readonly TokenRow[], { db, server, wallet }: Request) {
  const { chainId } = server.settings
  const tokens = rows.map(({ address }) => address)
  const liked = wallet === null ? null : await findLikedTokens(db, { wallet, tokens })
  return rows.map((row) => toToken(row, { chainId, liked: liked?.has(row.address) ?? null }))
}

export const personalizeToken = async (row: TokenRow, request: Request) =>
  (await personalizeTokens([row], request))[0] as Static<typeof Token>
