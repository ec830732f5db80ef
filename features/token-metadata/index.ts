import { createHash } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import fp from 'fastify-plugin'
import type { Transaction } from 'kysely'
import { LRUCache } from 'lru-cache'
import { readContractUri } from '../../chain/read-contract-uri.ts'
import type { Config } from '../../config.ts'
import {
  type FoundMetadata,
  findMetadataSource,
  findReplaceable,
  type MetadataSource,
  type ReplaceableMetadata,
  setContractUri,
  setFoundMetadata,
} from '../../db/queries/token-metadata.ts'
import type { Database } from '../../db/schema.ts'
import { isAppError } from '../../errors.ts'
import { concernOf } from '../../lib/cache/data-versions.ts'
import { limitEntries } from '../../lib/cache/limit-entries.ts'
import { createGuardedFetch, FetchRejectedError } from '../../lib/http/guarded-fetch.ts'
import { imageLimits } from '../../lib/images/image-limits.ts'
import type { Token } from '../../schemas/tokens.ts'
import type { Transaction as TransactionRecord } from '../../schemas/trading.ts'
import { enqueueTokenUpdates } from './enqueue-token-updates.ts'
import { findImage, type ImageFinder } from './find-image.ts'
import { readDocument } from './read-document.ts'
import { readUri } from './read-uri.ts'

/** The columns of a token that are used here. */
interface TokenRef {
  address: string
  creator: string
  description: string | null
  image_url: string | null
  metadata_uri: string
  /** An update of the URI, or its retraction, after which the metadata is read again. */
  update?: Update
}

interface Update {
  name: string
  seenAt: Date
  /** Found by the first attempt to read it: what is edited later is kept. */
  replaceable?: ReplaceableMetadata | null
}

export interface TokenMetadata {
  /**
   * Queues tokens that are shown. If they lack an image or a description, their contractURI is read in the background,
   * and its metadata is stored as if the creator had submitted it.
   */
  request(tokens: readonly TokenRef[]): void
  /** Resolves when no token is being read. */
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
/** A token is not read again for this long, whatever the result. Stored in the cache, for all processes and restarts. */
const REFRESH_SECONDS = 6 * 3_600

/** The same after a transient failure: an unavailable server, a busy worker. */
const RETRY_SECONDS = 300

/** Includes the URI: after a reorg, another launch may have the same address. */
const keyOf = ({ address, metadata_uri: uri, update }: TokenRef): string =>
  `${address}:${createHash('sha256')
    .update(update?.name ?? uri)
    .digest('hex')}`

/** Whether a retry would fail too: the URI or its content is not acceptable. */
const isPermanent = (error: unknown): boolean =>
  error instanceof FetchRejectedError || error instanceof SyntaxError || (isAppError(error) && error.status < 500)

type Options = { config: Pick<Config, 'chainId' | 'fetchMetadata' | 'ipfsGateway' | 'publicUrl'> }

/**
 * Decorates the app with `tokenMetadata`, which stores the contractURI metadata of new tokens at once, and of older
 * ones when they are shown. Subscribers of a token receive the update.
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
    const recent = new LRUCache<string, true>({ ...limitEntries(50_000), ttl: REFRESH_SECONDS * 1000 })
    /** Updates by token that have not been read, for want of a server or of space. They are read when the token is shown. */
    const unread = new LRUCache<string, Update>(limitEntries(10_000))
    const queue: TokenRef[] = []
    const running = new Set<Promise<void>>()

