import type { ViewQuery } from '../../schemas/view-query.ts'

const ORDERS = ['mcap', 'volume', 'trending', 'holders', 'trades'] as const

/** The view of this number: each has other conditions or another order, and the token with the largest figures is in all. */
export const viewOf = (number: number): ViewQuery => ({
  filter: { minHolders: Math.floor(number / ORDERS.length) + 1, 'minTrades.h24': number % 3 },
  sort: ORDERS[number % ORDERS.length] as (typeof ORDERS)[number],
  limit: 20,
})
