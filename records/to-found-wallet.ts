import type { Static } from '@sinclair/typebox'
import type { WalletRow } from '../db/queries/search.ts'
import type { SearchMatches } from '../schemas/search.ts'
import { toAuthor } from './to-author.ts'

/** A wallet in a search result. */
export const toFoundWallet = (row: WalletRow): Static<typeof SearchMatches>['wallets'][number] => ({
  ...toAuthor(row.wallet, row),
  tradeCount: row.trades,
  createdTokens: row.created,
})
