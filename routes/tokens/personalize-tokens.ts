import type { Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { findTokenMarks } from '../../db/queries/token-marks.ts'
import type { TokenRow } from '../../db/queries/tokens.ts'
import { toToken } from '../../records/to-token.ts'
import type { Token } from '../../schemas/tokens.ts'

type Request = Pick<FastifyRequest, 'db' | 'server' | 'wallet'>

/** The records of these rows, with what they are to the authenticated wallet: one more query, if there is a wallet. */
export async function personalizeTokens(rows: readonly TokenRow[], { db, server, wallet }: Request) {
  const { chainId } = server.settings
  const tokens = rows.map(({ address }) => address)
  const marks = wallet === null ? null : await findTokenMarks(db, { wallet, tokens })
  return rows.map((row) => toToken(row, { chainId, marks: marks?.get(row.address) ?? null }))
}

/** For one token; synchronous if the request is anonymous. */
export function personalizeToken(
  row: TokenRow,
  request: Request,
): Promise<Static<typeof Token>> | Static<typeof Token> {
  if (request.wallet === null) return toToken(row, { chainId: request.server.settings.chainId, marks: null })
  return personalizeTokens([row], request).then(([token]) => token as Static<typeof Token>)
}
