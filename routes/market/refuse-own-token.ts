import type { FastifyRequest } from 'fastify'
import { isLaunched } from '../../db/queries/launches.ts'
import { AppError } from '../../errors.ts'

/** Of a token that was launched here the chain itself is the source: nobody shall take a third party's word for it. */
export async function refuseOwnToken({ db, params }: FastifyRequest): Promise<void> {
  const { address } = params as { address: string }
  if (await isLaunched(db, address)) throw new AppError('TOKEN_LAUNCHED_HERE', { address })
}
