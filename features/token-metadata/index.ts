import fp from 'fastify-plugin'
import type { Config } from '../../config/config.ts'
import {
  claimMetadataRead,
  finishMetadataRead,
  type MetadataRead,
  postponeMetadataRead,
} from '../../db/queries/token-metadata.ts'
import { isAppError } from '../../errors.ts'
import { createGuardedFetch, FetchRejectedError } from '../../lib/http/guarded-fetch.ts'
import type { ImageFinder } from './find-image.ts'
import { readToken } from './read-token.ts'

export interface TokenMetadata {
  /** Reads the metadata of all tokens whose read is due. Resolves when no token is being read. */
  readDue(): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    tokenMetadata: TokenMetadata
  }
}

const MAX_CONCURRENT = 3
const TIMEOUT_SECONDS = 20
/** Longer than a read takes, its place in the queue of images included: then another process may try. */
const CLAIM_SECONDS = 120
/** For requests of another process, those of a backfill, and reads that were postponed. New launches do not wait for it. */
const POLL_MS = 10_000
/** After a transient failure: an unavailable server, a busy worker. Doubles with each, up to a day. */
const RETRY_SECONDS = 300
const MAX_RETRY_SECONDS = 86_400
/** About four days. */
const MAX_ATTEMPTS = 12

/** Whether a retry would fail too: the URI or its content is not acceptable. */
const isPermanent = (error: unknown): boolean =>
  error instanceof FetchRejectedError || error instanceof SyntaxError || (isAppError(error) && error.status < 500)

type Options = { config: Pick<Config, 'chainId' | 'fetchMetadata' | 'ipfsGateway' | 'publicUrl'> }

/**
 * Decorates the app with `tokenMetadata`, which reads the contractURI metadata of tokens that lack an image or a description, and
 * after updates of the URI. The indexer requests the reads with the events; each process claims some of them.
 */
export default fp<Options>(
  async (app, { config }) => {
    const finder: ImageFinder = {
      settings: config,
      storage: app.storage,
      fetch: createGuardedFetch(),
      encode: (bytes, creator) => app.images.encodeMetadataImage(bytes, creator),
    }
    const db = app.databases.writes
    const closing = new AbortController()

    const read = async (claimed: MetadataRead): Promise<void> => {
      // Each process that made one of these attempts has ended or hung before it could give up.
      if (claimed.attempts > MAX_ATTEMPTS) return finishMetadataRead(db, claimed)
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_SECONDS * 1000)])
      try {
        await readToken(app, { finder, chainId: config.chainId }, claimed, signal)
      } catch (error) {
        app.log.debug({ err: error, token: claimed.token }, 'What a token names could not be read')
        // The end of this process says nothing about the server.
        if (closing.signal.aborted) return postponeMetadataRead(db, claimed, 0)
        const delay = Math.min(RETRY_SECONDS * 2 ** (claimed.attempts - 1), MAX_RETRY_SECONDS)
        if (!isPermanent(error) && claimed.attempts < MAX_ATTEMPTS) return postponeMetadataRead(db, claimed, delay)
      }
      await finishMetadataRead(db, claimed)
    }
    /** Each of another creator: one whose hosts are silent delays only the own tokens. */
    const running = new Map<MetadataRead, Promise<void>>()
    let claiming: Promise<void> | null = null
    let isWanted = false
    const start = (): void => {
      isWanted = true
      claiming ??= claim().finally(() => {
        claiming = null
        // Wanted after the last look of the claim.
        if (isWanted && running.size < MAX_CONCURRENT && !closing.signal.aborted) start()
      })
    }
    /** Claims reads while some may be due and there is space. What fails is logged: the next poll tries again. */
    const claim = async (): Promise<void> => {
      while (isWanted && running.size < MAX_CONCURRENT && !closing.signal.aborted) {
        isWanted = false
        const except = [...running.keys()].flatMap(({ creator }) => creator ?? [])
        const claimed = await claimMetadataRead(db, { except, seconds: CLAIM_SECONDS }).catch(logFailure)
        if (!claimed) continue
        isWanted = true
        const work = read(claimed)
          .catch(logFailure)
          .finally(() => {
            running.delete(claimed)
            start()
          })
        running.set(claimed, work)
      }
    }
    const logFailure = (err: unknown): void => app.log.debug({ err }, 'Reads of metadata could not be claimed or ended')
    const finish = async (): Promise<void> => {
      while (claiming || running.size > 0) await Promise.all([claiming, ...running.values()])
    }
    app.decorate('tokenMetadata', {
      readDue: () => {
        if (config.fetchMetadata !== 'off') start()
        return finish()
      },
    })
    if (config.fetchMetadata === 'off') return
    const stopListening = app.live.subscribe(({ type, data }) => {
      if (type === 'token.created' || (type.startsWith('transaction') && data.includes('"update_metadata"'))) start()
    })
    const timer = setInterval(start, POLL_MS).unref()
    app.addHook('onReady', async () => start())
    app.addHook('onClose', async () => {
      stopListening()
      clearInterval(timer)
      closing.abort()
      await finish()
    })
  },
  { name: 'token-metadata', dependencies: ['images', 'live-events', 'services', 'storage'] },
)
