/**
 * Lower-cases every hex string of a response, in place: nodes may send checksummed addresses, upper-case hashes or `0X`, and
 * everything that compares or stores them expects lower case. Returns the value.
 */
export function lowerHex<T>(value: T): T {
  if (typeof value === 'string') return (PREFIX.test(value) ? value.toLowerCase() : value) as T
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  for (const name of Object.keys(fields)) fields[name] = lowerHex(fields[name])
  return value
}

const PREFIX = /^0x/i
