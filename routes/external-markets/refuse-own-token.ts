import type { FastifyRequest } from 'fastify'
import { isLaunched } from '../../db/queries/launches.ts'
import { AppError } from '../../errors.ts'
import { marketReasons } from './reasons.ts'

/** Rejects tokens launched here: the chain, not a third party, is the source of their data. */
export async function refuseOwnToken({ db, params }: FastifyRequest): Promise<void> {
  const { address } = params as { address: string }
  if (await isLaunched(db, address)) throw new AppError(marketReasons.TOKEN_LAUNCHED_HERE, { address })
}
