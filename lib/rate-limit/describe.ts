import type { FastifyContextConfig, FastifySchema } from 'fastify'

const BUCKET = 'x-rate-limit-bucket'
/** In place of a bucket: not even the global quota. */
const NONE = 'none'

const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0, examples: [example] },
})
const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
})

/** The headers of a refusal by the limiter. All but Retry-After come with every other answer, too. */
const headers = {
  'Retry-After': integer('Seconds until the quota that was used up begins to come back.', 12),
  RateLimit: text(
    'Each quota by name: what remains of it (r), and the seconds until some of it comes back (t).',
    '"global";r=212;t=41, "trade";r=0;t=12',
  ),
  'RateLimit-Policy': text(
    'Each quota by name: its size (q), and the seconds within which it may be taken (w).',
    '"global";q=300;w=60, "trade";q=30;w=60',
  ),
  'RateLimit-Limit': integer('Size of the tightest quota.', 30),
  'RateLimit-Remaining': integer('What remains of the tightest quota.', 0),
  'RateLimit-Reset': integer('Seconds until some of the tightest quota comes back.', 12),
}

/** Puts the bucket of a route into its operation. In a copy: both mounts share one schema object. */
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

/** Says of every 429 which quotas can be behind it, and what headers it has. */
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
    refusal.description = `Over the global quota${bucket === undefined ? '' : `, or that of ${bucket}`}; see Retry-After.`
    refusal.headers = Object.fromEntries(
      Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    )
  }
  return { ...document, components: { ...document.components, headers } }
}
