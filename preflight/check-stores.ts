import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { findFolderUse } from '../config/folder-use.ts'
import { findFolderOwner } from '../db/embedded/folder-lock.ts'
import { within } from '../lib/concurrency/within.ts'
import { connectRedis } from '../lib/redis/connect-redis.ts'
import { nameHosts } from '../lib/redis/redis-place.ts'
import { describeRedisError, inspectRedis, readInfo } from '../lib/redis/redis-problem.ts'
import { createStorage } from '../lib/storage/create-storage.ts'
import { findFolderProblem, measureFreeBytes } from '../lib/storage/folder-problem.ts'
import { type Finding, fail, pass, reasonOf, toFinding, warn } from './finding.ts'

const TIMEOUT_MS = 5_000
const MIN_REDIS_MAJOR = 7
/** A day of uploads of a small service. */
const MIN_FREE_BYTES = 1_073_741_824

export async function checkRedis({ redis: place, role }: Pick<Config, 'redis' | 'role'>): Promise<Finding[]> {
  if (place === null)
    return [pass('REDIS_URL', role === 'all' ? 'not set; caches and quotas are in this process' : 'not set')]
  try {
    const problem = await inspectRedis(place)
    if (problem) return [toFinding(problem)]
  } catch (error) {
    return [toFinding(describeRedisError(place, error))]
  }
  const redis = connectRedis(place, { onError: () => {}, onReady: () => {} })
  try {
    await within(TIMEOUT_MS, redis.connect())
    const key = `slipway:preflight:${randomUUID()}`
    await within(TIMEOUT_MS, redis.commands.set(key, '1', { expiration: { type: 'EX', value: 10 } }))
    const info = await within(TIMEOUT_MS, readInfo(redis.commands))
    const known = info.size === 0 ? [] : [checkRedisVersion(info), checkEviction(info)]
    const what = { single: 'Redis', cluster: 'Redis Cluster', sentinel: 'Redis of the Sentinels' }[place.mode]
    return [pass('REDIS_URL', `the ${what} at ${nameHosts(place)} accepts writes`), ...known]
  } catch (error) {
    return [toFinding(describeRedisError(place, error))]
  } finally {
    redis.destroy()
  }
}

function checkRedisVersion(info: ReadonlyMap<string, string>): Finding {
  const version = info.get('redis_version') ?? 'unknown'
  return Number.parseInt(version, 10) >= MIN_REDIS_MAJOR
    ? pass('REDIS_URL', `Redis ${version}`)
    : warn('REDIS_URL', `the server is Redis ${version}`, `Use Redis ${MIN_REDIS_MAJOR} or later`)
}

/** Without a limit nothing is evicted. With one, only keys with an expiry may go: all keys of the service have one. */
function checkEviction(info: ReadonlyMap<string, string>): Finding {
  const [policy = 'unknown', limit = '0'] = [info.get('maxmemory_policy'), info.get('maxmemory')]
  if (limit === '0')
    return warn('REDIS_URL', 'maxmemory is not set', 'Set maxmemory, and maxmemory-policy volatile-lru')
  if (policy === 'volatile-lru' || policy === 'volatile-ttl' || policy === 'volatile-lfu')
    return pass('REDIS_URL', `maxmemory-policy is ${policy}`)
  return warn(
    'REDIS_URL',
    `maxmemory-policy is ${policy}: a full Redis rejects writes or drops nonces`,
    'Set maxmemory-policy volatile-lru',
  )
}

type StorageSettings = Pick<Config, 's3' | 'dataDir' | 'role' | 'databaseUrl' | 'rpcUrls'>

export async function checkStorage(config: StorageSettings): Promise<Finding[]> {
  const findings = [
    findFolderUse(config) === 'none' ? pass('DATA_DIR', 'nothing is stored there') : await checkFolder(config.dataDir),
    ...(await checkFolderLocks(config)),
  ]
  if (config.s3 !== null) findings.push(await checkBucket(config))
  return findings
}

async function checkFolder(dataDir: string): Promise<Finding> {
  const problem = await findFolderProblem(dataDir)
  if (problem) return toFinding(problem)
  return (await measureFreeBytes(dataDir)) >= MIN_FREE_BYTES
    ? pass('DATA_DIR', `${dataDir} is writable`)
    : warn(
        'DATA_DIR',
        `${dataDir} has less than 1 GiB of free space`,
        'Free some space, or set DATA_DIR to another disk',
      )
}

/** The embedded database and chain belong to one process at a time. */
async function checkFolderLocks({ dataDir, databaseUrl, rpcUrls }: StorageSettings): Promise<Finding[]> {
  const embedded = [...(databaseUrl === null ? ['database'] : []), ...(rpcUrls.length === 0 ? ['chain'] : [])]
  const owners = await Promise.all(embedded.map((name) => findFolderOwner(join(dataDir, name))))
  return embedded.flatMap((name, index) =>
    owners[index] === null
      ? []
      : fail(
          'DATA_DIR',
          `the ${name} in ${dataDir} is in use by process ${owners[index]}`,
          'Stop that one first, or set DATA_DIR to another folder',
        ),
  )
}

async function checkBucket(config: Pick<Config, 's3' | 'dataDir'>): Promise<Finding> {
  const storage = createStorage(config)
  const bucket = config.s3?.bucket
  const name = `${'0'.repeat(64)}.json`
  try {
    await storage.put(name, Buffer.from('{}'), 'application/json')
    if ((await storage.measure(name)) === null) throw new Error('what was written is not there')
    return pass('S3_BUCKET', `the bucket ${bucket} accepts uploads`)
  } catch (error) {
    const remedy = 'Check S3_BUCKET, S3_ENDPOINT, S3_REGION, and the rights of S3_ACCESS_KEY_ID to put and get objects'
    return fail('S3_BUCKET', `the bucket ${bucket} cannot be used: ${reasonOf(error)}`, remedy)
  } finally {
    await storage.close()
  }
}
