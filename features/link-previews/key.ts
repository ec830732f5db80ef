import { hash } from 'node:crypto'
import { type Brand, CARD_REVISION, type Card, type Ratio } from './card.ts'

/** A card that somebody wants drawn. */
export interface CardRequest {
  card: Card
  ratio: Ratio
  /** The token's image: a square PNG, under a name that is no other image's. */
  image?: { name: string; png: Uint8Array } | null
  /** What it is about, whatever it shows of it now. */
  subject?: string
}

/** A name for the picture that a request leads to: equal for equal pictures, whoever asks and wherever. */
export const keyOf = (brand: Brand, { card, ratio, image }: CardRequest): string =>
  hash('sha256', JSON.stringify([CARD_REVISION, ratio, brand, card, image?.name ?? null]), 'base64url').slice(0, 27)
