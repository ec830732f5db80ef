import type { Schema } from '@slipway/sdk'
import { useList } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { ChainReference } from '../../components/explorer-link.tsx'
import { Age } from '../../components/figures.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { api } from '../../lib/api.ts'
import { shorten } from '../../lib/links.ts'

type Transaction = Schema<'Transaction'>

/** What a wallet did, newest first. */
export function TransactionList({ wallet }: { wallet: string }) {
  const query = useList(api.transactions.with({ wallet, limit: 20 }))
  return (
    <section aria-labelledby="transactions" className="panel">
      <h2 id="transactions" className="border-b border-line px-4 py-2.5 font-bold">
        Transactions
      </h2>
      <QueryState query={query} loading={<SkeletonRows count={5} className="h-7" />}>
        {() =>
          query.items.length === 0 ? (
            <Empty icon="clock" title="No transactions yet" />
          ) : (
            <Table
              caption="Transactions, newest first"
              columns={columns}
              rows={query.items}
              keyOf={({ id }) => id}
              isDense
            />
          )
        }
      </QueryState>
      <ShowMore list={query} />
    </section>
  )
}

const columns: readonly Column<Transaction>[] = [
  {
    label: 'Action',
    isFlexible: true,
    className: 'font-semibold',
    cell: ({ type }) => <span className="capitalize">{type.replaceAll('_', ' ')}</span>,
  },
  { label: 'Subject', cell: (transaction) => <Subject transaction={transaction} /> },
  {
    label: 'Transaction',
    from: 'xl',
    className: 'text-xs text-muted',
    cell: ({ txHash }) => <ChainReference kind="tx" value={txHash} label="Copy the transaction hash" />,
  },
  { label: 'Age', align: 'right', className: 'text-muted', cell: ({ timestamp }) => <Age iso={timestamp} /> },
]

function Subject({ transaction: { token, raise, pool } }: { transaction: Transaction }) {
  if (token)
    return (
      <Link to="/token/$address" params={{ address: token }} className="font-mono hover:underline">
        {shorten(token)}
      </Link>
    )
  if (raise)
    return (
      <Link to="/raises/$id" params={{ id: raise }} className="hover:underline">
        Raise
      </Link>
    )
  return <span className="text-muted">{pool ? 'Staking pool' : '–'}</span>
}
