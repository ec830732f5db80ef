import { join } from 'node:path'
import type { Storage } from './storage.ts'
import { createFolderStorage } from './storage-folder.ts'
import { createS3Storage, type S3Settings } from './storage-s3.ts'

/** S3 storage if configured, else a folder. */
export const createStorage = ({ s3, dataDir }: { s3: S3Settings | null; dataDir: string }): Storage =>
  s3 ? createS3Storage(s3) : createFolderStorage(join(dataDir, 'uploads'))
