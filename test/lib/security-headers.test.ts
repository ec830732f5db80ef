import Fastify from 'fastify'
import t from 'tap'
import { createSecurityHeaders } from '../../lib/http/security-headers.ts'

const OF_API = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
}
const OF_DOCUMENTS = {
  ...OF_API,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
}
/** What every response has. */
const OTHERS = ['content-type', 'content-length', 'date', 'connection']

for (const production of [false, true]) {
  const ofTls = production ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}
  for (const [type, expected] of [
    ['application/json; charset=utf-8', OF_API],
    [undefined, OF_API],
    ['text/html; charset=utf-8', OF_DOCUMENTS],
    ['text/javascript', OF_DOCUMENTS],
    ['image/png', OF_DOCUMENTS],
    ['image/svg+xml', OF_DOCUMENTS],
    ['text/plain', OF_DOCUMENTS],
  ] as const) {
    const place = production ? 'in production' : 'in development'
    t.test(`a response of type ${type} has exactly these headers ${place}`, async (t) => {
      const app = Fastify()
      const addHeaders = createSecurityHeaders({ production })
      app.addHook('onSend', async (_, reply) => addHeaders(reply))
      app.get('/', (_, reply) => (type ? reply.type(type).send('x') : reply.code(204).send()))
      app.get('/own', (_, reply) =>
        reply
          .type(type ?? 'text/html')
          .header('content-security-policy', 'sandbox')
          .send('x'),
      )
      const headersOf = async (url: string) => {
        const { headers } = await app.inject(url)
        return Object.fromEntries(Object.entries(headers).filter(([name]) => !OTHERS.includes(name)))
      }
      t.strictSame(await headersOf('/'), { ...expected, ...ofTls })
      t.match(await headersOf('/own'), { 'content-security-policy': 'sandbox' }, 'a policy of the route is kept')
    })
  }
}
