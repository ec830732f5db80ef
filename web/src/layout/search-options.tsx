import type { Schema } from '@slipway/sdk'
import { countOf, formatUsd } from '@slipway/sdk/helpers'
import type { ReactNode } from 'react'
import { Icon } from '../components/icon.tsx'
import { TokenImage } from '../components/token-image.tsx'
import type { RecentSearch } from '../data/recent-searches.ts'
import type { Token } from '../data/tokens.ts'
import { shorten } from '../lib/links.ts'

/** A line of the list below the search field. */
export interface SearchOption {
  key: string
  /** What it leads to; undefined for the line that clears the list. */
  entry: RecentSearch | undefined
  content: ReactNode
}

/** Options below a heading. */
export interface SearchSection {
  label: string
  options: readonly SearchOption[]
}

/** A token with its market cap. */
export const toTokenOption = (token: Token): SearchOption => ({
  key: token.address,
  entry: { kind: 'token' as const, address: token.address, label: `${token.name} ${token.symbol}` },
  content: (
    <>
      <TokenImage {...token} className="size-8" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-semibold">
          <bdi>{token.name}</bdi>
        </span>
        <span className="block truncate text-xs text-faint">
          <bdi>{token.symbol}</bdi> · {shorten(token.address)}
        </span>
      </span>
      <span className="text-xs text-muted">{formatUsd(token.marketCapUsd)}</span>
    </>
  ),
})

/** An address that no search finds: a wallet that has not acted here. */
export const toAddressOption = (address: string): SearchOption => ({
  key: address,
  entry: { kind: 'wallet' as const, address: address.toLowerCase(), label: shorten(address) },
  content: shorten(address),
})

/** The tokens and wallets that match. */
export const toOptions = ({ tokens, wallets }: Schema<'SearchMatches'>): SearchOption[] => [
  ...tokens.map(toTokenOption),
  ...wallets.map(({ wallet, username, tradeCount }) => ({
    key: wallet,
    entry: { kind: 'wallet' as const, address: wallet, label: username ?? shorten(wallet) },
    content: (
      <>
        <TokenImage address={wallet} symbol={username ?? '0x'} imageUrl={null} className="size-8" shape="round" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-semibold">{username ?? shorten(wallet)}</span>
          <span className="block text-xs text-faint">{countOf(tradeCount, 'trade')}</span>
        </span>
      </>
    ),
  })),
]

/** The results that were chosen last, and a line that clears them. */
export const toRecentOptions = (entries: readonly RecentSearch[]): SearchOption[] =>
  entries.length === 0
    ? []
    : [
        ...entries.map((entry) => ({
          key: entry.address,
          entry,
          content: (
            <>
              <Icon name="clock" className="mx-2 size-4 text-faint" />
              <span className="min-w-0 flex-1 truncate">{entry.label}</span>
              <span className="text-xs text-faint capitalize">{entry.kind}</span>
            </>
          ),
        })),
        {
          key: 'clear',
          entry: undefined,
          content: (
            <>
              <Icon name="trash" className="mx-2 size-4 text-faint" />
              <span className="text-muted">Clear recent searches</span>
            </>
          ),
        },
      ]
