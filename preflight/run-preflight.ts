import { ConfigError, loadConfig } from '../config.ts'
import { checkDeployments } from './check-deployments.ts'
import { checkNodes } from './check-node.ts'
import { checkSettings } from './check-settings.ts'
import { checkDatabase, checkRedis, checkStorage } from './check-stores.ts'
import { type Finding, fail } from './finding.ts'

/** Checks the settings of a service, then what they name. Reads only, but for a file in DATA_DIR and one in S3_BUCKET. */
export async function runPreflight(env: Record<string, string | undefined>): Promise<Finding[]> {
  try {
    const config = loadConfig(env)
    const parts = await Promise.all([
      checkSettings(config),
      checkNodes(config),
      checkDeployments(config),
      checkDatabase(config),
      checkRedis(config),
      checkStorage(config),
    ])
    return parts.flat()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(toFinding)
    throw error
  }
}

/** "PORT is "x"; expected an integer" names the variable first. */
function toFinding(problem: string): Finding {
  const [, name = '', tried = '', expected = ''] = /^(\w+) (.*?); expected (.*)$/s.exec(problem) ?? []
  return fail(name, tried, `Set it to ${expected}`)
}
