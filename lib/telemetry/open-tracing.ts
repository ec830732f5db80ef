import type { IncomingHttpHeaders } from 'node:http'
import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api'

export interface SpanOptions {
  name: string
  kind: 'internal' | 'client' | 'server'
  attributes?: Attributes
}

/** A started span that the caller ends. */
export interface OpenSpan {
  readonly traceId: string
  /** Runs work with this span active: spans started in it are its children. */
  run<T>(work: () => T): T
  setAttributes(attributes: Attributes): void
  end(failed?: boolean): void
}

export interface Tracing {
  /** Starts a trace, or continues that of the request's W3C Trace Context headers. */
  begin(work: SpanOptions, headers?: IncomingHttpHeaders): OpenSpan
  /** Runs work in a child of the active span. Rejects as the work does. */
  run<T>(work: SpanOptions, action: () => Promise<T>): Promise<T>
  /** The same, but records nothing without an active span. */
  runInActiveSpan<T>(work: SpanOptions, action: () => Promise<T>): Promise<T>
  /** Records a finished operation under the active span, if any. */
  record(work: SpanOptions, milliseconds: number, failed: boolean): void
  /** Exports pending spans and shuts down. */
  close(): Promise<void>
}

interface Options {
  /** Base URL of an OTLP/HTTP collector. */
  endpoint: string
  /** Sent with every export, such as an API key. */
  headers: Readonly<Record<string, string>>
  /** Sampling ratio of traces that start here, from 0 to 1. A caller's sampling decision is kept. */
  ratio: number
  service: { name: string; version: string; role: string }
  onError: (error: unknown) => void
}

/**
 * Exports spans to an OTLP collector. Packages are loaded here, so that a service without tracing does not pay for them.
 * Nothing is registered globally: several instances can run in one process.
 */
export async function openTracing(options: Options): Promise<Tracing> {
  const { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api')
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks')
  const { W3CTraceContextPropagator } = await import('@opentelemetry/core')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const { resourceFromAttributes } = await import('@opentelemetry/resources')
  const sdk = await import('@opentelemetry/sdk-trace')

  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    headers: { ...options.headers },
    timeoutMillis: 5_000,
  })
  const send = exporter.export.bind(exporter)
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      if (result.error) options.onError(result.error)
      done(result)
    })
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service.name,
      'service.version': options.service.version,
      'slipway.role': options.service.role,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(options.ratio) }),
    spanLimits: { attributeValueLengthLimit: 2_048 },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  })
  const tracer = provider.getTracer('slipway', options.service.version)
  const contexts = new AsyncLocalStorageContextManager().enable()
  const kinds: Record<SpanOptions['kind'], SpanKind> = {
    internal: SpanKind.INTERNAL,
    client: SpanKind.CLIENT,
    server: SpanKind.SERVER,
  }

  const propagator = new W3CTraceContextPropagator()
  const start = ({ name, kind, attributes = {} }: SpanOptions, parent: Context, startTime?: number): Span =>
    tracer.startSpan(name, { kind: kinds[kind], attributes, ...(startTime !== undefined && { startTime }) }, parent)
  const end = (span: Span, failed: boolean, endTime?: number) => {
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endTime)
  }
  const run = async <T>(work: SpanOptions, action: () => Promise<T>): Promise<T> => {
    const parent = contexts.active()
    const span = start(work, parent)
    let failed = true
    try {
      const result = await contexts.with(trace.setSpan(parent, span), action)
      failed = false
      return result
    } finally {
      end(span, failed)
    }
  }

  return {
    begin: (work, headers = {}) => {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      const span = start(work, parent)
      const context = trace.setSpan(parent, span)
      return {
        traceId: span.spanContext().traceId,
        run: (inner) => contexts.with(context, inner),
        setAttributes: (attributes) => void span.setAttributes(attributes),
        end: (failed = false) => end(span, failed),
      }
    },
    run,
    runInActiveSpan: (work, action) => (trace.getSpan(contexts.active()) ? run(work, action) : action()),
    record: (work, milliseconds, failed) => {
      const parent = contexts.active()
      if (!trace.getSpan(parent)) return
      const now = Date.now()
      end(start(work, parent, now - milliseconds), failed, now)
    },
    close: async () => {
      await provider.shutdown().catch(options.onError)
      contexts.disable()
    },
  }
}
