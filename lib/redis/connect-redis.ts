import { createClusterOpener } from './cluster-session.ts'
import { keepConnected } from './keep-connected.ts'
import type { RedisPlace } from './redis-place.ts'
import { createSentinelOpener } from './sentinels.ts'
import { openServer } from './server-session.ts'
import { type Redis, type RedisEvents, socket } from './session.ts'

/** The only place that knows the modes apart: everything else sends the same commands. */
export function connectRedis(place: RedisPlace, events: RedisEvents): Redis {
  if (place.mode === 'cluster') return keepConnected(createClusterOpener(place), events)
  if (place.mode === 'sentinel') {
    const { open, destroy } = createSentinelOpener(place)
    return keepConnected(open, events, destroy)
  }
  return keepConnected((ofSession) => openServer({ url: place.urls[0] ?? '', socket }, ofSession), events)
}
