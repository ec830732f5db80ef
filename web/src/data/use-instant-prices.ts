import { toNumber } from '@slipway/sdk/helpers'
import { keyOf, useLive } from '@slipway/sdk/react'
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { api } from '../lib/api.ts'
import type { Token, Trade } from './tokens.ts'

type Pages = InfiniteData<{ items: Token[] }>

/** The figures that one trade determines. Sums and rankings come when the lists are read again. */
function applyTrade(token: Token, trade: Trade): Token {
  const { priceUsd } = trade
  return {
    ...token,
    priceNative: trade.priceNative ?? token.priceNative,
    priceQuote: trade.priceQuote ?? token.priceQuote,
    priceUsd: priceUsd ?? token.priceUsd,
    marketCapUsd: priceUsd === null ? token.marketCapUsd : priceUsd * toNumber(token.totalSupply, token.decimals),
    lastTradeAt: trade.timestamp,
  }
}

/** Shows the price of each trade in all lists at once, before they are read again. */
export function useInstantPrices(): void {
  const client = useQueryClient()
  useLive('trades', (message) => {
    if (message.type !== 'trade') return
    const trade = message.data
    const patch = (token: Token) => (token.address === trade.token ? applyTrade(token, trade) : token)
    client.setQueriesData<Pages>(
      { queryKey: keyOf(api.tokens.list) },
      (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(patch) })) },
    )
    client.setQueryData<Token>(keyOf(api.tokens.get.with(trade.token)), (token) => token && patch(token))
  })
}
