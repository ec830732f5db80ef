import { hash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { AppError } from '../../errors.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { cleanLine, cleanText } from '../../lib/text/clean-text.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { ContractMetadata, UploadedMetadata } from '../../schemas/uploads.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/metadata',
    {
      config: { bucket: 'upload' },
      schema: {
        operationId: 'uploadMetadata',
        tags: ['Uploads'],
        summary: 'Upload the metadata of a token',
        description:
          'An ERC-7572 document. Use the returned uri as contractURI of the launch. Direction marks and invisible ' +
          'characters are removed from its texts, as from on-chain texts.',
        security: walletRequired,
        body: ContractMetadata,
        response: {
          200: Envelope(ref(UploadedMetadata)),
          ...failures('WALLET_BANNED', 'STORAGE_UNAVAILABLE', 'STORAGE_FULL'),
        },
      },
    },
    async ({ body }) => {
      const bytes = Buffer.from(JSON.stringify(toDocument(body, app.settings.publicUrl)))
      const name = `${hash('sha256', bytes, 'hex')}.json`
      await app.storage.put(name, bytes, 'application/json')
      return ok({ uri: `${app.settings.publicUrl}/uploads/${name}` })
    },
  )
}

export default routes

type Metadata = Static<typeof ContractMetadata>

/** Fixed field order, so that equal metadata has the same address. Upload paths become URLs. */
function toDocument(metadata: Metadata, publicUrl: string): Metadata {
  const entries = Object.keys(ContractMetadata.properties).map((field) => {
    const value = metadata[field as keyof Metadata]
    const clean = texts[field]
    if (clean && typeof value === 'string') return [field, readClean(value, field, clean)]
    return [field, typeof value === 'string' && value.startsWith('/uploads/') ? publicUrl + value : value]
  })
  return Object.fromEntries(entries) as Metadata
}

const texts: Record<string, typeof cleanLine> = { name: cleanLine, symbol: cleanLine, description: cleanText }

function readClean(value: string, field: string, clean: typeof cleanLine): string {
  const text = clean(value)
  if (text === '') throw new AppError('INVALID_INPUT', { field: `body.${field}`, problem: 'must contain visible text' })
  return text
}
