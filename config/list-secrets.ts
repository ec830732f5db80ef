import { splitHosts } from './database-hosts.ts'

/** Shorter secrets are not redacted: they occur in too much other text. */
const SHORTEST_SECRET = 6

interface Sources {
  /** Their passwords are secret. */
  urls: readonly (string | undefined)[]
  /** RPC providers put API keys in any part of the URL. */
  rpcUrls: readonly string[]
  others: readonly (string | undefined)[]
}

/** All secrets, in each encoding that may occur in a log line; longest first. */
export function listSecrets({ urls, rpcUrls, others }: Sources): string[] {
  const found = [
    ...urls.map((url) => (url === undefined ? '' : new URL(splitHosts(url).urls[0] as string).password)),
    ...rpcUrls.flatMap((text) => {
      const { pathname, search, username, password } = new URL(text)
      return [pathname.slice(1), search.slice(1), username, password]
    }),
    ...others.filter((text) => text !== undefined),
  ]
  const forms = found.flatMap((text) => [text, decode(text), JSON.stringify(text).slice(1, -1)])
  return [...new Set(forms)].filter((text) => text.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
