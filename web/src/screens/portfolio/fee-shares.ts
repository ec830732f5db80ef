import { type FeeShare, isAddress } from '@slipway/sdk'

const MAX_SHARES = 10

/** The text that readFeeShares reads. */
export const writeFeeShares = (shares: readonly FeeShare[]): string =>
  shares.map(({ recipient, bps }) => `${recipient} ${bps / 100}`).join('\n')

/** Reads one share a line: an address and percents. Null with the problem if the text is not a split. */
export function readFeeShares(text: string): { shares: FeeShare[]; problem: null } | { shares: null; problem: string } {
  const fail = (problem: string) => ({ shares: null, problem })
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > MAX_SHARES) return fail(`At most ${MAX_SHARES} recipients can share the fees.`)
  const shares: FeeShare[] = []
  for (const line of lines) {
    const [recipient = '', percent = '', ...rest] = line.trim().split(/\s+/)
    if (!isAddress(recipient)) return fail(`${recipient} is not an address.`)
    if (rest.length > 0 || !/^\d{1,3}(\.\d{1,2})?%?$/.test(percent))
      return fail('Each line has an address and percents with at most two decimals.')
    const bps = Math.round(Number.parseFloat(percent) * 100)
    if (bps === 0) return fail('Each share is more than 0 %.')
    shares.push({ recipient, bps })
  }
  const sum = shares.reduce((total, { bps }) => total + bps, 0)
  if (shares.length > 0 && sum !== 10_000) return fail(`The shares are ${sum / 100} % together, not 100 %.`)
  return { shares, problem: null }
}
