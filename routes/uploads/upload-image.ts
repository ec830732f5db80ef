import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { imageLimits } from '../../lib/images/image-limits.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { ImageUpload, UploadedImage } from '../../schemas/uploads.ts'

/** Allowance for the rest of a multipart body: boundaries, headers and ignored fields. */
const WRAPPING_BYTES = 64 * 1024

const routes: FastifyPluginAsyncTypebox = async (app) => {
  await app.register(multipart, {
    limits: { fileSize: imageLimits.bytes, files: 1, fields: 8, fieldSize: 1024, parts: 9, headerPairs: 32 },
  })
  // Before parsing, so that other content type parsers do not handle the body.
  app.addHook('preParsing', async ({ headers }) => {
    if (!/^multipart\/form-data\b/i.test(headers['content-type'] ?? ''))
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', { wants: 'multipart/form-data' })
  })

  app.post(
    '/image',
    {
      bodyLimit: imageLimits.bytes + WRAPPING_BYTES,
      config: { bucket: 'upload' },
      schema: {
        operationId: 'uploadImage',
        tags: ['Uploads'],
        summary: 'Upload an image',
        description:
          'The image type is detected from the content; name and declared type are ignored. The image is ' +
          're-encoded as WebP without metadata; of an animation, the first frame is kept. The same image always ' +
          'has the same address.',
        security: walletRequired,
        consumes: ['multipart/form-data'],
        body: ImageUpload,
        response: {
          200: Envelope(ref(UploadedImage)),
          ...failures('WALLET_BANNED', 'IMAGE_TOO_LARGE', 'STORAGE_UNAVAILABLE', 'STORAGE_FULL'),
        },
      },
      // Documentation only: the body is a stream.
      validatorCompiler: () => () => true,
    },
    async (request) => {
      const file = await readFile(request)
      const { bytes, sha256, width, height } = await app.images.encodeUpload(file, request.wallet ?? '')
      await app.storage.put(`${sha256}.webp`, bytes, 'image/webp')
      return ok({ url: `/uploads/${sha256}.webp`, width, height, bytes: bytes.length, sha256 })
    },
  )
}

export default routes

/** Reads the field `file`. Throws INVALID_INPUT, BODY_TOO_LARGE or MALFORMED_BODY. */
async function readFile(request: FastifyRequest): Promise<Buffer> {
  const file = await request.file().catch(refuseBody)
  const bytes = await file?.toBuffer().catch(refuseBody)
  if (file?.fieldname !== 'file' || !bytes)
    throw new AppError('INVALID_INPUT', { field: 'body.file', problem: 'is required' })
  return bytes
}

/** Multipart errors caused by the client have various codes, mostly 500. */
function refuseBody(cause: unknown): never {
  const { statusCode } = cause as { statusCode?: number }
  if (statusCode === 413) throw new AppError('BODY_TOO_LARGE', {}, { cause })
  throw new AppError('MALFORMED_BODY', {}, { cause })
}
