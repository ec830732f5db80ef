// Only runs in child processes: see lib/child-pool.
import { Resvg } from '@resvg/resvg-js'
import { svgLimits } from './image-limits.ts'
import { screenSvg } from './screen-svg.ts'

/** Rasterises an untrusted SVG as PNG. Throws if screenSvg rejects it. */
export function rasterizeSvg(svg: Buffer): Uint8Array {
  const source = screenSvg(svg)
  const drawing = new Resvg(source, {
    font: { loadSystemFonts: false },
    fitTo: { mode: 'width', value: svgLimits.side },
    logLevel: 'off',
  })
  if (drawing.height > drawing.width * svgLimits.ratio) throw new Error('Too high a drawing')
  return drawing.render().asPng()
}
