/*
 * The rules by which purchases at the launch of a token are classified, as docs/forensics.md states them. Pure: the same trades
 * give the same result, whatever was undone or rebuilt meanwhile.
 */

/** The first trades of a token that are considered: its launch. */
export const LAUNCH_TRADES = 500
/** Wallets that bought in the block of the launch: so many of them are a bundle. */
export const BUNDLE_WALLETS = 4
/** Several buyers in one transaction are a bundle in the first seconds only: later, batches are of strangers. */
export const BUNDLE_SECONDS = 60
/** A wallet first seen less than this before its purchase is fresh. */
export const FRESH_SECONDS = 86_400

/** A trade at the launch; times are unix seconds. */
export interface LaunchTrade {
  block_number: number
  log_index: number
  block_time: number
  tx_hash: string
  side: 'buy' | 'sell'
  /** The wallet that received the output. */
  recipient: string
  token_amount: string
  quote_amount: string
}

/** A wallet that bought at the launch, by its first purchase. */
export interface LaunchBuyer {
  wallet: string
  purchase: LaunchTrade
  isSniper: boolean
  isBundler: boolean
}

export interface LaunchRules {
  creator: string
  /** The block of the launch. */
  block: number
  /** Curve, pool, burn addresses and the token: they are no buyers. */
  excluded: readonly string[]
  /** A purchase at most this long after the first trade is a sniper's. */
  sniperSeconds: number
}

/** The wallets that bought, in the order of their first purchases. The creator is no sniper and no bundler, but part of a bundle. */
export function classifyBuyers(trades: readonly LaunchTrade[], rules: LaunchRules): LaunchBuyer[] {
  const purchases = trades.filter(({ side, recipient }) => side === 'buy' && !rules.excluded.includes(recipient))
  const opening = trades[0]?.block_time ?? 0
  const bundlers = findBundlers(purchases, opening, rules.block)
  const buyers = new Map<string, LaunchBuyer>()
  for (const purchase of purchases) {
    const { recipient: wallet, block_time: time } = purchase
    if (buyers.has(wallet)) continue
    const isCreator = wallet === rules.creator
    buyers.set(wallet, {
      ...{ wallet, purchase },
      isSniper: !isCreator && time - opening <= rules.sniperSeconds,
      isBundler: !isCreator && bundlers.has(wallet),
    })
  }
  return [...buyers.values()]
}

function findBundlers(purchases: readonly LaunchTrade[], opening: number, launchBlock: number): ReadonlySet<string> {
  const walletsOf = (some: readonly LaunchTrade[]) => new Set(some.map(({ recipient }) => recipient))
  const atLaunch = walletsOf(purchases.filter(({ block_number: block }) => block === launchBlock))
  const bundlers = new Set(atLaunch.size >= BUNDLE_WALLETS ? atLaunch : [])
  const early = purchases.filter(({ block_time: time }) => time - opening <= BUNDLE_SECONDS)
  for (const together of Map.groupBy(early, ({ tx_hash: txHash }) => txHash).values()) {
    const wallets = walletsOf(together)
    if (wallets.size > 1) for (const wallet of wallets) bundlers.add(wallet)
  }
  return bundlers
}
