import type { ByteRange } from '../../lib/storage/storage.ts'

/**
 * The part of a file that a Range header asks for. 'whole' when it asks for several, or in no way we know: a server may
 * ignore a Range. 'outside' when nothing of it lies within the file.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'whole' | 'outside' {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole'
  // Without a start it is the last so many bytes.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < start) return 'whole'
  return start >= size ? 'outside' : { start, end }
}
