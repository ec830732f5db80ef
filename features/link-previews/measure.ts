import satori, { type SatoriOptions } from 'satori'
import { type Style, text } from './elements.ts'

/** Width in ems of a line of text in a style that does not set the font size. */
export type Measure = (style: Style, content: string) => Promise<number>

/** Font size of the measured text: satori rounds its width to pixels. */
const FONT_SIZE = 100

/**
 * Measures with satori's own layout, which shapes and kerns: estimates fail for ligatures and for glyphs that are wider than
 * an em, such as U+FDFD with 11.
 */
export const createMeasure =
  (options: Pick<SatoriOptions, 'fonts' | 'graphemeImages'>): Measure =>
  async (style, content) => {
    let width = 0
    await satori(text({ fontFamily: 'Inter', ...style, fontSize: FONT_SIZE }, content) as never, {
      ...options,
      height: FONT_SIZE,
      embedFont: false,
      onNodeDetected: (node) => {
        width = Math.max(width, node.width)
      },
    })
    return width / FONT_SIZE
  }

/** The largest font size up to `most` with which a text of `ems` fits into `room` pixels. */
export const fitSize = (most: number, room: number, ems: number): number =>
  Math.floor(Math.min(most, room / Math.max(ems, 0.01)))
