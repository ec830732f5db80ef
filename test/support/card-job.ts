import type { CardJob, TokenCard } from '../../features/link-previews/card.ts'

const card: TokenCard = {
  kind: 'token',
  address: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  name: 'Harbour Cat',
  symbol: 'HCAT',
  status: 'curve',
  progress: 62,
  price: '$0.0₅709',
  marketCap: '$7.09K',
  change: '+89.06%',
  direction: 'up',
  sparkline: [0, 30, 20, 80, 100],
}

/** A job for a token's card with these changes. */
export const makeCardJob = (change: Partial<TokenCard> = {}): CardJob => ({
  card: { ...card, ...change },
  brand: { name: 'Slipway', color: '#0ea5e9', host: 'launch.example' },
  ratio: '1.91:1',
  image: null,
})
