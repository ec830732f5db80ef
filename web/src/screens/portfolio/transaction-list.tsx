import type { Schema } from '@slipway/sdk'
import { formatAmount } from '@slipway/sdk/helpers'
import { useList, useOperation } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ChainReference } from '../../components/explorer-link.tsx'
import { Age } from '../../components/figures.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { toCoin } from '../../data/config.tsx'
import { MARKET_EVENTS } from '../../data/market-events.ts'
import type { Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'
import { shorten } from '../../lib/links.ts'

type Transaction = Schema<'Transaction'>

/** Maximum of a request. */
const MAX_TOKENS = 200

/** What a wallet did, newest first. */
export function TransactionList({ wallet }: { wallet: string }) {
  const query = useList(api.transactions.with({ wallet, limit: 20 }), MARKET_EVENTS)
  const tokens = useTokensOf(query.items)
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
              columns={listColumns(tokens)}
              rows={query.items}
              keyOf={({ id }) => id}
            />
          )
        }
      </QueryState>
      <ShowMore list={query} />
    </section>
  )
}

type Tokens = ReadonlyMap<string, Token>

/** The tokens of the shown transactions, in one request. */
function useTokensOf(transactions: readonly Transaction[]): Tokens {
  const addresses = [...new Set(transactions.flatMap(({ token }) => token ?? []))].sort().slice(0, MAX_TOKENS)
  const { data } = useOperation(api.tokens.getMany.with({ addresses }), {
    enabled: addresses.length > 0,
    keepPrevious: true,
  })
  return useMemo(() => new Map(data?.items.map((token) => [token.address, token])), [data])
}

const listColumns = (tokens: Tokens): readonly Column<Transaction>[] => [
  {
    label: 'Action',
    isFlexible: true,
    cell: ({ type, timestamp, ...transaction }) => (
      <>
        <span className="block truncate font-semibold first-letter:uppercase">
          {type === 'execute' ? 'execute proposal' : type.replaceAll('_', ' ')}
        </span>
        <span className="block truncate text-xs text-muted">
          <Subject transaction={transaction} tokens={tokens} />
          {/* On a phone, the column of ages has no place. */}
          <span className="@sm:hidden">
            {' · '}
            <Age iso={timestamp} />
          </span>
        </span>
      </>
    ),
  },
  {
    label: 'Amount',
    align: 'right',
    // Amounts at a pool are in its own tokens.
    cell: ({ token, quote, amounts }) =>
      formatAmount(
        amounts.tokenAmount ?? (quote === null ? amounts.amount : undefined),
        tokens.get(token ?? '')?.decimals,
      ),
  },
  { label: 'Value', align: 'right', cell: (transaction) => formatValue(transaction) },
  {
    label: 'Transaction',
    from: 'xl',
    className: 'text-xs text-muted',
    cell: ({ txHash }) => <ChainReference kind="tx" value={txHash} label="Copy the transaction hash" />,
  },
  {
    label: 'Age',
    align: 'right',
    from: 'sm',
    className: 'text-muted',
    cell: ({ timestamp }) => <Age iso={timestamp} />,
  },
]

/** Trades and raises have a quote amount, and claimed fees an amount of the quote asset. */
function formatValue({ quote, amounts }: Transaction): string {
  const value = amounts.quoteAmount ?? amounts.amount
  return quote === null || value === undefined ? '–' : toCoin(quote).format(value)
}

interface SubjectProps {
  transaction: Pick<Transaction, 'token' | 'raise' | 'pool'>
  tokens: Tokens
}

function Subject({ transaction: { token, raise, pool }, tokens }: SubjectProps) {
  if (token)
    return (
      <Link to="/token/$address" params={{ address: token }} className="hover:underline">
        <bdi>{tokens.get(token)?.symbol ?? <span className="font-mono">{shorten(token)}</span>}</bdi>
      </Link>
    )
  if (raise)
    return (
      <Link to="/raises/$id" params={{ id: raise }} className="hover:underline">
        Raise
      </Link>
    )
  return pool ? 'Staking pool' : '–'
}
