import { API_URL } from './api.ts'

/**
 * The path of a picture that this service re-encoded and serves; null for any other URL. Pictures of other hosts would
 * tell them who looks at which token.
 */
export function toOwnImage(url: string | null | undefined, publicUrl: string): string | null {
  if (!url) return null
  const path = url.startsWith(`${publicUrl}/`) ? url.slice(publicUrl.length) : url
  return /^\/(api\/)?uploads\/[\w-]+\.webp$/.test(path) ? `${API_URL}${path}` : null
}

/** A link that a stranger wrote: https only, without user information. */
export function toSafeLink(url: string | null | undefined): { href: string; host: string } | null {
  if (!url) return null
  try {
    const { protocol, username, password, href, host } = new URL(url)
    return protocol === 'https:' && !username && !password ? { href, host } : null
  } catch {
    return null
  }
}

export const shorten = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`
