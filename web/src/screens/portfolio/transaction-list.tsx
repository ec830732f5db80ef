import { listTransactions } from '@slipway/sdk'
import { useList } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { ChainReference } from '../../components/explorer-link.tsx'
import { Age } from '../../components/figures.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { Cell, rowClass, Table } from '../../components/table.tsx'
import { shorten } from '../../lib/links.ts'

/** What a wallet did, newest first. */
export function TransactionList({ wallet }: { wallet: string }) {
  const query = useList(listTransactions, { query: { wallet, limit: 20 } })
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
              columns={[
                { label: 'Action' },
                { label: 'Subject' },
                { label: 'Transaction', className: 'max-sm:hidden' },
                { label: 'Age', align: 'right' },
              ]}
            >
              {query.items.map((transaction) => (
                <tr key={transaction.id} className={rowClass}>
                  <Cell className="font-semibold capitalize">{transaction.type.replaceAll('_', ' ')}</Cell>
                  <Cell>
                    {transaction.token ? (
                      <Link
                        to="/token/$address"
                        params={{ address: transaction.token }}
                        className="font-mono hover:underline"
                      >
                        {shorten(transaction.token)}
                      </Link>
                    ) : transaction.raise ? (
                      <Link to="/raises/$id" params={{ id: transaction.raise }} className="hover:underline">
                        Raise
                      </Link>
                    ) : (
                      <span className="text-muted">{transaction.pool ? 'Staking pool' : '–'}</span>
                    )}
                  </Cell>
                  <Cell className="text-xs text-muted max-sm:hidden">
                    <ChainReference kind="tx" value={transaction.txHash} label="Copy the transaction hash" />
                  </Cell>
                  <Cell align="right" className="text-muted">
                    <Age iso={transaction.timestamp} />
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
