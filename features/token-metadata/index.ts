import { createHash } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Config } from '../../config.ts'
import { type FoundMetadata, setFoundMetadata } from '../../db/queries/token-metadata.ts'
import { isAppError } from '../../errors.ts'
import { createGuardedFetch, FetchRejectedError } from '../../lib/http/guarded-fetch.ts'
import { imageLimits } from '../../lib/images/image-limits.ts'
import type { Token } from '../../schemas/tokens.ts'
import { enqueueTokenUpdates } from './enqueue-token-updates.ts'
import { findImage, type ImageFinder } from './find-image.ts'
import { readDocument } from './read-document.ts'
import { readUri } from './read-uri.ts'

/** A token as far as it matters here. */
interface TokenRef {
  address: string
  creator: string
  description: string | null
  image_url: string | null
  metadata_uri: string
}

export interface TokenMetadata {
  /**
   * Says that tokens are being shown. Of those without an image or a description what their contractURI names is read, some
   * time soon and in the background; once there, it is theirs as if their creator had said it here.
   */
  request(tokens: readonly TokenRef[]): void
  /** Resolves when nothing is being looked for. */
  idle(): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    tokenMetadata: TokenMetadata
  }
}

const MAX_CONCURRENT = 3
const MAX_QUEUED = 200
const TIMEOUT_SECONDS = 20
/** How long a token is left alone after that, whatever was found. A replica that starts anew does not ask again either. */
const REFRESH_SECONDS = 6 * 3_600

/** The same of one that could not be read just now: a server that is down, a worker that is busy. */
const RETRY_SECONDS = 300

/** What is looked at once: after a reorg another launch may have the address, and name something else. */
const keyOf = ({ address, metadata_uri: uri }: Pick<TokenRef, 'address' | 'metadata_uri'>): string =>
  `${address}:${createHash('sha256').update(uri).digest('hex')}`

/** Whether what failed would fail again: a stranger's URI that names nothing we take. */
const isPermanent = (error: unknown): boolean =>
  error instanceof FetchRejectedError || error instanceof SyntaxError || (isAppError(error) && error.status < 500)

type Options = { config: Pick<Config, 'chainId' | 'fetchMetadata' | 'ipfsGateway' | 'publicUrl'> }

/**
 * What tokens say of themselves on the chain, made ours: of those that are launched while we listen at once, of older ones
 * when they are shown. Who follows the token hears what was found.
 */
export default fp<Options>(
  async (app, { config }) => {
    const finder: ImageFinder = {
      settings: config,
      storage: app.storage,
      fetch: createGuardedFetch(),
      encode: (bytes, creator) => app.images.encodeMetadataImage(bytes, creator),
    }
    const closing = new AbortController()
    const recent = new LRUCache<string, true>({ max: 50_000, ttl: REFRESH_SECONDS * 1000 })
    const queue: TokenRef[] = []
    const running = new Set<Promise<void>>()

    const fetchMetadata = async (token: TokenRef): Promise<void> => {
      const { address, creator, image_url: shown, metadata_uri: uri } = token
      const key = keyOf(token)
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_SECONDS * 1000)])
      const store = (found: FoundMetadata) =>
        app.transactionWithEvents(async (trx) => {
          await setFoundMetadata(trx, { token: address, creator, uri, found })
          await enqueueTokenUpdates(trx, { tokens: [address], chainId: config.chainId })
        })
      try {
        // Of several replicas that show a token, one looks.
        if (!(await app.cache.setIfAbsent(`token-metadata:${key}`, '1', REFRESH_SECONDS))) return
        const { description, website, image } = readDocument(
          await readUri(finder, uri, { maxBytes: imageLimits.bytes, signal }),
        )
        // First, for the image may be out of reach where the words are not.
        if (description !== null || website !== null) await store({ description, website })
        if (image === null || shown !== null) return
        const { bytes, sha256 } = await findImage(finder, { image, creator }, signal)
        await app.storage.put(`${sha256}.webp`, bytes, 'image/webp')
        await store({ image_url: `/uploads/${sha256}.webp` })
      } catch (error) {
        app.log.debug({ err: error, token: address }, 'What a token names could not be read')
        if (!isPermanent(error)) await skipFor(key, RETRY_SECONDS)
      }
    }
    const skipFor = async (key: string, seconds: number): Promise<void> => {
      recent.set(key, true, { ttl: seconds * 1000 })
      await app.cache.set(`token-metadata:${key}`, '1', seconds).catch(() => {})
    }
    const startNext = (): void => {
      while (running.size < MAX_CONCURRENT && !closing.signal.aborted) {
        const next = queue.shift()
        if (!next) return
        const work: Promise<void> = fetchMetadata(next).finally(() => {
          running.delete(work)
          startNext()
        })
        running.add(work)
      }
    }

    app.decorate('tokenMetadata', {
      request: (tokens: readonly TokenRef[]) => {
        if (config.fetchMetadata === 'off') return
        for (const token of tokens) {
          if (token.image_url !== null && token.description !== null) continue
          if (token.metadata_uri === '' || recent.has(keyOf(token))) continue
          // Those that find no room are asked for again when they are next shown.
          if (queue.length >= MAX_QUEUED) break
          recent.set(keyOf(token), true)
          queue.push(token)
        }
        startNext()
      },
      idle: async () => {
        while (running.size > 0) await Promise.all(running)
      },
    })
    const stopListening = app.live.subscribe(({ type, data }) => {
      if (type !== 'token.created') return
      const { address, creator, description, imageUrl, metadataUri } = JSON.parse(data) as Static<typeof Token>
      app.tokenMetadata.request([{ address, creator, description, image_url: imageUrl, metadata_uri: metadataUri }])
    })
    app.addHook('onClose', async () => {
      stopListening()
      closing.abort()
      await Promise.all(running)
    })
  },
  { name: 'token-metadata', dependencies: ['cache', 'images', 'live-events', 'services', 'storage'] },
)
