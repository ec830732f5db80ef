import type { Random } from './random.ts'

const FIRST = [
  'Amber',
  'Borrowed',
  'Copper',
  'Distant',
  'Electric',
  'Foggy',
  'Gentle',
  'Hidden',
  'Idle',
  'Jolly',
  'Kindred',
  'Lucky',
  'Midnight',
  'Northern',
  'Orderly',
  'Patient',
  'Quilted',
  'Restless',
  'Salted',
  'Tidal',
  'Unlikely',
  'Velvet',
  'Wandering',
  'Yellow',
]
const SECOND = [
  'Anchor',
  'Biscuit',
  'Compass',
  'Dolphin',
  'Engine',
  'Fern',
  'Gull',
  'Heron',
  'Iris',
  'Jetty',
  'Kettle',
  'Lagoon',
  'Magpie',
  'Nutmeg',
  'Otter',
  'Pebble',
  'Quince',
  'Raven',
  'Sail',
  'Thimble',
  'Umbrella',
  'Violin',
  'Walnut',
  'Zephyr',
]
const REMARKS = [
  'Found on a walk.',
  'Made on a whim, kept with care.',
  'For those who know.',
  'An experiment in patience.',
  'Named by a six-year-old.',
]
const COLOURS = ['#264653', '#2a9d8f', '#e9c46a', '#f4a261', '#e76f51', '#6d597a', '#355070', '#b56576']
const SHAPES = ['M2 2h4v4H2z', 'M4 1a3 3 0 0 1 0 6 3 3 0 0 1 0-6z', 'M4 1l3 6H1z', 'M4 0l4 4-4 4-4-4z']

/** A new token of the running market. Names repeat after a while. */
export function inventToken(random: Random) {
  const [first, second] = [random.pick(FIRST), random.pick(SECOND)]
  const [background, foreground] = random.shuffle(COLOURS) as [string, string]
  return {
    name: `${first} ${second}`,
    symbol: second.slice(0, 6).toUpperCase(),
    description: random.pick(REMARKS),
    art: [background, foreground, random.pick(SHAPES)] as const,
  }
}
