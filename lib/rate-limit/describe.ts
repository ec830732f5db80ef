import type { FastifyContextConfig, FastifySchema } from 'fastify'

const BUCKET = 'x-rate-limit-bucket'
/** Instead of a bucket: exempt from all quotas, including the global one. */
export const NONE = 'none'

const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0, examples: [example] },
})
const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
})

/** Headers of a 429 response. All others carry them too, except Retry-After. */
const headers = {
  'Retry-After': integer('Seconds until the exhausted quota is available again.', 12),
  RateLimit: text(
    'Each quota by name: the remaining requests (r), and the seconds until all of it is available again (t).',
    '"global";r=212;t=41, "trade";r=0;t=12',
  ),
  'RateLimit-Policy': text(
    'Each quota by name: its size (q), and its window in seconds (w).',
    '"global";q=300;w=60, "trade";q=30;w=60',
  ),
  'RateLimit-Limit': integer('Size of the tightest quota.', 30),
  'RateLimit-Remaining': integer('Remaining requests of the tightest quota.', 0),
  'RateLimit-Reset': integer('Seconds until the tightest quota is available again.', 12),
}

/** Returns a copy of the schema with the route's bucket. The original is shared by both mounts. */
export function describeBucket(schema: FastifySchema, config: FastifyContextConfig | undefined): FastifySchema {
  const bucket = config?.rateLimitExempt ? NONE : config?.bucket
  return bucket === undefined ? schema : Object.assign({}, schema, { [BUCKET]: bucket })
}

interface Operation {
  responses?: Record<string, { description?: string; headers?: object }>
  [BUCKET]?: string
}

interface Document {
  components?: object
  paths?: object
}

/** Documents the quotas and headers of every 429 response. */
export function describeQuotas<T extends Document>(document: T): T {
  const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>
  for (const operation of Object.values(paths).flatMap(Object.values<Operation>)) {
    const refusal = operation.responses?.['429']
    if (!refusal) continue
    const bucket = operation[BUCKET]
    if (bucket === NONE) {
      refusal.description = 'The address has too many connections: the operation itself has no quota.'
      continue
    }
    refusal.description = `Over the global quota, that of the address${bucket === undefined ? '' : `, or that of ${bucket}`}; see Retry-After.`
    refusal.headers = Object.fromEntries(
      Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    )
  }
  return { ...document, components: { ...document.components, headers } }
}
