import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Config } from '../../config/config.ts'
import type { Storage } from '../../lib/storage/storage.ts'
import { createFolderStorage } from '../../lib/storage/storage-folder.ts'
import { createS3Storage } from '../../lib/storage/storage-s3.ts'

/** Where archives are: a folder, or a prefix of a bucket. */
export interface ArchivePlace {
  /** s3://bucket/prefix, or the absolute path of a folder. */
  location: string
  write(name: string, bytes: Buffer, contentType: string): Promise<void>
  /** Throws if it is missing. */
  read(name: string): Promise<Buffer>
  close(): Promise<void>
}

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*?))?\/*$/
const DEFAULT_REGION = 'us-east-1'

/** `to`: s3://bucket/prefix, or a path. Endpoint, region and keys of a bucket are those of uploads. */
export function openPlace(to: string, { s3 }: Pick<Config, 's3'>): ArchivePlace {
  const [, bucket, prefix = ''] = S3.exec(to) ?? []
  if (bucket === undefined) {
    if (to.includes('://')) throw new Error(`${to} is neither s3://bucket/prefix nor a folder`)
    return onStorage(
      resolve(to),
      createFolderStorage(resolve(to), (name) => name),
    )
  }
  const settings = s3 ?? { endpoint: null, region: DEFAULT_REGION, credentials: null }
  const inPrefix = (name: string) => (prefix === '' ? name : `${prefix}/${name}`)
  return onStorage(`s3://${join(bucket, prefix)}`, createS3Storage({ ...settings, bucket }), inPrefix)
}

const onStorage = (location: string, storage: Storage, toName = (name: string) => name): ArchivePlace => ({
  location,
  write: (name, bytes, contentType) => storage.put(toName(name), bytes, contentType),
  async read(name) {
    const file = await storage.open(toName(name))
    if (!file) throw new Error(`${location} has no ${name}`)
    return buffer(file.body)
  },
  close: () => storage.close(),
})
