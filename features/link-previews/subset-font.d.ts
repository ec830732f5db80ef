/** The used part of subset-font, which has no types. */
declare module 'subset-font' {
  interface Options {
    targetFormat?: 'sfnt' | 'woff' | 'woff2'
    variationAxes?: Record<string, number>
    keepAllGlyphs?: boolean
    noHinting?: boolean
  }
  /** `text` is undefined with keepAllGlyphs. */
  export default function subsetFont(font: Buffer, text: string | undefined, options?: Options): Promise<Buffer>
}
