import { ConfigError, loadConfig } from '../config/config.ts'
import { checkDatabase } from './check-database.ts'
import { checkDeployments } from './check-deployments.ts'
import { checkKeeper } from './check-keeper.ts'
import { checkNodes } from './check-node.ts'
import { checkQuotes } from './check-quotes.ts'
import { checkSettings, describeMisspelled } from './check-settings.ts'
import { checkRedis, checkStorage } from './check-stores.ts'
import { type Finding, fail } from './finding.ts'

/** Longer than any check whose requests all end by their own timeouts, but for those of a slow node. */
const DEADLINE_MS = 60_000

/** Checks the settings of a service, then what they name. Reads only, but for a file in DATA_DIR and one in S3_BUCKET. */
export async function runPreflight(env: Record<string, string | undefined>): Promise<Finding[]> {
  try {
    const config = loadConfig(env)
    const parts = await Promise.all([
      endInTime('PUBLIC_URL', checkSettings(config)),
      endInTime('RPC_URL', checkNodes(config)),
      endInTime('DEPLOYMENTS', checkDeployments(config)),
      endInTime('QUOTES', checkQuotes(config)),
      endInTime('KEEPER_KEY', checkKeeper(config)),
      endInTime('DATABASE_URL', checkDatabase(config)),
      endInTime('REDIS_URL', checkRedis(config)),
      endInTime('DATA_DIR', checkStorage(config)),
    ])
    return parts.flat()
  } catch (error) {
    if (error instanceof ConfigError)
      return [...error.problems.map(readProblem), ...describeMisspelled(error.misspelled)]
    throw error
  }
}

async function endInTime(name: string, check: Promise<Finding[]>): Promise<Finding[]> {
  const { promise: deadline, resolve } = Promise.withResolvers<Finding[]>()
  const late = fail(
    name,
    `the checks have not ended within ${DEADLINE_MS / 1_000} s`,
    'Run this again; if it stays, look at what the variable names',
  )
  const timer = setTimeout(() => resolve([late]), DEADLINE_MS)
  try {
    return await Promise.race([check, deadline])
  } finally {
    clearTimeout(timer)
  }
}

/** `PORT is "x"; expected an integer` names the variable first, and `DEPLOYMENTS[0].kind is "x"; …` a part of its value. */
function readProblem(problem: string): Finding {
  const [, name = '', tried = '', expected = ''] = /^(\w+)(.*?); expected (.*)$/s.exec(problem) ?? []
  return fail(name, tried.trimStart(), `Set it to ${expected}`)
}
