import { formatUsd } from '@slipway/sdk/helpers'
import { useDebounced, useOperation } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { Notice } from '../../components/states.tsx'
import { api } from '../../lib/api.ts'

/** Says that a token has a symbol already, or one that looks like it: a symbol can never be changed. */
export function SymbolNotice({ symbol }: { symbol: string }) {
  const wanted = useDebounced(symbol.trim(), 300)
  const { data } = useOperation(api.search.with({ q: wanted || '-', limit: 8 }), { enabled: wanted !== '' })
  const other = data?.tokens.find(({ address }) => address === data.symbolTakenBy)
  if (!other || wanted !== symbol.trim()) return null
  const { address, name, marketCapUsd } = other
  return (
    <Notice tone="warn">
      This symbol is taken:{' '}
      <Link to="/token/$address" params={{ address }} className="font-semibold wrap-anywhere underline">
        <bdi>{name}</bdi> (<bdi>{other.symbol}</bdi>)
      </Link>
      {marketCapUsd !== null && `, with a market cap of ${formatUsd(marketCapUsd)}`}. You can launch all the same, but
      your token will be marked as a possible copycat for good.
    </Notice>
  )
}
