/** Jobs of an image child. `encode` accepts PNG, JPEG, WebP and GIF, and SVG if `svg` is set. */
export type ImageJob =
  | { kind: 'encode'; bytes: Uint8Array; svg: boolean }
  | { kind: 'thumbnail'; bytes: Uint8Array; side: number }

export interface Picture {
  bytes: Uint8Array
  width: number
  height: number
}

/** format: not accepted; size: too many pixels; broken: cannot be decoded, or an SVG that fails screenSvg. */
export interface ImageRejection {
  problem: 'format' | 'size' | 'broken'
}

export type ImageResult = Picture | ImageRejection
