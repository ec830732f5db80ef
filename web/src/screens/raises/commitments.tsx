import type { Schema } from '@slipway/sdk'
import { formatPercent } from '@slipway/sdk/helpers'
import { useCommitments } from '@slipway/sdk/react'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { type Coin, useCoin } from '../../data/config.tsx'
import type { Raise } from './raise-status.tsx'

export function Commitments({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const query = useCommitments(raise.id)
  return (
    <section aria-labelledby="raise-commitments" className="panel">
      <h2 id="raise-commitments" className="border-b border-line px-4 py-2.5 font-bold">
        Commitments
      </h2>
      <QueryState query={query} loading={<SkeletonRows count={4} className="h-7" />}>
        {() =>
          query.items.length === 0 ? (
            <Empty icon="users" title="No commitments yet" />
          ) : (
            <Table
              caption="Commitments to this raise"
              columns={listColumns(coin)}
              rows={query.items}
              keyOf={({ wallet }) => wallet}
              isDense
            />
          )
        }
      </QueryState>
      <ShowMore list={query} />
    </section>
  )
}

const listColumns = (coin: Coin): readonly Column<Schema<'Commitment'>>[] => [
  { label: 'Wallet', isFlexible: true, cell: ({ wallet }) => <WalletName wallet={wallet} /> },
  { label: coin.symbol, align: 'right', className: 'font-semibold', cell: ({ amount }) => coin.figure(amount) },
  { label: 'Share', align: 'right', className: 'text-muted', cell: ({ sharePct }) => formatPercent(sharePct) },
  { label: 'State', align: 'right', from: 'sm', className: 'text-xs text-muted', cell: stateOf },
]

function stateOf({ exited, refunded, claimed, amount }: Schema<'Commitment'>): string {
  if (exited) return 'Left'
  if (refunded) return 'Refunded'
  if (claimed) return 'Claimed'
  return amount === '0' ? 'Registered' : 'Committed'
}
