/** The part of subset-font that is used here; it brings no types. */
declare module 'subset-font' {
  interface Options {
    targetFormat?: 'sfnt' | 'woff' | 'woff2'
    variationAxes?: Record<string, number>
    keepAllGlyphs?: boolean
    noHinting?: boolean
  }
  /** Text is undefined with keepAllGlyphs. */
  export default function subsetFont(font: Buffer, text: string | undefined, options?: Options): Promise<Buffer>
}
