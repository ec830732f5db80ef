import { readFile } from 'node:fs/promises'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fp from 'fastify-plugin'
import { describeFailures, placeFailures } from '../lib/openapi/describe-failures.ts'
import { describeReads } from '../lib/openapi/describe-reads.ts'
import { describeBucket, describeQuotas } from '../lib/rate-limit/describe.ts'

/** What a reader wants to know before anything else, in paragraphs of Markdown. */
const introduction = [
  'A token launchpad as a JSON REST API. Every answer is an envelope of `success` and `data`, with `error` on failures. ' +
    'Amounts are decimal strings in base units; times are ISO 8601 in UTC.',
  '**To try calls that need a token here**, sign in with the wallet of your browser, or press *Authorize* and paste a ' +
    'token. `npm run --silent token`, in a clone, prints one of a demo account; `-- --help` says whose else.',
  'What a client may ask is limited by a global quota and, where an operation names one in `x-rate-limit-bucket`, by that ' +
    'bucket’s as well; every answer tells of them in `RateLimit` and `RateLimit-Policy`, and /config lists them. A GET may ' +
    'also be asked as HEAD, and with `If-None-Match`.',
  'What happens live is told over a WebSocket at `/ws`, which has a document of its own: AsyncAPI, at `/asyncapi.json`.',
]

/** The prefix of the second mount: the same operations again, so it is documented as a server and not twice. */
export const SECOND_MOUNT = '/api'

interface Options {
  name: string
  version: string
  /** Groups of operations, in the order in which the document lists them. */
  tags: readonly { name: string; description: string }[]
}

/** The OpenAPI document, at /docs/json and /docs/yaml, and its Swagger UI at /docs; at both mounts, as all there is. */
export default fp<Options>(
  async (app, { name, version, tags }) => {
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
        // Open to all, unless an operation says otherwise.
        security: [],
        components: {
          securitySchemes: {
            bearer: {
              type: 'http',
              scheme: 'bearer',
              bearerFormat: 'JWT',
              description: 'The token of `POST /auth/login`. It is good for a day.',
            },
          },
        },
      },
      // Otherwise the prefix of a server is cut from every path that happens to begin with it.
      stripBasePath: false,
      refResolver: { buildLocalReference: (json) => String(json.$id) },
      // Hidden in a copy: the two mounts share one schema object.
      transform: ({ schema, url, route }) => ({
        schema:
          !schema?.operationId || isSecondMount(route)
            ? { ...schema, hide: true }
            : describeBucket(describeFailures(schema, route), route.config),
        url,
      }),
      transformObject: (document) =>
        'openapiObject' in document
          ? dropInternals(placeFailures(describeReads(describeQuotas(document.openapiObject))))
          : {},
    })

    const theme = {
      title: `${name} API`,
      js: [
        {
          filename: 'sign-in.js',
          content: await readFile(new URL('../lib/openapi/sign-in.js', import.meta.url), 'utf8'),
        },
      ],
    }
    for (const mount of ['', SECOND_MOUNT]) {
      // Whoever opens the address that the service printed is shown what there is.
      app.get(mount || '/', { schema: { hide: true } }, (_request, reply) => reply.redirect(`${mount}/docs`))
      // In a scope of its own: the plugin marks the instance that it is given, and does so once.
      await app.register(async (scope) => {
        await scope.register(swaggerUi, {
          routePrefix: `${mount}/docs`,
          uiConfig: { deepLinking: true, persistAuthorization: true, tryItOutEnabled: true },
          theme,
          staticCSP:
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
            "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
        })
      })
    }
  },
  { name: 'openapi' },
)

/** Told by the prefix that the route was registered under, which the plugin's types leave out. */
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
