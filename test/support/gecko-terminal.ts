import { type Act, answer } from './third-party.ts'

export const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
export const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
export const POOL = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640'
/** A pool of an exchange whose pools have ids and no addresses. */
export const POOL_ID = `0x${'4d'.repeat(32)}`

const reference = (id: string, type: string) => ({ data: { id, type } })

function poolEntry(address: string, base: string, quote: string, h24: string) {
  return {
    id: `eth_${address}`,
    type: 'pool',
    attributes: {
      base_token_price_usd: '1.0',
      base_token_price_native_currency: '0.0004',
      quote_token_price_usd: '2500.0',
      address,
      name: 'USDC / WETH 0.05%',
      pool_created_at: '2021-12-29T12:35:14Z',
      fdv_usd: '51190000000.0',
      market_cap_usd: null,
      price_change_percentage: { m5: '0', m15: '0.01', m30: '0.01', h1: '-0.012', h6: '0.02', h24 },
      transactions: { h24: { buys: 4100, sells: 3900, buyers: 1200, sellers: 1100 } },
      volume_usd: { m5: '10000.5', h1: '1000000', h6: '60000000', h24: '310000000.75' },
      reserve_in_usd: '120000000.1234',
    },
    relationships: {
      base_token: reference(`eth_${base}`, 'token'),
      quote_token: reference(`eth_${quote}`, 'token'),
      dex: reference('uniswap_v3', 'dex'),
    },
  }
}

/** A token as the API returns it: numbers as text, `included` in any order, and further fields. */
export const geckoToken = (address = USDC, changes: Record<string, unknown> = {}) => ({
  data: {
    id: `eth_${address}`,
    type: 'token',
    attributes: {
      address,
      name: 'USD Coin',
      symbol: 'USDC',
      decimals: 6,
      image_url: 'https://coin-images.coingecko.com/coins/images/6319/large/usdc.png?1769615602',
      coingecko_coin_id: 'usd-coin',
      total_supply: '51200000000000000.0',
      normalized_total_supply: '51200000000.0',
      price_usd: '0.9998',
      fdv_usd: '51190000000.5',
      total_reserve_in_usd: '512000000.5',
      volume_usd: { h24: '1200000000.25' },
      market_cap_usd: '5.119E10',
      ...changes,
    },
    relationships: {
      top_pools: {
        data: [
          { id: `eth_${POOL}`, type: 'pool' },
          { id: `eth_${POOL_ID}`, type: 'pool' },
        ],
      },
    },
  },
  included: [poolEntry(POOL_ID, WETH, address, '1.5'), poolEntry(POOL, address, WETH, '-0.02')],
})

/** Rows as the API sends them: the newest first, none for an interval without trades. */
export const geckoCandles = (rows: unknown[]) => ({
  data: {
    id: '81da0682-1c4f-445a-9bed-9b5454004df5',
    type: 'ohlcv_request_response',
    attributes: { ohlcv_list: rows },
  },
  meta: {
    base: { address: USDC, name: 'USD Coin', symbol: 'USDC', coingecko_coin_id: 'usd-coin' },
    quote: { address: WETH, name: 'Wrapped Ether', symbol: 'WETH', coingecko_coin_id: 'weth' },
  },
})

export const geckoNotFound = answer({ errors: [{ status: '404', title: 'Not Found' }] }, 404)

/** The API with one token and a chart of its first pool. */
export const playGecko =
  (token: object = geckoToken(), rows: unknown[] = []): Act =>
  (response, request) => {
    if (request.path === `/networks/eth/tokens/${USDC}`) answer(token)(response, request)
    else if (request.path.startsWith(`/networks/eth/pools/${POOL}/ohlcv/`))
      answer(geckoCandles(rows))(response, request)
    else geckoNotFound(response, request)
  }
