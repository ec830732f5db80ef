export type Style = Record<string, string | number>

/** A node of satori's layout tree, as JSX would create it. */
export interface Element {
  type: string
  props: Record<string, unknown>
}

export type Child = Element | string | null | readonly Child[]

/** A flex box. */
export const box = (style: Style, ...children: Child[]): Element => ({
  type: 'div',
  props: { style: { display: 'flex', ...style }, children: children.flat().filter((child) => child !== null) },
})

/** A line of text. */
export const text = (style: Style, content: string): Element => ({
  type: 'div',
  props: { style: { display: 'flex', whiteSpace: 'pre', ...style }, children: content },
})

/** An image from SVG markup; `inner` must be trusted. */
export function svg(size: { width: number; height: number }, inner: string, style: Style = {}): Element {
  const { width, height } = size
  const source = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${inner}</svg>`
  const src = `data:image/svg+xml;base64,${Buffer.from(source).toString('base64')}`
  return { type: 'img', props: { src, width, height, style } }
}
