import type { RedisPlace } from '../../../lib/redis/redis-place.ts'

/** As REDIS_MODE=single names a server. */
export const singleRedis = (url: string): RedisPlace => ({ mode: 'single', urls: [url], sentinelName: null })
