import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { readContractUri } from '../../chain/read-contract-uri.ts'
import {
  type FoundMetadata,
  findMetadataSource,
  findReplaceable,
  type MetadataRead,
  setContractUri,
  setFoundMetadata,
} from '../../db/queries/token-metadata.ts'
import type { Database } from '../../db/schema.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { imageLimits } from '../../lib/images/image-limits.ts'
import { enqueueTokenUpdates } from './enqueue-token-updates.ts'
import { findImage, type ImageFinder } from './find-image.ts'
import { readDocument } from './read-document.ts'
import { readUri } from './read-uri.ts'

/**
 * Reads what the URI of a token names, and stores it as if the creator had submitted it; subscribers of the token receive the
 * update. Does nothing for a token that a reorg has removed, or that lacks nothing. Rejects if the document or the image is
 * unavailable or not accepted; what was found before that is stored.
 */
export async function readToken(
  app: FastifyInstance,
  { finder, chainId }: { finder: ImageFinder; chainId: number },
  { token, updatedAt }: Pick<MetadataRead, 'token' | 'updatedAt'>,
  signal: AbortSignal,
): Promise<void> {
  const { reads } = app.databases
  const source = await findMetadataSource(reads, token)
  if (!source) return
  const { creator, update, shown } = source
  if (updatedAt === null && shown.image !== null && shown.description !== null) return
  const change = (write: (trx: Transaction<Database>) => Promise<void>) =>
    app.transactionWithEvents(
      async (trx) => {
        await write(trx)
        await enqueueTokenUpdates(trx, { tokens: [token], chainId })
      },
      [cacheTagOf(token), 'market'],
    )
  const replaceable = updatedAt === null ? null : await findReplaceable(reads, token, updatedAt)
  const uri = update ? (update.uri ?? (await readContractUri(app.chain, token))) : source.uri
  if (update?.uri === null) await change((trx) => setContractUri(trx, { token, source, at: update, uri }))
  if (uri === '') return
  const store = (found: FoundMetadata) => change((trx) => setFoundMetadata(trx, { token, source, found, replaceable }))
  const { image, ...texts } = readDocument(await readUri(finder, uri, { maxBytes: imageLimits.bytes, signal }))
  const found = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null))
  // Store the texts first: the image may be unavailable.
  if (Object.keys(found).length > 0) await store(found)
  if (image === null || (shown.image !== null && replaceable === null)) return
  const { bytes, sha256 } = await findImage(finder, { image, creator }, signal)
  await app.storage.put(`${sha256}.webp`, bytes, 'image/webp')
  await store({ image_url: `/uploads/${sha256}.webp` })
}
