/**
 * What tells a browser to trust an answer with nothing: it is data, no page, script or frame. The headers are those of the
 * helmet package with its defaults, said once instead of put together for each request.
 */
const headers = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
  'cross-origin-opener-policy': 'same-origin',
  // Web clients of any origin read the API and show its images.
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  // Off: the filter of old browsers could itself be abused.
  'x-xss-protection': '0',
}

/** Only where TLS is: a browser remembers it for a year. */
const transport = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

export const securityHeaders = (production: boolean): Readonly<Record<string, string>> =>
  production ? { ...headers, ...transport } : headers
