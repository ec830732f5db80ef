import type { FastifyReply } from 'fastify'

/** On every response: those that the OWASP REST Security Cheat Sheet lists for an API. */
const API_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
}

/** On what a browser shows or embeds: pages, scripts, images. Web clients on any origin embed the images. */
const DOCUMENT_HEADERS: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
}

/** A year, as https://hstspreload.org requires. Only where the service is behind TLS. */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

const isJson = (type: unknown): boolean =>
  type === undefined || (typeof type === 'string' && type.startsWith('application/json'))

/** The headers of a JSON response. `production`: the service is behind TLS. */
export const listApiHeaders = ({ production }: { production: boolean }): Readonly<Record<string, string>> => ({
  ...API_HEADERS,
  ...(production && STRICT_TRANSPORT),
})

/** Returns a function that adds the security headers of a response's content type. A policy of the route is kept. */
export function createSecurityHeaders(options: { production: boolean }): (reply: FastifyReply) => void {
  const ofApi = listApiHeaders(options)
  const ofDocuments = { ...ofApi, ...DOCUMENT_HEADERS }
  return (reply) => {
    const policy = reply.getHeader('content-security-policy')
    reply.headers(isJson(reply.getHeader('content-type')) ? ofApi : ofDocuments)
    if (policy !== undefined) reply.header('content-security-policy', policy)
  }
}
