import type { ErrorCode } from '../errors.ts'

/** Errors of a receipt sync: see syncTransaction. */
export const receiptSyncReasons = [
  'WALLET_BANNED',
  'TRANSACTION_FOREIGN',
  'TRANSACTION_NOT_FOUND',
  'TRANSACTION_ALREADY_INDEXED',
  'TRANSACTION_REVERTED',
  'EVENT_MISSING',
  'TRANSACTION_PENDING',
  'NODE_UNAVAILABLE',
  'FINALITY_BROKEN',
] as const satisfies ErrorCode[]

/** Errors of callerOf: a read that requires a token unless the query has a wallet. */
export const callerReasons = ['JWT_MISSING', 'JWT_INVALID', 'CACHE_UNAVAILABLE'] as const satisfies ErrorCode[]
