/** Keeps figures current that any event on the chain may change: each of them changes the statistics. */
export const MARKET_EVENTS = { rooms: ['stats'], refetchMs: 10_000 } as const
