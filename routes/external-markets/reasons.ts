import { define, defineReasons } from '../../errors.ts'

const example = { address: '0x5fbdb2315678afecb367f032d93f642f64180aa3' }

export const marketReasons = defineReasons({
  MARKET_NOT_FOUND: define(404, (d: { address: string }) => `No market known for ${d.address}`, example),
  TOKEN_LAUNCHED_HERE: define(
    409,
    (d: { address: string }) => `This token was launched here; see /tokens/${d.address}`,
    example,
  ),
})

/** Errors of the market data provider, and of refuseOwnToken. */
export const externalMarketReasons = [
  marketReasons.MARKET_NOT_FOUND,
  marketReasons.TOKEN_LAUNCHED_HERE,
  'UPSTREAM_FAILED',
  'UPSTREAM_TIMEOUT',
] as const
