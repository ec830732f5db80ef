import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** Strong ETag of a body. */
export const tagOf = (body: string | Buffer): string => `"${hash('sha1', body, 'base64url')}"`

/** ETag suffix that names the content encoding. */
export const ENCODED = /-(?:br|gzip)"$/

/** The ETag of an encoded form. */
export const tagEncoded = (tag: string, encoding: string): string => tag.replace(/"$/, `-${encoding}"`)

/** Whether If-None-Match lists this ETag, in any encoding. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  const bare = (one: string) => one.trim().replace(/^W\//, '').replace(ENCODED, '"')
  return header.split(',').some((one) => bare(one) === bare(tag))
}

/** Adds a name to Vary and keeps the existing ones. */
export function addVary(reply: FastifyReply, name: string): void {
  const present = reply.getHeader('vary')
  if (present === undefined) return void reply.header('vary', name)
  const names = String(present)
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  if (!names.some((one) => one.toLowerCase() === name)) reply.header('vary', [...names, name].join(', '))
}
