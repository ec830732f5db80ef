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

/** For one token; synchronous if the request is anonymous. */
export function personalizeToken(
  row: TokenRow,
  request: Request,
): Promise<Static<typeof Token>> | Static<typeof Token> {
  if (request.wallet === null) return toToken(row, { chainId: request.server.settings.chainId, liked: null })
  return personalizeTokens([row], request).then(([token]) => token as Static<typeof Token>)
}
