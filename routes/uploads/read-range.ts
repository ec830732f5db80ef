import type { ByteRange } from '../../lib/storage/storage.ts'

/**
 * The byte range of a Range header. 'whole' for several ranges or an unknown syntax, as a server may ignore Range.
 * 'outside' if the range does not overlap the file.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'whole' | 'outside' {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole'
  // Without a start, it is the number of last bytes.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < start) return 'whole'
  return start >= size ? 'outside' : { start, end }
}
