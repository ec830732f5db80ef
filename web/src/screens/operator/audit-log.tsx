import { listAuditLog } from '@slipway/sdk'
import { useList } from '@slipway/sdk/react'
import { Button } from '../../components/button.tsx'
import { Age } from '../../components/figures.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { Cell, rowClass, Table } from '../../components/table.tsx'
import { WalletName } from '../../components/wallet-name.tsx'

export function AuditLog() {
  const query = useList(listAuditLog, { query: { limit: 50 } })
  return (
    <QueryState query={query} loading={<SkeletonRows count={5} className="h-7" />}>
      {() =>
        query.items.length === 0 ? (
          <Empty icon="shield" title="No operator has acted yet" />
        ) : (
          <>
            <Table
              caption="Actions of operators, newest first"
              columns={[
                { label: 'Action' },
                { label: 'Subject' },
                { label: 'Operator' },
                { label: 'Reason', className: 'max-md:hidden' },
                { label: 'Age', align: 'right' },
              ]}
            >
              {query.items.map((entry) => (
                <tr key={entry.id} className={rowClass}>
                  <Cell className="whitespace-nowrap font-semibold">{entry.action.replaceAll(/[_.]/g, ' ')}</Cell>
                  <Cell className="max-w-32 truncate font-mono text-xs sm:max-w-56">{entry.subject}</Cell>
                  <Cell className="whitespace-nowrap">
                    <WalletName wallet={entry.actor} />
                  </Cell>
                  <Cell className="text-muted max-md:hidden">{entry.reason ?? '–'}</Cell>
                  <Cell align="right" className="text-muted">
                    <Age iso={entry.createdAt} />
                  </Cell>
                </tr>
              ))}
            </Table>
            {query.hasNextPage && (
              <div className="p-3 text-center">
                <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </>
        )
      }
    </QueryState>
  )
}
