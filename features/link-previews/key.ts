import { hash } from 'node:crypto'
import { type Brand, CARD_REVISION, type Card, type Ratio } from './card.ts'

export interface CardRequest {
  card: Card
  ratio: Ratio
  /** The token's image: a square PNG; `name` identifies its content. */
  image?: { name: string; png: Uint8Array } | null
  /** Identifies the token, whatever its card shows at the moment. */
  subject?: string
}

/** Identifies the rendered image: equal for equal images, in every process. */
export const keyOf = (brand: Brand, { card, ratio, image }: CardRequest): string =>
  hash('sha256', JSON.stringify([CARD_REVISION, ratio, brand, card, image?.name ?? null]), 'base64url').slice(0, 27)
