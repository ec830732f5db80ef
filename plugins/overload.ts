import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered whatever the load: what orchestrators and monitoring ask. */
    healthProbe?: true
  }
}

/** How often the delay is looked at: nobody is turned away for longer than this after it has gone. */
const SAMPLE_MS = 250
const RETRY_SECONDS = 2

/**
 * Turns requests away while the event loop is late, before any work is done for them: those that are under way can then
 * finish. The delay is the mean over a sample: many steps that are late, or one that takes longer than all of it.
 */
export default fp<{ config: Pick<Config, 'maxLoopDelayMs'> }>(
  async (app, { config: { maxLoopDelayMs } }) => {
    if (maxLoopDelayMs === 0) return
    await app.register(underPressure, {
      maxEventLoopDelay: maxLoopDelayMs,
      sampleInterval: SAMPLE_MS,
      pressureHandler: ({ routeOptions: { config } }) => {
        if (!config?.healthProbe) throw new AppError('OVERLOADED', {}, { retryAfter: RETRY_SECONDS })
      },
    })
  },
  { name: 'overload', dependencies: ['http'] },
)
