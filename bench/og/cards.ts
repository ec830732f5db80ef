import type { TokenCard } from '../../features/link-previews/card.ts'

export const brand = { name: 'Slipway', color: '#0ea5e9', host: 'launch.example' }

/** A unique card, which no cache has. */
export const makeCard = (index: number): TokenCard => ({
  kind: 'token',
  address: `0x${index.toString(16).padStart(40, '0')}`,
  name: `Harbour Cat ${index}`,
  symbol: `HCAT${index % 100}`,
  lifecycle: 'curve',
  status: index % 5 === 0 ? 'graduated' : 'curve',
  progress: index % 100,
  price: `$0.0₅${700 + (index % 300)}`,
  marketCap: `$${(7 + (index % 90) / 100).toFixed(2)}K`,
  change: `+${(index % 100).toFixed(2)}%`,
  quote: 'ETH',
  direction: 'up',
  sparkline: Array.from({ length: 97 }, (_, at) => Math.round(50 + 40 * Math.sin((at + index) / 9))),
})
