import type { Metrics } from '../telemetry/create-metrics.ts'
import type { ToPrimary, ToWorker } from './messages.ts'

/** The primary process, as a worker sees it. */
export interface Primary {
  /** Resolves when another worker has taken the place of this one. */
  readonly retired: Promise<void>
  /** `greeting` is for the terminal; null if there is nothing to say. */
  reportReady(greeting: string | null): void
  /** Metrics that count for this process and show those of all processes. */
  shareMetrics(own: Metrics): Metrics
  /** Hands over what was counted. Resolves when the primary process has it. */
  leave(): Promise<void>
}

/** Connects a worker to the primary process, which has started it. Without that one it ends: Node ends it. */
export function joinPrimary(): Primary {
  const send = (message: ToPrimary) => {
    if (process.connected) process.send?.(message)
  }
  const retired = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const scrapes = new Map<number, PromiseWithResolvers<string>>()
  let lastId = 0
  let metrics: Metrics | undefined
  const read = async () => (await metrics?.read()) ?? []

  process.on('message', async (message: ToWorker) => {
    switch (message.kind) {
      case 'retire':
        return retired.resolve()
      case 'may-end':
        return mayEnd.resolve()
      case 'read-metrics':
        return send({ kind: 'metrics', id: message.id, values: await read() })
      case 'all-metrics': {
        const scrape = scrapes.get(message.id)
        scrapes.delete(message.id)
        if (message.text === null) scrape?.reject(new Error('The metrics of all processes could not be read'))
        else scrape?.resolve(message.text)
      }
    }
  })

  return {
    retired: retired.promise,
    reportReady: (greeting) => send({ kind: 'ready', greeting }),
    shareMetrics: (own) => {
      metrics = own
      const scrape = () => {
        const answer = Promise.withResolvers<string>()
        scrapes.set(++lastId, answer)
        send({ kind: 'read-all-metrics', id: lastId })
        return answer.promise
      }
      return { ...own, scrape }
    },
    leave: async () => {
      send({ kind: 'ending', values: await read() })
      await mayEnd.promise
    },
  }
}
