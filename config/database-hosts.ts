/** A URL of PostgreSQL that may name several hosts, as libpq accepts it. */
export interface DatabaseHosts {
  /** One URL for each host; user, password, database and parameters are those of all. */
  urls: readonly string[]
  /** target_session_attrs: which of the hosts is used; null unless set. */
  sessions: string | null
}

const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/

/** Throws TypeError unless it is a URL of PostgreSQL. Strings without a host, which pg accepts as well, are one URL. */
export function splitHosts(url: string): DatabaseHosts {
  const [, scheme, authority = '', path = '', query = ''] = PARTS.exec(url) ?? []
  if (scheme === undefined) return { urls: [url], sessions: null }
  const end = authority.lastIndexOf('@') + 1
  const user = authority.slice(0, end)
  const parameters = new URLSearchParams(query)
  const sessions = parameters.get('target_session_attrs')
  parameters.delete('target_session_attrs')
  // The query stays as it was given: pg reads some characters otherwise than they are written here.
  const rest = sessions === null ? query : parameters.size > 0 ? `?${parameters}` : ''
  const hosts = authority.slice(end).split(',')
  if (hosts.length > 1 && hosts.some((host) => host === '' || host.startsWith(':')))
    throw new TypeError('A host is empty')
  const urls = hosts.map((host) => `${scheme}${user}${host}${path}${rest}`)
  if (hosts.length > 1) for (const one of urls) new URL(one)
  return { urls, sessions }
}
