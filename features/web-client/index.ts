import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../../config/config.ts'
import { findToken } from '../../db/queries/tokens.ts'
import { AppError } from '../../errors.ts'
import { chooseEncoding } from '../../lib/http/accept-encoding.ts'
import { addVary } from '../../lib/http/caching-headers.ts'
import { renderHead, renderTokenHead } from './page-head.ts'
import { type Asset, readBuild, type WebBuild } from './read-build.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the root of the service leads: the web client, or the API documentation without one. */
    homePath: '/app' | '/docs'
  }
}

/**
 * Policy of every response under /app. No inline script or style but those of the build, by their hashes, and no other origin.
 * Trusted Types leave injected markup no way to become script: only the client's own policy may create the URL of its worker.
 */
const makePolicy = ({ inline }: WebBuild): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inline.scripts].join(' '),
    "worker-src 'self'",
    ["style-src 'self'", ...inline.styles].join(' '),
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "manifest-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types slipway-worker',
  ].join('; ')

const TOKEN_PAGE = /^token\/(0x[0-9a-f]{40})\/?$/i
const DEFAULT_FOLDER = new URL('../../web/dist/', import.meta.url)

interface Options {
  config: Pick<Config, 'web' | 'brand' | 'publicUrl'>
  /** Folder of the build, with a trailing slash. */
  folder?: URL
}

/**
 * Serves the built web client under /app, and decorates the app with `homePath`. Every path below /app that is no file
 * is a page of the client, which routes in the browser.
 */
export default fp<Options>(
  async (app, { config, folder = DEFAULT_FOLDER }) => {
    const build = config.web ? await readBuild(folder) : null
    app.decorate('homePath', build ? '/app' : '/docs')
    if (config.web && !build)
      app.log.warn('The web client is not built, so / leads to /docs. To build it: npm run build:web')
    if (build) addRoutes(app, build, config)
  },
  { name: 'web-client', dependencies: ['errors'] },
)

function addRoutes(app: FastifyInstance, build: WebBuild, config: Options['config']): void {
  const policy = makePolicy(build)
  const sendPage = (reply: FastifyReply, head: string) =>
    reply
      .headers({ 'cache-control': 'no-cache', 'content-security-policy': policy })
      .type('text/html; charset=utf-8')
      .send(`${build.page[0]}${head}${build.page[1]}`)

  app.get('/app', { schema: { hide: true } }, (_request, reply) => sendPage(reply, renderHead(config)))
  app.get<{ Params: { '*': string } }>('/app/*', { schema: { hide: true } }, async (request, reply) => {
    const path = request.params['*']
    const [, token] = TOKEN_PAGE.exec(path) ?? []
    if (path.startsWith('assets/')) throw notFound(request)
    return sendPage(reply, token ? await renderHeadOf(request, token.toLowerCase(), config) : renderHead(config))
  })
  // One route per file: other paths below /app are pages. Files cost next to nothing, so they consume no quota.
  for (const [path, asset] of build.assets)
    app.get(
      `/app/${path}`,
      { schema: { hide: true }, compress: false, config: { rateLimitExempt: true } },
      (request, reply) => sendAsset(request, reply, asset, policy),
    )
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset, policy: string): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding'], asset)
  addVary(reply, 'accept-encoding')
  if (encoding) reply.header('content-encoding', encoding)
  return reply
    .headers({
      etag: asset.etag,
      'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      // A worker's policy comes with its script.
      'content-security-policy': policy,
    })
    .type(asset.type)
    .send((encoding && asset[encoding]) ?? asset.body)
}

/** Without the database, or for unknown and hidden tokens, the head of any page: the client itself shows the error. */
async function renderHeadOf(request: FastifyRequest, address: string, config: Options['config']): Promise<string> {
  try {
    const row = await findToken(request.db, address)
    return row && !row.hidden ? renderTokenHead(row, config) : renderHead(config)
  } catch (error) {
    request.log.warn({ err: error }, 'The head of a token page could not be rendered')
    return renderHead(config)
  }
}

const notFound = ({ method, url }: FastifyRequest) =>
  new AppError('ROUTE_NOT_FOUND', { method, path: url.split('?', 1)[0]?.slice(0, 200) ?? url })
