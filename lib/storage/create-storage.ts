import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Storage } from './storage.ts'
import { createFolderStorage } from './storage-folder.ts'
import { createS3Storage } from './storage-s3.ts'

/** S3 storage if configured, else a folder. */
export const createStorage = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): Storage =>
  s3 ? createS3Storage(s3) : createFolderStorage(join(dataDir, 'uploads'))
