import type { Schema } from '@slipway/sdk'
import { useList } from '@slipway/sdk/react'
import { Age } from '../../components/figures.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table, Titled } from '../../components/table.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { api } from '../../lib/api.ts'

export function Bans() {
  const query = useList(api.admin.bans.with({ limit: 50 }))
  return (
    <QueryState query={query} loading={<SkeletonRows count={5} className="h-7" />}>
      {() =>
        query.items.length === 0 ? (
          <Empty icon="shield" title="No wallet is banned" />
        ) : (
          <>
            <Table
              caption="Banned wallets, latest ban first"
              columns={columns}
              rows={query.items}
              keyOf={({ wallet }) => wallet}
            />
            <ShowMore list={query} />
          </>
        )
      }
    </QueryState>
  )
}

const columns: readonly Column<Schema<'Ban'>>[] = [
  {
    label: 'Wallet',
    isFlexible: true,
    cell: ({ wallet, reason }) => (
      <Titled
        title={<span className="font-mono text-xs">{wallet}</span>}
        note={reason && <span title={reason}>{reason}</span>}
      />
    ),
  },
  { label: 'Operator', cell: ({ actor }) => actor && <WalletName wallet={actor} /> },
  { label: 'Age', align: 'right', className: 'text-muted', cell: ({ bannedAt }) => <Age iso={bannedAt} /> },
]
