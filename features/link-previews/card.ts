/** What the head of a card shows of its token. */
export interface TokenHead {
  /** Determines the colours of the placeholder when there is no image. */
  address: string
  name: string
  symbol: string
  status: 'curve' | 'completed' | 'graduated'
  /** direct: launched in its pool. */
  lifecycle: 'curve' | 'direct'
}

/** Display values of a token's link preview, and nothing else: equal cards render equal images. */
export interface TokenCard extends TokenHead {
  kind: 'token'
  /** Whole percent of the curve's target. */
  progress: number
  /** The price with its unit. A run of zeros is a subscript, as in $0.0₅709. */
  price: string
  /** null without a USD price of the native coin. */
  marketCap: string | null
  /** Of the price in the quote asset, within 24 hours. */
  change: string
  /** Symbol of the quote asset. */
  quote: string
  direction: 'up' | 'down' | 'flat'
  /** Prices of the last day, oldest first, scaled to 0..100; at least two. */
  sparkline: readonly number[]
}

/** Display values of a wallet's profit on a token. */
export interface ProfitCard extends TokenHead {
  kind: 'profit'
  /** The wallet's name, or its shortened address. */
  trader: string
  /**
   * Symbol of the quote asset, in which all figures are. US dollars at the price of today would be another profit than those at the
   * prices of the trades, and sums of these are not stored.
   */
  unit: string
  /** The profit with its sign. A run of zeros is a subscript, as in 0.0₅709. */
  profit: string
  /** The profit as a share of what was paid; null if nothing was bought. */
  change: string | null
  direction: 'up' | 'down' | 'flat'
  /** What was paid and received, and the value of what is held. */
  bought: string
  sold: string
  held: string
}

/** Shown when there is no token. */
export interface BrandCard {
  kind: 'brand'
}

export type Card = TokenCard | ProfitCard | BrandCard

/** The service that the card belongs to. */
export interface Brand {
  name: string
  color: string
  host: string
}

export const ratios = { '1.91:1': { width: 1200, height: 630 }, '3:2': { width: 1200, height: 800 } } as const
export type Ratio = keyof typeof ratios

/** A job for a rendering child process. */
export interface CardJob {
  card: Card
  brand: Brand
  ratio: Ratio
  /** The token's image, a square PNG. */
  image: Uint8Array | null
}

/** Increment it with every change of the design: it invalidates ETags and cached cards. */
export const CARD_REVISION = 5
