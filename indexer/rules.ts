/**
 * Version of the rules that derive rows from logs. A database with an older version is rebuilt from its stored logs
 * before indexing continues, because an undo subtracts what the current rules would have written.
 *
 * 1: the seller in a pool is the wallet that paid the most; pool prices make candles; the trending score is exact.
 * 2: balances have what was bought, sold and sent; transfers that are no part of a trade have rows.
 * 3: a sale without a known price earns nothing, instead of losing what the tokens have cost.
 * 4: the bundlers of launches are stored.
 */
export const RULES = 4
