import type { CardJob, ProfitCard, TokenCard } from '../../features/link-previews/card.ts'

const card: TokenCard = {
  kind: 'token',
  address: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  name: 'Harbour Cat',
  symbol: 'HCAT',
  status: 'curve',
  lifecycle: 'curve',
  progress: 62,
  price: '$0.0₅709',
  marketCap: '$7.09K',
  change: '+89.06%',
  quote: 'ETH',
  direction: 'up',
  sparkline: [0, 30, 20, 80, 100],
}

export const profitCard: ProfitCard = {
  kind: 'profit',
  address: card.address,
  name: card.name,
  symbol: card.symbol,
  status: 'curve',
  lifecycle: 'curve',
  trader: 'captain',
  unit: 'ETH',
  profit: '+0.0₅709',
  change: '+38.02%',
  direction: 'up',
  bought: '3.26',
  sold: '2.10',
  held: '2.40',
}

/** A job for a token's card with these changes. */
export const makeCardJob = (change: Partial<TokenCard> = {}): CardJob => ({
  card: { ...card, ...change },
  brand: { name: 'Slipway', color: '#0ea5e9', host: 'launch.example' },
  ratio: '1.91:1',
  image: null,
})
