/** How the service reaches Redis: REDIS_MODE, REDIS_URL and REDIS_SENTINEL_NAME. */
export interface RedisPlace {
  readonly mode: 'single' | 'cluster' | 'sentinel'
  /** One server; or some nodes of a Cluster, or some Sentinels, which name the others. User, password and TLS are those of all. */
  readonly urls: readonly string[]
  /** The name by which the Sentinels know the primary; null in the other modes. */
  readonly sentinelName: string | null
}

/** The hosts of REDIS_URL, without what is secret. */
export const nameHosts = ({ urls }: RedisPlace): string => urls.map((url) => new URL(url).host).join(', ')
