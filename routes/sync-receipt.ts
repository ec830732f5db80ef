import type { FastifyRequest } from 'fastify'
import { type SyncRequest, syncTransaction } from '../indexer/engine/sync.ts'

/** Calls syncTransaction with the services of a request. */
export const syncReceipt = (
  { db, log, server: { chain, getContracts, transactSync, live } }: FastifyRequest,
  sync: SyncRequest,
) => syncTransaction({ db, chain, getContracts, transactSync, live, log }, sync)
