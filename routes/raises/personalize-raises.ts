import type { Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { findCommitments } from '../../db/queries/raises/raise-commitments.ts'
import type { RaiseRow } from '../../db/queries/raises/raises.ts'
import { toRaise } from '../../records/to-raise.ts'
import type { Raise } from '../../schemas/raises.ts'

type Request = Pick<FastifyRequest, 'db' | 'wallet'>

/** The records of these rows, with the commitments of the authenticated wallet: one more query, if there is a wallet. */
export async function personalizeRaises(rows: readonly RaiseRow[], { db, wallet }: Request) {
  const raises = rows.map(({ id }) => id)
  const own = wallet === null ? null : await findCommitments(db, { wallet, raises })
  return rows.map((row) => toRaise(row, own?.get(row.id)))
}

export const personalizeRaise = async (row: RaiseRow, request: Request) =>
  (await personalizeRaises([row], request))[0] as Static<typeof Raise>
