/**
 * Version of the rules by which logs become rows. A database whose derived tables were made by older ones is rebuilt from
 * its stored logs before anything is indexed into it, because undoing takes back what the present rules say was written.
 *
 * 1: the seller in a pool is the wallet that paid the most; pool prices make candles; the trending score is exact.
 */
export const RULES = 1
