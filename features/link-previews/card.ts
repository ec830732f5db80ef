/** What a link preview shows of a token: display values and nothing else, so that equal cards are equal pictures. */
export interface TokenCard {
  kind: 'token'
  /** Its picture is tinted by it where there is no image. */
  address: string
  name: string
  symbol: string
  status: 'curve' | 'completed' | 'graduated'
  /** Whole percent of the curve's target. */
  progress: number
  /** With its unit; a run of zeros is written as a subscript, as in $0.0₅709. */
  price: string
  /** Null where no feed knows what the native coin is worth. */
  marketCap: string | null
  change: string
  direction: 'up' | 'down' | 'flat'
  /** Prices of the last day from oldest to newest, scaled to 0..100; at least two. */
  sparkline: readonly number[]
}

/** What is shown where there is no token to show. */
export interface BrandCard {
  kind: 'brand'
}

export type Card = TokenCard | BrandCard

/** Whose preview it is. */
export interface Brand {
  name: string
  color: string
  host: string
}

export const ratios = { '1.91:1': { width: 1200, height: 630 }, '3:2': { width: 1200, height: 800 } } as const
export type Ratio = keyof typeof ratios

/** What a worker is told to draw. */
export interface CardJob {
  card: Card
  brand: Brand
  ratio: Ratio
  /** The token's image, a square PNG. */
  image: Uint8Array | null
}

/** Goes up with every change to how cards look: validators and caches of older ones then end. */
export const CARD_REVISION = 1
