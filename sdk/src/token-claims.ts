/**
 * The wallet of a token that has not expired at a time in milliseconds since 1970, such as that of `readTime(client)`; undefined for
 * any other text. It does not verify the token.
 */
export function readToken(token: string | undefined, time = Date.now()): string | undefined {
  const isValid = (readExpiry(token) ?? Number.POSITIVE_INFINITY) > time
  return isValid ? readSubject(token) : undefined
}

/** The wallet of a token, in lower case, also after it has expired. */
export function readSubject(token: string | undefined): string | undefined {
  const { sub } = readClaims(token)
  return typeof sub === 'string' ? sub.toLowerCase() : undefined
}

/** When a token expires, in milliseconds since 1970; undefined if it names no time. */
export function readExpiry(token: string | undefined): number | undefined {
  const { exp } = readClaims(token)
  return typeof exp === 'number' ? exp * 1_000 : undefined
}

function readClaims(token: string | undefined): Record<string, unknown> {
  try {
    const payload = token?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/')
    return Object(JSON.parse(atob(payload as string)))
  } catch {
    // Not a token, or none.
    return {}
  }
}
