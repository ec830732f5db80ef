import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { getForensicToken, readLaunch } from '../../db/queries/forensics/read-launch.ts'
import { cacheTagOf } from '../../lib/cache/data-versions.ts'
import { limitEntries } from '../../lib/cache/limit-entries.ts'
import { toRisk } from '../../records/forensics/to-risk.ts'

type RiskFields = ReturnType<typeof toRisk> | { risk: null; suspicious: null }

interface KeptRisk {
  version: number
  fields: RiskFields
}

const MAX_KEPT = 10_000

/**
 * Returns a function that reads the risk of a token. It takes several statements, and changes with the token alone, while the
 * token's response changes with every block: so it is kept until the token changes.
 */
export function createRiskReader(
  app: FastifyInstance,
): (request: FastifyRequest, token: string) => Promise<RiskFields> {
  const { versions } = app.live
  const kept = new LRUCache<string, KeptRisk>(limitEntries(MAX_KEPT))

  const compute = async (db: FastifyRequest['db'], address: string): Promise<RiskFields> => {
    const launch = await readLaunch(db, await getForensicToken(db, address), app.settings.sniperSeconds)
    return launch ? toRisk(launch) : { risk: null, suspicious: null }
  }

  return async (request, token) => {
    // A replica may not have the newest change yet.
    if (app.replica !== null) return compute(request.db, token)
    const known = kept.get(token)
    if (known && versions.isCurrent(['token', cacheTagOf(token)], known.version)) return known.fields
    const { head: version } = versions
    const fields = await compute(app.databases.reads, token)
    kept.set(token, { version, fields })
    return fields
  }
}
