import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../../config.ts'
import { setFoundImage } from '../../db/queries/token-metadata.ts'
import { isAppError } from '../../errors.ts'
import { createGuardedFetch, FetchRefused } from '../guarded-fetch.ts'
import { findImage, type ImageFinder } from './find-image.ts'

/** A token as far as it matters here. */
interface Imageless {
  address: string
  creator: string
  image_url: string | null
  metadata_uri: string
}

export interface TokenImages {
  /**
   * Says that tokens are being shown. Those without an image have it looked for at what their contractURI names, some time
   * soon and in the background; once there, it is theirs as if it had been uploaded.
   */
  want(tokens: readonly Imageless[]): void
  /** Resolves when nothing is being looked for. */
  settled(): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    tokenImages: TokenImages
  }
}

const RUNNING = 3
const WAITING = 200
/** How long a token whose image could not be had is left alone. A replica that starts anew does not ask again either. */
const PAUSE_SECONDS = 6 * 3_600

/** The same of one that could not be read just now: a server that is down, a worker that is busy. */
const RETRY_SECONDS = 300

/** Whether what failed would fail again: a stranger's URI that names nothing we take. */
const isLasting = (error: unknown): boolean =>
  error instanceof FetchRefused || error instanceof SyntaxError || (isAppError(error) && error.status < 500)

type Options = { config: Pick<Config, 'fetchMetadata' | 'ipfsGateway' | 'publicUrl'> }

/** Images that tokens name on the chain, made ours. */
export default fp<Options>(
  async (app, { config }) => {
    const finder: ImageFinder = {
      settings: config,
      storage: app.storage,
      fetch: createGuardedFetch({ trusted: [new URL(config.ipfsGateway).origin] }),
      rasterize: (svg) => app.cards.rasterize(svg),
    }
    const closing = new AbortController()
    const seen = new LRUCache<string, true>({ max: 50_000, ttl: PAUSE_SECONDS * 1000 })
    const waiting: Imageless[] = []
    const running = new Set<Promise<void>>()

    const find = async ({ address, creator, metadata_uri: uri }: Imageless): Promise<void> => {
      try {
        // Of several replicas that show a token, one looks.
        if (!(await app.cache.setIfAbsent(`token-image:${address}`, '1', PAUSE_SECONDS))) return
        const { bytes, sha256 } = await findImage(finder, uri, closing.signal)
        await app.storage.put(`${sha256}.webp`, bytes, 'image/webp')
        await setFoundImage(app.db, { token: address, url: `/uploads/${sha256}.webp`, creator })
      } catch (error) {
        app.log.debug({ err: error, token: address }, 'No image was found for a token')
        if (!isLasting(error)) await pause(address, RETRY_SECONDS)
      }
    }
    const pause = async (address: string, seconds: number): Promise<void> => {
      seen.set(address, true, { ttl: seconds * 1000 })
      await app.cache.set(`token-image:${address}`, '1', seconds).catch(() => {})
    }
    const startNext = (): void => {
      while (running.size < RUNNING && !closing.signal.aborted) {
        const next = waiting.shift()
        if (!next) return
        const work: Promise<void> = find(next).finally(() => {
          running.delete(work)
          startNext()
        })
        running.add(work)
      }
    }

    app.decorate('tokenImages', {
      want: (tokens: readonly Imageless[]) => {
        if (config.fetchMetadata === 'off') return
        for (const token of tokens) {
          if (token.image_url !== null || token.metadata_uri === '' || seen.has(token.address)) continue
          // Those that find no room are asked for again when they are next shown.
          if (waiting.length >= WAITING) break
          seen.set(token.address, true)
          waiting.push(token)
        }
        startNext()
      },
      settled: async () => {
        while (running.size > 0) await Promise.all(running)
      },
    })
    app.addHook('onClose', async () => {
      closing.abort()
      await Promise.all(running)
    })
  },
  { name: 'token-images', dependencies: ['cache', 'cards', 'services', 'storage'] },
)
