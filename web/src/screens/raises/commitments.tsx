import { useCommitments } from '@slipway/sdk/react'
import { Button } from '../../components/button.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { Cell, rowClass, Table } from '../../components/table.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useCoin } from '../../data/config.tsx'
import { formatPercent } from '../../lib/amounts.ts'
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
              columns={[
                { label: 'Wallet' },
                { label: coin.symbol, align: 'right' },
                { label: 'Share', align: 'right' },
                { label: 'State', align: 'right', className: 'max-sm:hidden' },
              ]}
            >
              {query.items.map((commitment) => (
                <tr key={commitment.wallet} className={rowClass}>
                  <Cell>
                    <WalletName wallet={commitment.wallet} />
                  </Cell>
                  <Cell align="right" className="font-semibold">
                    {coin.figure(commitment.amount)}
                  </Cell>
                  <Cell align="right" className="text-muted">
                    {formatPercent(commitment.sharePct)}
                  </Cell>
                  <Cell align="right" className="text-xs text-muted max-sm:hidden">
                    {commitment.refunded
                      ? 'Refunded'
                      : commitment.claimed
                        ? 'Claimed'
                        : commitment.amount === '0'
                          ? 'Registered'
                          : 'Committed'}
                  </Cell>
                </tr>
              ))}
            </Table>
          )
        }
      </QueryState>
      {query.hasNextPage && (
        <div className="border-t border-line p-3 text-center">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}