    const fetchMetadata = async (token: TokenRef): Promise<void> => {
      const { address, image_url: shown } = token
      const key = keyOf(token)
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_SECONDS * 1000)])
      const change = (write: (trx: Transaction<Database>) => Promise<void>) =>
        app.transactionWithEvents(
          async (trx) => {
            await write(trx)
            await enqueueTokenUpdates(trx, { tokens: [address], chainId: config.chainId })
          },
          [concernOf(address), 'market'],
        )
      try {
        unread.delete(address)
        // One of several processes reads a token.
        if (!(await app.cache.setIfAbsent(`token-metadata:${key}`, '1', REFRESH_SECONDS))) return
        // Without a launch (a reorg has removed it) nothing will be stored.
        const launch = { creator: token.creator, uri: token.metadata_uri, update: null }
        const source = (await findMetadataSource(app.databases.reads, address)) ?? launch
        const { creator, update } = source
        const replaceable = await findValuesToReplace(token, source)
        const uri = update ? (update.uri ?? (await readContractUri(app.chain, address))) : source.uri
        if (update?.uri === null)
          await change((trx) => setContractUri(trx, { token: address, source, at: update, uri }))
        if (uri === '') return
        const store = (found: FoundMetadata) =>
          change((trx) => setFoundMetadata(trx, { token: address, source, found, replaceable }))
        const { description, website, image } = readDocument(
          await readUri(finder, uri, { maxBytes: imageLimits.bytes, signal }),
        )
        // Store the texts first: the image may be unavailable.
        const texts = { ...(description !== null && { description }), ...(website !== null && { website }) }
        if (description !== null || website !== null) await store(texts)
        if (image === null || (shown !== null && replaceable === null)) return
        const { bytes, sha256 } = await findImage(finder, { image, creator }, signal)
        await app.storage.put(`${sha256}.webp`, bytes, 'image/webp')
        await store({ image_url: `/uploads/${sha256}.webp` })
      } catch (error) {
        app.log.debug({ err: error, token: address }, 'What a token names could not be read')
        if (isPermanent(error)) return
        if (token.update !== undefined) unread.set(address, token.update)
        await skipFor(key, RETRY_SECONDS)
      }
    }
    /** Those that a new URI replaces; null if there is none. */
    const findValuesToReplace = async ({ address, update }: TokenRef, source: MetadataSource) => {
      const reads = app.databases.reads
      if (!update) return source.update?.uri === null ? findReplaceable(reads, address, new Date()) : null
      if (update.replaceable === undefined) update.replaceable = await findReplaceable(reads, address, update.seenAt)
      return update.replaceable
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
        for (const shown of tokens) {
          const update = shown.update ?? unread.get(shown.address)
          const token = update === undefined ? shown : { ...shown, update }
          const isComplete = token.metadata_uri === '' || (token.image_url !== null && token.description !== null)
          if ((isComplete && update === undefined) || recent.has(keyOf(token))) continue
          // The rest is queued when it is shown again.
          if (queue.length >= MAX_QUEUED) {
            if (update !== undefined) unread.set(token.address, update)
            continue
          }
          recent.set(keyOf(token), true)
          queue.push(token)
        }
        startNext()
      },
      idle: async () => {
        while (running.size > 0) await Promise.all(running)
      },
    })
    const stopListening = app.live.subscribe(({ seq, type, data }) => {
      if (type === 'token.created') {
        const { address, creator, description, imageUrl, metadataUri } = JSON.parse(data) as Static<typeof Token>
        app.tokenMetadata.request([{ address, creator, description, image_url: imageUrl, metadata_uri: metadataUri }])
      } else if (type.startsWith('transaction') && data.includes('"update_metadata"')) {
        const { token: address, wallet: creator } = JSON.parse(data) as Static<typeof TransactionRecord>
        // Not the transaction's id: after a reorg it may be mined again.
        const update = { name: String(seq), seenAt: new Date() }
        const ref = { creator, description: null, image_url: null, metadata_uri: '', update }
        if (address !== null) app.tokenMetadata.request([{ address, ...ref }])
      }
    })
    app.addHook('onClose', async () => {
      stopListening()
      closing.abort()
      await Promise.all(running)
    })
  },
  { name: 'token-metadata', dependencies: ['cache', 'images', 'live-events', 'services', 'storage'] },
)
