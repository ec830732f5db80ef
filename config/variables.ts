import { isIP } from 'node:net'
import { type TString, type TTransform, Type } from '@sinclair/typebox'
import { splitHosts } from './database-hosts.ts'

// The kinds of environment variables: each has a help text, a check of its value, and perhaps a default.

/** The help text of a variable, the values that it accepts (for error messages), and whether its value is secret. */
export interface Note {
  description: string
  accepts: string
  secret?: boolean
}

/** A variable whose text is parsed by `read`, which throws on invalid text. */
export const text = <T>(note: Note, read: (raw: string) => T, fallback?: string): TTransform<TString, T> =>
  Type.Transform(Type.String({ ...note, ...(fallback === undefined ? {} : { default: fallback }) }))
    .Decode(read)
    .Encode(String) as TTransform<TString, T>

export const whole = (minimum: number, maximum: number, fallback: number | undefined, description: string) =>
  Type.Integer({
    minimum,
    maximum,
    ...(fallback === undefined ? {} : { default: fallback }),
    description,
    accepts: `an integer from ${minimum} to ${maximum}`,
  })

export const choice = <const T extends readonly string[]>(
  values: T,
  fallback: T[number] | undefined,
  description: string,
) =>
  Type.Unsafe<T[number]>(
    Type.String({
      pattern: `^(${values.join('|')})$`,
      ...(fallback === undefined ? {} : { default: fallback }),
      description,
      accepts: `one of ${values.join(', ')}`,
    }),
  )

/** What is wrong with parts of a value: each line follows the name of the variable, such as `[0].kind is "x"; expected …`. */
export class InvalidPartsError extends Error {
  override readonly name = 'InvalidPartsError'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('; '))
    this.lines = lines
  }
}

export const check = (condition: unknown) => {
  if (!condition) throw new TypeError('invalid')
}

export const splitList = (raw: string) =>
  raw
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

export const readWallets = (raw: string) =>
  splitList(raw).map((wallet) => {
    check(/^0x[0-9a-fA-F]{40}$/.test(wallet))
    return wallet.toLowerCase()
  })

export const readUrl = (...protocols: string[]) => {
  return (raw: string) => {
    const { protocol } = new URL(raw)
    check(protocols.includes(protocol.slice(0, -1)))
    return raw.replace(/\/+$/, '')
  }
}

/** Paths of the API are appended to it, and clients see it. */
export const readPublicUrl = (raw: string) => {
  const { username, password, search, hash } = new URL(raw)
  check([username, password, search, hash].every((part) => part === ''))
  return readUrl('http', 'https')(raw)
}

export const readRedisUrls = (raw: string) => {
  const urls = splitList(raw).map(readUrl('redis', 'rediss'))
  check(urls.length > 0)
  return urls
}

/** Sentinel allows these characters. */
export const readSentinelName = (raw: string) => {
  check(/^[\w.-]{1,64}$/.test(raw))
  return raw
}

export const readOrigins = (raw: string) =>
  splitList(raw).map((origin) => {
    check(origin === '*' || new URL(origin).origin === origin)
    return origin
  })

export const readKeys = (raw: string) => {
  const keys = splitList(raw).map((pair) => {
    const colon = pair.indexOf(':')
    const key = { kid: pair.slice(0, colon), secret: pair.slice(colon + 1) }
    check(colon > 0 && /^[\w-]{1,64}$/.test(key.kid) && Buffer.byteLength(key.secret) >= 32)
    return key
  })
  check(keys.length > 0 && new Set(keys.map(({ kid }) => kid)).size === keys.length)
  return keys
}

export const readPrivateKey = (raw: string) => {
  const key: `0x${string}` = `0x${raw.replace(/^0x/, '')}`
  check(/^0x[0-9a-fA-F]{64}$/.test(key))
  return key
}

export const readDomain = (raw: string) => {
  check(raw === new URL(`http://${raw}`).host || raw === `${new URL(`http://${raw}`).hostname}:80`)
  return raw
}

export const readName = (raw: string) => {
  check(raw.length <= 64)
  return raw
}

/** IP addresses and CIDRs. */
export const readNetworks = (raw: string) =>
  splitList(raw).map((network) => {
    const [address = '', prefix = '0', ...rest] = network.split('/')
    const bits = isIP(address) === 6 ? 128 : 32
    check(isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
    return network
  })

export const readWord = (raw: string) => {
  check(/^[\w-]{1,64}$/.test(raw))
  return raw
}

/** `limit` requests in any window of `windowSeconds`. */
export interface Quota {
  limit: number
  windowSeconds: number
}

const readQuota = (raw: string): Quota => {
  const [, limit, windowSeconds] = (/^(\d{1,7})\/(\d{1,5})$/.exec(raw) ?? []).map(Number)
  if (!limit || !windowSeconds) throw new TypeError('invalid')
  return { limit, windowSeconds }
}

export const quota = (fallback: string | undefined, description: string) =>
  text({ description: `Quota of ${description}`, accepts: 'requests/seconds, such as 60/60' }, readQuota, fallback)

export const readHeaders = (raw: string) =>
  Object.fromEntries(
    splitList(raw).map((pair) => {
      const [, name, value] = /^([\w-]+)=(.+)$/.exec(pair) ?? []
      check(name && value)
      return [String(name).toLowerCase(), decodeURIComponent(String(value))]
    }),
  )

export const readRatio = (raw: string) => {
  check(/^(0|1|0?\.\d+|1\.0+)$/.test(raw))
  return Number(raw)
}

export const url = (description: string, protocols: string[], secret = false, fallback?: string) =>
  text({ description, secret, accepts: `a URL (${protocols.join(' or ')})` }, readUrl(...protocols), fallback)

/** A URL of PostgreSQL. `sessions`: the values of target_session_attrs that it may have; the first is that of several hosts without one. */
export const database = (description: string, sessions: readonly string[]) =>
  text(
    {
      description,
      secret: true,
      accepts: `a URL (postgres or postgresql), perhaps of several hosts, with target_session_attrs=${sessions.join(' or ')}`,
    },
    (raw) => {
      const { urls, sessions: given } = splitHosts(raw)
      for (const one of urls) readUrl('postgres', 'postgresql')(one)
      check(given === null || sessions.includes(given))
      return raw.replace(/\/+$/, '')
    },
  )
