import { readFile } from 'node:fs/promises'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { shareResult } from '../../lib/concurrency/share-result.ts'
import { writeYaml } from '../../lib/json/write-yaml.ts'
import { hideCookies } from './hide-cookies.ts'
import { insertExamples } from './insert-examples.ts'
import { readExamples } from './read-examples.ts'

/** How long the examples in the page may be older than the market. */
const EXAMPLES_TTL_MS = 30_000

/** Policy of the page. Link previews are shown from blob: URLs; Swagger UI itself needs inline styles. */
const SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join('; ')

interface Options {
  name: string
  /** Prefixes of the mounts. */
  mounts: readonly string[]
}

/**
 * Serves the OpenAPI document at /openapi.json and /openapi.yaml (and at /docs/json and /docs/yaml), and Swagger UI at
 * /docs, under every mount. The page reads a copy of the document with examples of this service.
 */
export default fp<Options>(
  async (app, { name, mounts }) => {
    const page = await readPage(`${name} API`)
    // Written on the first request: most processes are never asked for YAML.
    const writeOnce = (write: () => string) => {
      let text: string | undefined
      return () => {
        text ??= write()
        return text
      }
    }
    const json = writeOnce(() => JSON.stringify(app.swagger()))
    const yaml = writeOnce(() => writeYaml(app.swagger()))
    const readLive = shareResult(() => describeLive(app), EXAMPLES_TTL_MS)
    for (const mount of mounts) {
      app.get(mount || '/', { schema: { hide: true } }, (_request, reply) =>
        reply.redirect(mount === '' ? app.homePath : `${mount}/docs`),
      )
      const serve = (path: string, type: string, read: () => string | Promise<string>) =>
        app.get(`${mount}${path}`, { schema: { hide: true } }, async (_request, reply) =>
          reply.type(`${type}; charset=utf-8`).send(await read()),
        )
      serve('/openapi.json', 'application/json', json)
      serve('/openapi.yaml', 'application/yaml', yaml)
      serve('/docs/live.json', 'application/json', readLive)
      // Encapsulated: @fastify/swagger-ui decorates its instance, which fails the second time.
      await app.register(async (scope) => {
        await scope.register(swaggerUi, {
          routePrefix: `${mount}/docs`,
          uiConfig: {
            deepLinking: true,
            // A stored token could be copied by any script of this origin: see docs/security.md.
            persistAuthorization: false,
            tryItOutEnabled: true,
            displayRequestDuration: true,
            defaultModelsExpandDepth: 0,
          },
          theme: page,
          staticCSP: SECURITY_POLICY,
        })
      })
    }
  },
  { name: 'api-docs', dependencies: ['openapi', 'request-db', 'web-client'] },
)

/** The document with examples; without a database, without them. */
async function describeLive(app: FastifyInstance): Promise<string> {
  const document = hideCookies(app.swagger())
  try {
    return JSON.stringify(insertExamples(document, await readExamples(app.databases.reads)))
  } catch (error) {
    app.log.warn({ err: error }, 'The examples of the API documentation could not be read')
    return JSON.stringify(document)
  }
}

/** Title, scripts, style and icon that the page adds to Swagger UI. */
async function readPage(title: string) {
  const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')
  const load = async (filename: string) => ({ filename, content: await read(`./page/${filename}`) })
  const icon = {
    filename: 'icon.svg',
    rel: 'icon',
    sizes: 'any',
    type: 'image/svg+xml',
    content: await read('../../web/public/icon.svg'),
  }
  return {
    title,
    js: await Promise.all(['header.js', 'sign-in.js', 'operations.js', 'start.js'].map(load)),
    css: [await load('page.css')],
    favicon: [icon],
  }
}
