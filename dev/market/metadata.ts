import { createHash } from 'node:crypto'

type Art = readonly [background: string, foreground: string, path: string]

/** Metadata of a contractURI (ERC-7572). */
export interface Metadata {
  name: string
  description: string
  art: Art
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** The metadata as a data: URI, image included. A launchpad accepts up to 512 bytes. */
export function toDataUri(metadata: Metadata): string {
  return `data:application/json;base64,${Buffer.from(toJson(metadata)).toString('base64')}`
}

/** The metadata as an ipfs: URI: the CID (version 1, raw, sha2-256) of its bytes. */
export function toIpfsUri(metadata: Metadata): string {
  const digest = createHash('sha256').update(toJson(metadata)).digest()
  return `ipfs://b${encodeBase32(Buffer.concat([Buffer.from([0x01, 0x55, 0x12, 0x20]), digest]))}`
}

function toJson({ name, description, art: [background, foreground, path] }: Metadata): string {
  const svg =
    `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'>` +
    `<path fill='${background}' d='M0 0h8v8H0z'/><path fill='${foreground}' d='${path}'/></svg>`
  // Escape only characters that a data: URI cannot hold: full escaping exceeds the size limit.
  const image = `data:image/svg+xml,${svg.replace(/[#%<>]/g, encodeURIComponent)}`
  return JSON.stringify({ name, description, image })
}

function encodeBase32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}
