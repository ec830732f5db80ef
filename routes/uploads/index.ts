import type { FastifyPluginAsync } from 'fastify'
import { requireWallet } from '../../plugins/auth.ts'
import * as uploadsSchemas from '../../schemas/uploads.ts'
import type { Domain } from '../domain.ts'
import getUpload from './get-upload.ts'
import uploadImage from './upload-image.ts'
import uploadMetadata from './upload-metadata.ts'

/** Images and metadata documents: uploads by authenticated wallets, public downloads. */
const uploads: FastifyPluginAsync = async (app) => {
  app.register(getUpload)

  app.register(async (scope) => {
    scope.addHook('onRequest', requireWallet)
    scope.register(uploadImage)
    scope.register(uploadMetadata)
  })
}

export default {
  plugin: uploads,
  prefix: '/uploads',
  tags: [{ name: 'Uploads', description: 'Images and metadata documents.' }],
  schemas: uploadsSchemas.components,
} satisfies Domain
