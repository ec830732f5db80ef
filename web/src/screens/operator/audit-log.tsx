import type { Schema } from '@slipway/sdk'
import { useList } from '@slipway/sdk/react'
import { Age } from '../../components/figures.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table, Titled } from '../../components/table.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { api } from '../../lib/api.ts'

export function AuditLog() {
  const query = useList(api.admin.auditLog.with({ limit: 50 }))
  return (
    <QueryState query={query} loading={<SkeletonRows count={5} className="h-7" />}>
      {() =>
        query.items.length === 0 ? (
          <Empty icon="shield" title="No operator has acted yet" />
        ) : (
          <>
            <Table
              caption="Actions of operators, newest first"
              columns={columns}
              rows={query.items}
              keyOf={({ id }) => id}
            />
            <ShowMore list={query} />
          </>
        )
      }
    </QueryState>
  )
}

const columns: readonly Column<Schema<'AuditEntry'>>[] = [
  {
    label: 'Action',
    isFlexible: true,
    cell: ({ action, subject, reason }) => (
      <Titled
        title={
          <span title={subject}>
            <span className="font-semibold">{action.replaceAll(/[_.]/g, ' ')}</span>{' '}
            <span className="font-mono text-xs">{subject}</span>
          </span>
        }
        note={reason && <span title={reason}>{reason}</span>}
      />
    ),
  },
  { label: 'Operator', cell: ({ actor }) => <WalletName wallet={actor} /> },
  { label: 'Age', align: 'right', className: 'text-muted', cell: ({ createdAt }) => <Age iso={createdAt} /> },
]
