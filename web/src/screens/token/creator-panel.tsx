import type { Schema } from '@slipway/sdk'
import { countOf, formatCount, formatPercent, formatUsd } from '@slipway/sdk/helpers'
import { useList, useOperation } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import type { Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'
import { useInView } from '../../lib/use-in-view.ts'

const MAX_OTHERS = 5

/** What became of the tokens of a token's creator, requested once it is in view. */
export function CreatorPanel({ token }: { token: Token }) {
  const place = useRef<HTMLElement>(null)
  const isSeen = useInView(place, 0.3) === true
  const { data } = useOperation(api.tokens.creator.with(token.address), { enabled: isSeen })
  // One more than are shown: the token itself is among them.
  const { items } = useList(api.tokens.list.with({ creator: token.creator, sort: 'newest', limit: MAX_OTHERS + 1 }), {
    enabled: isSeen && (data?.launched ?? 0) > 1,
  })
  const others = items.filter(({ address }) => address !== token.address).slice(0, MAX_OTHERS)
  return (
    <section ref={place} aria-labelledby="creator" className="panel p-4">
      <div className="mb-2 flex items-baseline justify-between gap-3">
        <h2 id="creator" className="font-bold">
          Creator
        </h2>
        <WalletName wallet={token.creator} className="min-w-0 truncate text-xs" />
      </div>
      {data ? <Record history={data} /> : <div className="h-16" aria-busy="true" />}
      {data && others.length > 0 && <OtherTokens tokens={others} creator={token.creator} launched={data.launched} />}
    </section>
  )
}

function Record({ history }: { history: Schema<'CreatorHistory'> }) {
  const { launched, graduated, abandoned, medianAthMarketCapUsd, dumpedPct, truncated } = history
  const facts: [string, ReactNode, string][] = [
    ['Launched', `${formatCount(launched)}${truncated ? '+' : ''}`, 'Tokens that it launched, this one included'],
    ['Graduated', formatCount(graduated), 'Those of them that graduated'],
    ['Abandoned', formatCount(abandoned), 'Not graduated, and not traded for seven days'],
    [
      'Graduation rate',
      formatPercent(launched === 0 ? null : (100 * graduated) / launched, 0),
      'Graduated of launched',
    ],
    ['Median high', formatUsd(medianAthMarketCapUsd), 'Median of the highest market caps of its tokens'],
    ['Sold of its own', formatPercent(dumpedPct, 0), 'What it sold or sent away of the tokens that it had: the median'],
  ]
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-1.5 text-xs">
      {facts.map(([label, value, title]) => (
        <div key={label} title={title} className="flex items-center justify-between gap-2">
          <dt className="text-faint">{label}</dt>
          <dd className="text-right">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface OthersProps {
  tokens: readonly Token[]
  creator: string
  launched: number
}

function OtherTokens({ tokens, creator, launched }: OthersProps) {
  return (
    <>
      <h3 className="mb-1 mt-3 border-t border-line pt-3 text-xs font-semibold text-muted">
        Other tokens of this creator
      </h3>
      <ul aria-label="Other tokens of this creator">
        {tokens.map(({ address, name, symbol, imageUrl, status, marketCapUsd }) => (
          <li key={address}>
            <Link
              to="/token/$address"
              params={{ address }}
              className="-mx-1.5 flex items-center gap-2.5 rounded-md px-1.5 py-1 hover:bg-raised"
            >
              <TokenImage address={address} symbol={symbol} imageUrl={imageUrl} className="size-7" />
              <span className="min-w-0 flex-1 truncate">
                <bdi className="font-semibold">{name}</bdi> <bdi className="text-muted">{symbol}</bdi>
              </span>
              {status === 'graduated' && <span className="text-2xs font-semibold text-up">Graduated</span>}
              <span className="whitespace-nowrap font-semibold">{formatUsd(marketCapUsd)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {launched > tokens.length + 1 && (
        <Link to="/" search={{ creator, sort: 'newest' } as never} className="mt-1 inline-block text-xs underline">
          All {countOf(launched, 'token')}
        </Link>
      )}
    </>
  )
}
