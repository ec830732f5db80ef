/** What a figure counts. It decides what its letters mean: `2m` are two million, or two minutes. */
export type Unit = 'usd' | 'count' | 'percent' | 'duration'

export interface ReadFigure {
  /** null for an empty text, and for one that is no figure. Durations are in seconds. */
  value: number | null
  /** Why the text is no figure. */
  problem: string | null
}

const SIZES = { t: 1e12, b: 1e9, m: 1e6, k: 1e3 } as const
const SECONDS = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 } as const

/** 1,000: some people mean a thousand by it, others one. */
const AMBIGUOUS = /^\D*[1-9]\d{0,2}(,\d{3})+\D*$/
const NUMBER = /^([-\u2212+]?)(\d+(?:\.\d*)?|\.\d+)([kmbt]?)$/
/** The dot is what allows more digits: with an optional dot, a long text that is no duration would take for ever. */
const DURATION = /^(\d+(?:\.\d*)?[wdhms])+$/

const examples: Readonly<Record<Unit, string>> = {
  usd: '500, 10k or 2m',
  count: '50 or 1k',
  percent: '25 or -5',
  duration: '30m, 1h or 2d',
}

/** Reads what a person types for a figure: `10k`, `$2.5m`, `25 %`, `1h30m`. */
export function readFigure(text: string, unit: Unit): ReadFigure {
  const given = text.trim().toLowerCase()
  if (given === '') return { value: null, problem: null }
  if (AMBIGUOUS.test(given)) return { value: null, problem: `Write ${given.replaceAll(',', '')} without commas.` }
  const plain = given.replace(',', '.').replace(/[\s_$%]/g, '')
  const value = unit === 'duration' ? readDuration(plain) : readNumber(plain)
  return value === null ? { value, problem: `Enter a figure such as ${examples[unit]}.` } : { value, problem: null }
}

function readNumber(text: string): number | null {
  const [, sign, digits, letter] = NUMBER.exec(text) ?? []
  if (digits === undefined) return null
  const size = letter ? SIZES[letter as keyof typeof SIZES] : 1
  // A product of floats may be off in its last digit: 1.1 * 1000.
  const value = Number((Number(digits) * size).toPrecision(15))
  return sign === '-' || sign === '\u2212' ? -value : value
}

function readDuration(text: string): number | null {
  if (/^0+$/.test(text)) return 0
  if (!DURATION.test(text)) return null
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?)([wdhms])/g)]
  return Math.round(
    parts.reduce((sum, [, digits, letter]) => sum + Number(digits) * SECONDS[letter as keyof typeof SECONDS], 0),
  )
}

/** Writes a figure so that reading it yields the same: `10k`, `2.5m`, `1h30m`. What is no number stays as it is. */
export function writeFigure(figure: string | number, unit: Unit): string {
  const value = Number(figure)
  if (figure === '' || !Number.isFinite(value)) return String(figure)
  if (unit === 'duration') return writeDuration(value)
  for (const [letter, size] of Object.entries(SIZES)) {
    const digits = String(Number((Math.abs(value) / size).toPrecision(15)))
    if (Math.abs(value) >= size && /^\d+(\.\d{1,3})?$/.test(digits)) return `${value < 0 ? '-' : ''}${digits}${letter}`
  }
  return String(value)
}

function writeDuration(seconds: number): string {
  if (!(Number.isInteger(seconds) && seconds > 0)) return String(seconds)
  let left = seconds
  const parts = Object.entries(SECONDS).map(([letter, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? '' : `${count}${letter}`
  })
  return parts.join('')
}
