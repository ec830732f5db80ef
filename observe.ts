import type { InstrumentRequest } from './chain/rpc/client.ts'
import { hasNoResponse } from './chain/rpc/node-failure.ts'
import type { AroundStep, StepKind } from './indexer/engine/follow.ts'
import type { Metrics, RpcOutcome } from './lib/telemetry/create-metrics.ts'
import type { SpanOptions, Tracing } from './lib/telemetry/open-tracing.ts'

/** Counts each request to a node, and records it as a span of the active trace. */
export function instrumentRequest(metrics: Metrics, tracing: Tracing | null): InstrumentRequest {
  return async (method, ask) => {
    const start = performance.now()
    const count = (outcome: RpcOutcome) =>
      metrics.countRpc('service', method, outcome, (performance.now() - start) / 1000)
    try {
      const work: SpanOptions = {
        name: method,
        kind: 'client',
        attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': method },
      }
      const answer = await (tracing ? tracing.runInActiveSpan(work, ask) : ask())
      count('ok')
      return answer
    } catch (error) {
      count(hasNoResponse(error) ? 'failed' : 'refused')
      throw error
    }
  }
}

/** Measures each step of the indexer and records it as a trace. */
export function instrumentStep(onStep: (kind: StepKind, seconds: number) => void, tracing: Tracing | null): AroundStep {
  return async (kind, work) => {
    const start = performance.now()
    const step = { name: `indexer ${kind}`, kind: 'internal' as const }
    const result = await (tracing ? tracing.run(step, work) : work())
    onStep(kind, (performance.now() - start) / 1000)
    return result
  }
}

/** A query as a span named by its first keyword. The text has placeholders instead of values. */
export const describeQuery = (sql: string): SpanOptions => ({
  name: (/^\W*(\w+)/.exec(sql)?.[1] ?? 'query').toLowerCase(),
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql', 'db.query.text': sql },
})
