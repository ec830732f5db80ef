import type { Config } from './config.ts'

/** What is stored in DATA_DIR: the embedded chain or database, without which nothing works, uploads alone, or nothing. */
export function findFolderUse({
  databaseUrl,
  rpcUrls,
  s3,
  role,
}: Pick<Config, 'databaseUrl' | 'rpcUrls' | 's3' | 'role'>) {
  if (databaseUrl === null || rpcUrls.length === 0) return 'everything' as const
  return s3 === null && role !== 'indexer' ? ('uploads' as const) : ('none' as const)
}
