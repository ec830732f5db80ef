import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { matchesTag } from '../../lib/http/caching-headers.ts'
import { failures, notFound } from '../../lib/openapi/failures.ts'
import { type ByteRange, type Storage, UPLOAD_NAME } from '../../lib/storage/storage.ts'
import { UploadedFile, UploadedPart, UploadParams } from '../../schemas/uploads.ts'
import { readRange } from './read-range.ts'

const contentTypes: Record<string, string> = { webp: 'image/webp', json: 'application/json; charset=utf-8' }

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:name',
    {
      // Ranges refer to the uncompressed bytes.
      compress: false,
      config: { needsDatabase: false },
      schema: {
        operationId: 'getUpload',
        tags: ['Uploads'],
        summary: 'Download an uploaded file',
        description: 'A file never changes and can be cached indefinitely. Supports Range.',
        params: UploadParams,
        response: {
          200: UploadedFile,
          206: UploadedPart,
          ...failures(notFound('Upload', UploadParams.properties.name), 'RANGE_NOT_SATISFIABLE', 'STORAGE_UNAVAILABLE'),
        },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      if (!UPLOAD_NAME.test(name)) throw missing(name)
      const [sha256, ending] = name.split('.') as [string, string]
      reply.header('etag', `"${sha256}"`)
      const { size, body, range } = await find(app.storage, name, request, reply)
      if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
      reply.headers({
        'content-type': contentTypes[ending],
        'content-length': range ? range.end - range.start + 1 : size,
        'accept-ranges': 'bytes',
        'cache-control': 'public, max-age=31536000, immutable',
      })
      return reply.send(body)
    },
  )
}

export default routes

const missing = (name: string) => new AppError('RESOURCE_NOT_FOUND', { resource: 'Upload', id: name })

interface Found {
  size: number
  /** Empty for HEAD and for 304. */
  body: Readable
  range?: ByteRange
}

/** The file, or the requested range. The file is opened only if its content is sent. */
async function find(storage: Storage, name: string, request: FastifyRequest, reply: FastifyReply): Promise<Found> {
  const { range: asked, 'if-none-match': known, 'if-range': same } = request.headers
  const etag = String(reply.getHeader('etag'))
  if (request.method === 'HEAD' || known !== undefined || asked !== undefined) {
    const size = await storage.measure(name)
    if (size === null) throw missing(name)
    if (request.method === 'HEAD' || matchesTag(known, etag)) return { size, body: Readable.from([]) }
    // If-Range does not match: the client would combine parts of two files.
    const range = same === undefined || same === etag ? readRange(asked, size) : 'whole'
    if (range === 'outside') {
      reply.header('content-range', `bytes */${size}`)
      throw new AppError('RANGE_NOT_SATISFIABLE')
    }
    if (range !== 'whole') return { ...((await storage.open(name, range)) ?? gone(name)), range }
  }
  return (await storage.open(name)) ?? gone(name)
}

function gone(name: string): never {
  throw missing(name)
}
