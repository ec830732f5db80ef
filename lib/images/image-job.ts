/** What a child that works on pictures can do. `encode` takes any of the four formats, and SVG with `svg`. */
export type ImageJob =
  | { kind: 'encode'; bytes: Uint8Array; svg: boolean }
  | { kind: 'thumbnail'; bytes: Uint8Array; side: number }

export interface Picture {
  bytes: Uint8Array
  width: number
  height: number
}

/** format: none of those that are taken; size: more pixels than are taken; broken: it cannot be decoded, or is no plain drawing. */
export interface ImageRejection {
  problem: 'format' | 'size' | 'broken'
}

export type ImageResult = Picture | ImageRejection
