import { once } from 'node:events'
import { createServer } from 'node:net'
import type { SetupProblem } from '../../errors.ts'

/** Where a server of the process listens, and the variables that say so. */
export interface Listener {
  variable: 'PORT' | 'METRICS_PORT'
  port: number
  host: string
}

/** The listeners of a process: the API or its probes, and the private port of metrics. */
export const listListeners = ({
  port,
  metricsPort,
  host,
}: {
  port: number
  metricsPort: number | null
  host: string
}) => {
  const listeners: Listener[] = [{ variable: 'PORT', port, host }]
  if (metricsPort !== null) listeners.push({ variable: 'METRICS_PORT', port: metricsPort, host })
  return listeners
}

/** Listens for a moment. Returns what prevents it; null if nothing does. */
export async function findListenProblem(listener: Listener): Promise<SetupProblem | null> {
  const { port, host } = listener
  const server = createServer()
  try {
    server.listen({ port, host })
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return null
  } catch (error) {
    return describeListenError(error, listener)
  }
}

/** What an error of listening means, and what to do. */
export function describeListenError(error: unknown, { variable, port, host }: Listener): SetupProblem {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return {
        variable,
        problem: `port ${port} at ${host} is in use`,
        remedy: `Stop what listens there, or set ${variable} to another port`,
      }
    case 'EACCES':
      return {
        variable,
        problem: `port ${port} may not be used by this user`,
        remedy: `Set ${variable} to a port above 1023`,
      }
    default:
      return {
        variable: 'HOST',
        problem: `${host} cannot be listened on: ${message}`,
        remedy: 'Set it to an address of this machine, or to 0.0.0.0 for all of them',
      }
  }
}
