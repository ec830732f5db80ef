import { useHolders } from '@slipway/sdk/react'
import { Badge } from '../../components/badges.tsx'
import { Age } from '../../components/figures.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import type { Token } from '../../data/tokens.ts'
import { formatAmount, formatPercent } from '../../lib/amounts.ts'

const labels = {
  creator: { tone: 'warn', text: 'Creator' },
  curve: { tone: 'accent', text: 'Bonding curve' },
  pool: { tone: 'accent', text: 'Pool' },
  burn: { tone: 'plain', text: 'Burnt' },
} as const

export function HolderList({ token }: { token: Token }) {
  const query = useHolders(token.address)
  const { items: holders } = query
  return (
    <QueryState query={query} loading={<SkeletonRows count={8} className="h-7" />}>
      {() =>
        holders.length === 0 ? (
          <Empty icon="users" title="Nobody holds this token yet" />
        ) : (
          <ScrollRegion label="Holders" className="max-h-[30rem] overflow-y-auto">
            <table className="w-full">
              <caption className="sr-only">Holders, largest first</caption>
              <thead className="sticky top-0 bg-surface text-2xs text-faint">
                <tr>
                  <th scope="col" className="px-3 py-2 text-left font-semibold">
                    Holder
                  </th>
                  <th scope="col" className="px-3 py-2 text-right font-semibold">
                    Balance
                  </th>
                  <th scope="col" className="w-1/4 px-3 py-2 text-left font-semibold">
                    Share
                  </th>
                  <th scope="col" className="px-3 py-2 text-right font-semibold max-sm:hidden">
                    Last active
                  </th>
                </tr>
              </thead>
              <tbody>
                {holders.map(({ address, balance, pct, label, lastActiveAt }) => (
                  <tr key={address} className="border-t border-line/60">
                    <td className="px-3 py-1.5">
                      <span className="flex flex-wrap items-center gap-2">
                        <WalletName wallet={address} />
                        {label && <Badge tone={labels[label].tone}>{labels[label].text}</Badge>}
                      </span>
                    </td>
                    <td className="px-3 py-1.5 text-right">{formatAmount(balance, token.decimals)}</td>
                    <td className="px-3 py-1.5">
                      <span className="flex items-center gap-2">
                        <span
                          className="h-1.5 flex-1 overflow-hidden rounded-full bg-line max-sm:hidden"
                          aria-hidden="true"
                        >
                          <span
                            className="block h-full rounded-full bg-accent-ink"
                            style={{ width: `${Math.min(100, pct ?? 0)}%` }}
                          />
                        </span>
                        <span className="w-16 text-right whitespace-nowrap">{formatPercent(pct, 2)}</span>
                      </span>
                    </td>
                    <td className="px-3 py-1.5 text-right text-muted max-sm:hidden">
                      <Age iso={lastActiveAt} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollRegion>
        )
      }
    </QueryState>
  )
}
