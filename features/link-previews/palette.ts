/** Colours that do not depend on the brand. */
export const palette = {
  ground: '#0a0f1a',
  text: '#f8fafc',
  soft: '#b6c2d4',
  faint: '#7686a0',
  line: 'rgba(148, 163, 184, 0.18)',
  up: '#34d399',
  down: '#fb7185',
  flat: '#94a3b8',
} as const

/** Gradient of an address's placeholder image, always the same for the same address. */
export function tintOf(address: string): [from: string, to: string] {
  const hue = Number.parseInt(address.slice(2, 8), 16) % 360
  return [`hsl(${hue}, 78%, 60%)`, `hsl(${(hue + 50) % 360}, 82%, 42%)`]
}

/** Adds an opacity of 0..1 to a #rrggbb colour. */
export function fade(color: string, opacity: number): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return `rgba(${parts.join(', ')}, ${opacity})`
}

/** Mixes two #rrggbb colours; `share` (0..1) is the part of the second. */
export function mix(from: string, to: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [Number.parseInt(from.slice(at, at + 2), 16), Number.parseInt(to.slice(at, at + 2), 16)]
    return Math.round(a + (b - a) * share)
  })
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

export const lighten = (color: string, share: number) => mix(color, '#ffffff', share)
