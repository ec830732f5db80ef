import swagger from '@fastify/swagger'
import fp from 'fastify-plugin'
import type { Reason } from '../errors.ts'
import { describeFailures, placeFailures } from '../lib/openapi/describe-failures.ts'
import { describeReads } from '../lib/openapi/describe-reads.ts'
import { shareResponses } from '../lib/openapi/share-responses.ts'
import { describeBucket, describeQuotas } from '../lib/rate-limit/describe.ts'

/** `info.description` of the document: paragraphs of Markdown. */
const introduction = [
  'A token launchpad as a JSON REST API. Every response is an envelope with `success` and `data`, and `error` on failures. ' +
    'Amounts are decimal strings in base units; times are ISO 8601 in UTC.',
  '**To try operations that need a token here**, sign in with your browser wallet, or press *Authorize* and paste a ' +
    'token. In a clone, `npm run --silent token` prints the token of a demo account; `-- --help` lists the accounts.',
  'Requests count against a global quota and, where an operation names one in `x-rate-limit-bucket`, against the quota of ' +
    'that bucket. Responses report both in `RateLimit` and `RateLimit-Policy`; /config lists them. Every GET accepts HEAD ' +
    'and `If-None-Match`.',
  'Query parameters that an operation does not know are ignored, except one that is spelt almost as one that it knows, such as ' +
    '`wallett` or `min_quote`: that is 400, and the error names the parameter that was meant.',
  'Live events come over a WebSocket at `/ws`, which the AsyncAPI document at `/asyncapi.json` describes.',
]

/** Prefix of the second mount. Its operations are identical: the document lists it as a server instead of repeating them. */
export const SECOND_MOUNT = '/api'

interface Options {
  name: string
  version: string
  /** Tags of operations, in document order. */
  tags: readonly { name: string; description: string }[]
  /** Every reason of a failure, by name. */
  reasons: Readonly<Record<string, Reason>>
}

/** Decorates the app with `swagger()`, which returns the OpenAPI document. features/api-docs serves it. */
export default fp<Options>(
  async (app, { name, version, tags, reasons }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: `${name} API`,
          version,
          description: introduction.join('\n\n'),
          contact: { name },
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [
          { url: '/', description: 'The root' },
          { url: SECOND_MOUNT, description: 'The same operations under a prefix' },
        ],
        tags: [...tags],
        // Public by default; operations with authentication override it.
        security: [],
        components: {
          securitySchemes: {
            bearer: {
              type: 'http',
              scheme: 'bearer',
              bearerFormat: 'JWT',
              description: 'The token that `POST /auth/login` returns. It expires after a day.',
            },
            session: {
              type: 'apiKey',
              in: 'cookie',
              name: 'slipway_session',
              description: 'The cookie of a browser that signed in with `remember`.',
            },
          },
        },
      },
      // By default, @fastify/swagger strips a server's base path from every path that starts with it.
      stripBasePath: false,
      refResolver: { buildLocalReference: (json) => String(json.$id) },
      // Copy before hiding: both mounts share one schema object.
      transform: ({ schema, url, route }) => ({
        schema:
          !schema?.operationId || isSecondMount(route)
            ? { ...schema, hide: true }
            : describeBucket(describeFailures(schema, route), route.config),
        url,
      }),
      transformObject: (document) =>
        'openapiObject' in document
          ? shareResponses(dropInternals(placeFailures(describeReads(describeQuotas(document.openapiObject)), reasons)))
          : {},
    })
  },
  { name: 'openapi' },
)

/** Whether a route belongs to the second mount. @fastify/swagger passes `prefix`, but its types omit it. */
function isSecondMount(route: object): boolean {
  const { prefix } = route as { prefix?: string }
  return prefix === SECOND_MOUNT || prefix?.startsWith(`${SECOND_MOUNT}/`) === true
}

/** Removes the keywords that only the validator reads, at any depth. */
export function dropInternals<T>(value: T): T {
  if (Array.isArray(value)) return value.map(dropInternals) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'x-expects' && key !== 'x-lowercase')
      .map(([key, inner]) => [key, dropInternals(inner)]),
  ) as T
}
