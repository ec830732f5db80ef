import { buffer } from 'node:stream/consumers'
import type { Config } from '../../config/config.ts'
import { decodeLoosely, FetchRejectedError, type GuardedFetch, isPlainPath } from '../../lib/http/guarded-fetch.ts'
import { type Storage, UPLOAD_NAME } from '../../lib/storage/storage.ts'

export interface UriReader {
  settings: Pick<Config, 'fetchMetadata' | 'ipfsGateway' | 'publicUrl'>
  storage: Storage
  fetch: GuardedFetch
}

const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{50,110}|z[1-9A-HJ-NP-Za-km-z]{40,110})$/

/** Reads an untrusted URI (data:, ipfs: or its CID alone, https: or an upload). Rejects if it is not allowed or not available. */
export async function readUri(
  { settings, storage, fetch }: UriReader,
  raw: string,
  bounds: { maxBytes: number; signal: AbortSignal },
): Promise<Buffer> {
  const uri = raw.trim()
  if (/^data:/i.test(uri)) return decodeDataUri(uri, bounds.maxBytes)
  // Read own uploads from storage: the public URL may be unreachable from this host.
  const own = uri.startsWith(`${settings.publicUrl}/uploads/`) ? uri.slice(settings.publicUrl.length + 9) : ''
  if (UPLOAD_NAME.test(own)) {
    const file = await storage.open(own)
    if (!file || file.size > bounds.maxBytes) {
      file?.body.destroy()
      throw new FetchRejectedError('No such upload')
    }
    return buffer(file.body)
  }
  if (settings.fetchMetadata !== 'on') throw new FetchRejectedError('Nothing is fetched here')
  const path = readIpfsPath(uri)
  if (path === undefined) return fetch(uri, bounds)
  const exemptBelow = `${settings.ipfsGateway}/ipfs/`
  return fetch(`${exemptBelow}${path}`, { ...bounds, exemptBelow })
}

/** The encoded path of an ipfs: URI, or a CID, below a gateway's /ipfs/; undefined for others. Throws for paths that leave it. */
function readIpfsPath(uri: string): string | undefined {
  if (CID.test(uri)) return uri
  const [, path] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/is.exec(uri) ?? []
  if (path === undefined) return undefined
  const [cid = '', ...rest] = path.split('/')
  // Some paths are percent-encoded, some are not.
  const parts = rest.map(decodeLoosely)
  const isPlain = !/[?#]/.test(path) && isPlainPath(path) && parts.every((part) => !/[?#]/.test(decodeLoosely(part)))
  if (!CID.test(cid) || !isPlain) throw new FetchRejectedError('Not an address of IPFS')
  return [cid, ...parts].map(encodeURIComponent).join('/')
}

/** data:[type][;parameters][;base64],content */
function decodeDataUri(uri: string, maxBytes: number): Buffer {
  const comma = uri.indexOf(',')
  // A byte takes at most three characters (%XX).
  if (comma < 0 || uri.length > maxBytes * 3 + 200) throw new FetchRejectedError('Not a data: URI of a fitting size')
  const content = decodeLoosely(uri.slice(comma + 1))
  const bytes = Buffer.from(content, /;\s*base64\s*$/i.test(uri.slice(0, comma)) ? 'base64' : 'utf8')
  if (bytes.length > maxBytes) throw new FetchRejectedError('Too much in a data: URI')
  return bytes
}
