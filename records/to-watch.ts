import type { Static } from '@sinclair/typebox'
import type { WatchState } from '../db/queries/watchlists.ts'
import type { Watch } from '../schemas/watchlists.ts'

/** Whether a token is on a watchlist, as the API serves it after a change. */
export const toWatch = (token: string, row: WatchState): Static<typeof Watch> => ({
  token,
  watchedAt: row.created_at?.toISOString() ?? null,
  watcherCount: row.watcher_count,
})
