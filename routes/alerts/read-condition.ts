import type { Static } from '@sinclair/typebox'
import type { NewTokenAlert } from '../../db/queries/alerts.ts'
import type { AlertRequest } from '../../schemas/alerts.ts'

type TokenAlert = Exclude<Static<typeof AlertRequest>, { type: 'trade' }>

/** What an alert is compared with: a market capitalisation as the price of a whole token, because the supply never changes. */
export function readCondition(request: TokenAlert): NewTokenAlert['conditionOf'] {
  return ({ total_supply: supply, decimals }) => {
    if (request.type === 'graduation')
      return { measure: 'graduation', direction: 'above', threshold: 0, metric: null, value: null }
    const { direction, value } = request
    if (request.type === 'price_change')
      return { measure: request.window, direction, threshold: value, metric: null, value }
    const { metric } = request
    const tokens = Number(supply) / 10 ** decimals
    return {
      measure: metric.endsWith('Usd') ? 'price_usd' : 'price',
      direction,
      threshold: metric.startsWith('marketCap') ? value / tokens : value,
      metric,
      value,
    }
  }
}
