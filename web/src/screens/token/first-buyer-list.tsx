import { hasReason, type Schema } from '@slipway/sdk'
import { formatAmount, formatPercent } from '@slipway/sdk/helpers'
import { ExplorerLink } from '../../components/explorer-link.tsx'
import { Age } from '../../components/figures.tsx'
import { FlagBadges } from '../../components/flag-badges.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { type Coin, toCoin } from '../../data/config.tsx'
import { useFirstBuyers } from '../../data/forensics.ts'
import type { Token } from '../../data/tokens.ts'
import { TraderName } from './trader-name.tsx'

type Buyer = Schema<'FirstBuyer'>

/** The wallets that bought first, in that order: what they paid, and what they have left. */
export function FirstBuyerList({ token }: { token: Token }) {
  const coin = toCoin(token.quote)
  const query = useFirstBuyers(token.address)
  if (hasReason(query.error, 'HISTORY_ARCHIVED'))
    return <Empty icon="clock" title="The trades of the launch are archived" />
  return (
    <QueryState query={query} loading={<SkeletonRows count={8} className="h-7" />}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="users" title="No buyers yet" />
        ) : (
          <Table
            caption="First buyers, the earliest first"
            label="First buyers"
            columns={listColumns(token, coin)}
            rows={items}
            keyOf={({ wallet }) => wallet}
            maxHeight="max-h-[30rem]"
            isDense
          />
        )
      }
    </QueryState>
  )
}

/** The balance as a share of the first purchase. */
function formatKept({ balance, tokenAmount }: Buyer): string {
  const [held, bought] = [BigInt(balance), BigInt(tokenAmount)]
  if (held === 0n) return 'Sold all'
  if (held > bought) return 'Added'
  return formatPercent(Number((held * 10_000n) / bought) / 100, 0)
}

function listColumns({ decimals }: Token, coin: Coin): readonly Column<Buyer>[] {
  return [
    {
      label: 'Buyer',
      isFlexible: true,
      cell: ({ wallet, flags }) => (
        <TraderName wallet={wallet}>
          <FlagBadges flags={flags} />
        </TraderName>
      ),
    },
    {
      label: 'Bought',
      align: 'right',
      from: 'xl',
      cell: ({ tokenAmount }) => formatAmount(tokenAmount, decimals),
    },
    { label: `Paid ${coin.symbol}`, align: 'right', cell: ({ quoteAmount }) => coin.figure(quoteAmount) },
    {
      label: 'Left',
      align: 'right',
      from: 'md',
      className: 'text-muted',
      cell: formatKept,
    },
    { label: 'Holds', align: 'right', cell: ({ pct }) => formatPercent(pct, 2) },
    {
      label: 'Age',
      align: 'right',
      className: 'text-muted',
      cell: ({ txHash, timestamp }) => (
        <ExplorerLink kind="tx" value={txHash}>
          <Age iso={timestamp} />
        </ExplorerLink>
      ),
    },
  ]
}
