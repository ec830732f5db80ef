import type { Schema } from '@slipway/sdk'
import { Link } from '@tanstack/react-router'
import { Empty } from '../../components/states.tsx'
import { Cell, rowClass, Table } from '../../components/table.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { formatAmount, formatPrice, formatUsd } from '../../lib/amounts.ts'
import { Profit } from './profit.tsx'

export function HoldingList({ portfolio }: { portfolio: Schema<'Portfolio'> }) {
  const { holdings } = portfolio
  return (
    <section aria-labelledby="holdings" className="panel">
      <h2 id="holdings" className="border-b border-line px-4 py-2.5 font-bold">
        Holdings <span className="font-normal text-muted">({portfolio.holdingCount})</span>
      </h2>
      {holdings.length === 0 ? (
        <Empty icon="wallet" title="This wallet holds no tokens">
          <Link to="/" className="underline">
            Find one in the market
          </Link>
        </Empty>
      ) : (
        <Table
          caption="Holdings, most valuable first"
          columns={[
            { label: 'Token' },
            { label: 'Balance', align: 'right' },
            { label: 'Price', align: 'right', className: 'max-sm:hidden' },
            { label: 'Value', align: 'right' },
            { label: 'Cost', align: 'right', className: 'max-md:hidden' },
            { label: 'Unrealized', align: 'right' },
            { label: 'Realized', align: 'right', className: 'max-md:hidden' },
          ]}
        >
          {holdings.map((holding) => (
            <tr key={holding.token} className={rowClass}>
              <Cell>
                <span className="flex items-center gap-2.5">
                  <TokenImage address={holding.token} {...holding} className="size-8" />
                  <span className="min-w-0">
                    <Link
                      to="/token/$address"
                      params={{ address: holding.token }}
                      className="block font-semibold hover:underline"
                    >
                      {holding.name}
                    </Link>
                    <span className="block text-xs text-muted">{holding.symbol}</span>
                  </span>
                </span>
              </Cell>
              <Cell align="right">{formatAmount(holding.balance)}</Cell>
              <Cell align="right" className="text-muted max-sm:hidden">
                {holding.priceUsd === null
                  ? formatPrice(Number(holding.priceNative))
                  : `$${formatPrice(holding.priceUsd)}`}
              </Cell>
              <Cell align="right" className="font-semibold">
                {formatUsd(holding.valueUsd)}
              </Cell>
              <Cell align="right" className="text-muted max-md:hidden">
                {formatUsd(holding.costUsd)}
              </Cell>
              <Cell align="right">
                <Profit profit={holding.unrealizedPnl} />
              </Cell>
              <Cell align="right" className="max-md:hidden">
                <Profit profit={holding.realizedPnl} />
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
