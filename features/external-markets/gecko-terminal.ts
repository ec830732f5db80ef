import { AppError } from '../../errors.ts'
import { type HttpClient, HttpClientError } from '../../lib/http/http-client.ts'
import { intervals } from '../../schemas/chart.ts'
import { EXTERNAL_CANDLES } from '../../schemas/external-markets.ts'
import { aggregateCandles } from './aggregate-candles.ts'
import { CandlesResponse, toMarket, validateResponse } from './gecko-responses.ts'
import { type Interval, type MarketProvider, SERVICE } from './provider.ts'

interface Options {
  /** Base URL of the API, without a trailing slash. */
  url: string
  network: string
  /** CoinGecko API key: its paid API has the same paths under another base URL. */
  key: string | null
  timeoutMs: number
  http: HttpClient
}

/** Responses take some ten kilobytes. */
const MAX_BYTES = 1024 * 1024
const MAX_ROWS = 1000
/** The public rate limit is per minute. */
const DEFAULT_RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 600

/** The API's names of the intervals. It has no 30 minutes: two candles of 15 are merged. */
const timeframes: Record<Interval, { unit: string; count: number; parts?: number }> = {
  '1m': { unit: 'minute', count: 1 },
  '5m': { unit: 'minute', count: 5 },
  '15m': { unit: 'minute', count: 15 },
  '30m': { unit: 'minute', count: 15, parts: 2 },
  '1h': { unit: 'hour', count: 1 },
  '4h': { unit: 'hour', count: 4 },
  '1d': { unit: 'day', count: 1 },
}

/** Client of GeckoTerminal's public API v2 and of CoinGecko's paid API, which has the same paths. */
export function createGeckoTerminal({ url: base, network, key, timeoutMs, http }: Options): MarketProvider {
  const headers = {
    accept: 'application/json;version=20230302',
    ...(key === null ? {} : { 'x-cg-pro-api-key': key }),
  }

  /** Returns the JSON of a path; undefined on 404 and 422 (unknown, or no chart). */
  const request = async (path: string, query: Record<string, string>): Promise<unknown> => {
    const url = new URL(`${base}/networks/${encodeURIComponent(network)}/${path}?${new URLSearchParams(query)}`)
    const answer = await http
      .request({ url, method: 'GET', headers, timeoutMs, maxBytes: MAX_BYTES })
      .catch((cause: unknown) => {
        const late = cause instanceof HttpClientError && cause.kind === 'timeout'
        throw new AppError(late ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_FAILED', { service: SERVICE }, { cause })
      })
    if (answer.status === 404 || answer.status === 422) return undefined
    if (answer.status === 429) throw failure('429', readRetryAfter(answer.headers['retry-after']))
    if (answer.status !== 200) throw failure(`status ${answer.status}`)
    return parseOrFail(() => JSON.parse(answer.body) as unknown)
  }

  return {
    name: 'GeckoTerminal',
    network,
    getMarket: async (address) => {
      const answer = await request(`tokens/${address}`, { include: 'top_pools' })
      return answer === undefined ? null : parseOrFail(() => toMarket(answer, address))
    },
    getCandles: async ({ address, pools: [pool] }, interval) => {
      if (!pool) return []
      const { unit, count, parts = 1 } = timeframes[interval]
      const answer = await request(`pools/${pool.address}/ohlcv/${unit}`, {
        aggregate: String(count),
        limit: String(Math.min(MAX_ROWS, EXTERNAL_CANDLES * parts)),
        currency: 'usd',
        token: address,
      })
      if (answer === undefined) return []
      const { data } = parseOrFail(() => validateResponse(CandlesResponse, answer))
      const candles = data.attributes.ohlcv_list.map(([time, open, high, low, close, volumeUsd]) => {
        return { time, open, high, low, close, volumeUsd }
      })
      return aggregateCandles(candles, intervals[interval], EXTERNAL_CANDLES)
    },
  }
}

const failure = (cause: string, retryAfter?: number) =>
  new AppError('UPSTREAM_FAILED', { service: SERVICE }, { cause: new Error(cause), ...(retryAfter && { retryAfter }) })

/** An unreadable response is the provider's failure: throws UPSTREAM_FAILED. */
function parseOrFail<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new AppError('UPSTREAM_FAILED', { service: SERVICE }, { cause })
  }
}

/** Seconds until the retry. Retry-After is a number of seconds or a date. */
function readRetryAfter(header: string | undefined): number {
  const seconds = /^\d+$/.test(header ?? '') ? Number(header) : (Date.parse(header ?? '') - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(1, seconds), MAX_RETRY_SECONDS) : DEFAULT_RETRY_SECONDS
}
