/*
 * The service's bounds for event arguments (see docs/figures.md), written again for the audit: an event out of bounds
 * has no effect, times are capped at the end of the year 9999, texts are truncated.
 */
type Args = Record<string, unknown>

const AMOUNT = 340_282_366_920_938_463_463_374_607_431_768_211_455n
const END_OF_TIME = BigInt(Date.UTC(9_999, 11, 31, 23, 59, 59) / 1000)
const COUNT = 4_294_967_295n

const ids = new Set(['raiseId', 'proposalId', 'poolId'])
const times = new Set([
  ...['withdrawableAt', 'lastUpdateTime', 'periodFinish', 'cooldownSeconds', 'periodSeconds'],
  ...['registrationStart', 'startAt', 'endAt', 'voteStart', 'voteEnd'],
])
const counts = new Set(['registeredCount', 'participantCount', 'votingDelay', 'votingPeriod'])
const rates = new Set(['rewardRate', 'rewardPerToken'])
const shares = ['protocolFeeBps', 'creatorFeeBps', 'quorumBps']
const lengths: Record<string, number> = { name: 128, symbol: 32, title: 200 }
const uris = new Set(['contractURI', 'metadataURI', 'descriptionURI'])

/** The arguments with capped times; undefined if one is out of bounds. */
export function validateArgs(args: Args): Args | undefined {
  const taken: Args = {}
  for (const [name, value] of Object.entries(args)) {
    if (name === 'params') {
      const params = validateArgs(value as Args)
      if (!params) return undefined
      taken.params = params
    } else if (typeof value === 'bigint' || typeof value === 'number') {
      const number = times.has(name) ? least(BigInt(value), END_OF_TIME) : BigInt(value)
      if (!isIn(name, number)) return undefined
      taken[name] = typeof value === 'number' ? Number(number) : number
    } else taken[name] = value
  }
  if (Array.isArray(args.bps) && !areShares(args.recipients, args.bps)) return undefined
  return shares.reduce((sum, name) => sum + Number(args[name] ?? 0), 0) > 10_000 ? undefined : taken
}

/** At most ten, of 10,000 basis points together; none at all are no split. */
const areShares = (recipients: unknown, bps: readonly number[]): boolean =>
  Array.isArray(recipients) &&
  recipients.length === bps.length &&
  bps.length <= 10 &&
  (bps.length === 0 || bps.reduce((sum, share) => sum + share, 0) === 10_000)

const least = (a: bigint, b: bigint) => (a < b ? a : b)

function isIn(name: string, value: bigint): boolean {
  if (ids.has(name) || times.has(name)) return true
  if (counts.has(name)) return value <= COUNT
  if (rates.has(name)) return value / 10n ** 36n <= AMOUNT
  if (name === 'support') return value <= 2n
  return name === 'status' ? value <= 7n : value <= AMOUNT
}

/** Truncates a cleaned text; a URI that is too long becomes empty. */
export function truncateText(name: string, clean: string): string {
  if (uris.has(name)) return clean.length > 2_048 ? '' : clean
  const most = lengths[name] ?? clean.length
  const isSplit = /[\ud800-\udbff]/.test(clean.charAt(most - 1))
  return clean.slice(0, isSplit ? most - 1 : most).trimEnd()
}
