/** A point of a path, in pixels. */
export interface Point {
  x: number
  y: number
}

/** Maps values of 0..100 to equidistant points, 100 at `top` and 0 at `bottom`. */
export function placePoints(
  values: readonly number[],
  { left, right, top, bottom }: { left: number; right: number; top: number; bottom: number },
): Point[] {
  const step = (right - left) / Math.max(1, values.length - 1)
  return values.map((value, at) => ({ x: left + at * step, y: bottom - ((bottom - top) * value) / 100 }))
}

/**
 * A smooth path through equidistant points. It never overshoots, which would show prices that were never traded.
 * Slopes: Fritsch and Carlson, "Monotone Piecewise Cubic Interpolation" (1980), in Fritsch and Butland's form.
 */
export function drawPath(points: readonly Point[]): string {
  const [first] = points
  if (!first) return ''
  const slopes = points.map((point, at) => {
    const [before, after] = [points[at - 1], points[at + 1]]
    if (!before || !after) return 0
    const [left, right] = [point.y - before.y, after.y - point.y]
    return left * right <= 0 ? 0 : (2 * left * right) / (left + right)
  })
  const parts = [`M${round(first.x)} ${round(first.y)}`]
  for (let at = 1; at < points.length; at++) {
    const [from, to] = [points[at - 1] as Point, points[at] as Point]
    const third = (to.x - from.x) / 3
    const [rise, fall] = [(slopes[at - 1] as number) / 3, (slopes[at] as number) / 3]
    const controls = [from.x + third, from.y + rise, to.x - third, to.y - fall, to.x, to.y]
    parts.push(`C${controls.map(round).join(' ')}`)
  }
  return parts.join('')
}

const round = (value: number) => Math.round(value * 10) / 10
