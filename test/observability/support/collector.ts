import type { Test } from 'tap'
import { answer, startThirdParty } from '../../support/third-party.ts'

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  attributes: Record<string, unknown>
  failed: boolean
  seconds: number
  service: unknown
}

interface OtlpValue {
  stringValue?: string
  intValue?: number | string
  boolValue?: boolean
  doubleValue?: number
}
interface OtlpAttribute {
  key: string
  value: OtlpValue
}
interface OtlpSpan extends Omit<CollectedSpan, 'attributes'> {
  attributes: OtlpAttribute[]
  status?: { code?: number }
  startTimeUnixNano: string
  endTimeUnixNano: string
}
interface OtlpBody {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

const readAttributes = (attributes: OtlpAttribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        value.boolValue ??
        value.doubleValue ??
        (value.intValue === undefined ? null : Number(value.intValue)),
    ]),
  )

/** A collector of traces: a server that accepts OTLP over HTTP in JSON and keeps what it received. */
export async function startCollector(t: Test) {
  const server = await startThirdParty(t, answer({}))
  const spans = (): CollectedSpan[] =>
    server.received
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ body }) => (JSON.parse(body) as OtlpBody).resourceSpans)
      .flatMap(({ resource, scopeSpans }) =>
        scopeSpans
          .flatMap((scope) => scope.spans)
          .map((span) => ({
            ...span,
            parentSpanId: span.parentSpanId || undefined,
            attributes: readAttributes(span.attributes),
            failed: span.status?.code === 2,
            seconds: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e9,
            service: readAttributes(resource.attributes)['service.name'],
          })),
      )
  return { url: server.url, received: server.received, spans }
}
