import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { parseScrape } from '../../support/scrape.ts'
import { startChain } from './chain.ts'
import { createDatabase, type Service, startService, until } from './service.ts'

export interface LogLine {
  pid: number
  msg: string
  operation?: string
}

/** A service with two workers, and with ROLE=all an indexer beside them. */
export async function startWorkers(t: Test, env: Record<string, string> = {}) {
  const [chain, databaseUrl] = await Promise.all([startChain(t), createDatabase(t)])
  const settings = {
    ...chain.env,
    WORKERS: '2',
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
    // No kept answer: each request is counted and logged by the worker that it reaches.
    ANSWER_CACHE_MB: '0',
    ...env,
  }
  const service = await startService(t, { env: settings, databaseUrl: databaseUrl as string })
  return { chain, service, databaseUrl: databaseUrl as string }
}

export const logOf = (service: Service): LogLine[] =>
  service
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))

/** The processes of the service, without the first one. */
export const listChildren = (pid: number): number[] => {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return listed
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child as number)
}

export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Asks on a connection of its own, unless an agent is given. */
export async function get(url: string, agent: Agent | false = false): Promise<IncomingMessage> {
  const sent = request(url, { agent }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

/** The workers that answer, by their ids, once there are as many as asked for. */
export const findWorkers = (service: Service, count: number, isOther: (pid: number) => boolean = () => true) =>
  until(
    async () => {
      await text(await get(`${service.url}/config`))
      const answering = logOf(service).filter(({ operation, pid }) => operation === 'getConfig' && isOther(pid))
      return [...new Set(answering.map(({ pid }) => pid))].filter(isRunning)
    },
    (pids) => pids.length === count,
    `${count} workers answer`,
  )

export const scrape = async (service: Service) => parseScrape(await text(await get(`${service.url}/metrics`)))
