import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For health probes and scrapes: never rejected under load, and logged at debug level. */
    healthProbe?: true
  }
}

/** Sample interval of the event-loop delay; rejections end at most this long after the delay. */
const SAMPLE_MS = 250
const RETRY_SECONDS = 2

/**
 * Adds an onRequest hook that responds 503 while the event-loop delay exceeds the limit, except to health probes. The
 * delay is the mean over one sample.
 */
export default fp<{ config: Pick<Config, 'maxLoopDelayMs'> }>(
  async (app, { config: { maxLoopDelayMs } }) => {
    if (maxLoopDelayMs === 0) return
    await app.register(underPressure, {
      maxEventLoopDelay: maxLoopDelayMs,
      sampleInterval: SAMPLE_MS,
      pressureHandler: ({ route: { config } }) => {
        if (!config?.healthProbe) throw new AppError('OVERLOADED', {}, { retryAfter: RETRY_SECONDS })
      },
    })
  },
  { name: 'overload', dependencies: ['http'] },
)
