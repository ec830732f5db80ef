import type { Schema } from '@slipway/sdk'
import { formatAmount, formatCount, formatPrice, formatUsd } from '@slipway/sdk/helpers'
import { Link } from '@tanstack/react-router'
import { Empty } from '../../components/states.tsx'
import { type Column, Table, Titled } from '../../components/table.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { toCoin } from '../../data/config.tsx'
import { Profit } from './profit.tsx'
import { type HoldingPart, splitHolding } from './split-holding.ts'

export function HoldingList({ portfolio }: { portfolio: Schema<'Portfolio'> }) {
  const { holdings } = portfolio
  return (
    <section aria-labelledby="holdings" className="panel">
      <h2 id="holdings" className="border-b border-line px-4 py-2.5 font-bold">
        Holdings <span className="font-normal text-muted">({formatCount(portfolio.holdingCount)})</span>
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
          columns={columns}
          rows={holdings.flatMap(splitHolding)}
          keyOf={({ holding, origin }) => `${holding.token}-${origin}`}
        />
      )}
    </section>
  )
}

const columns: readonly Column<HoldingPart>[] = [
  { label: 'Token', isFlexible: true, cell: (part) => <HeldToken part={part} /> },
  {
    label: 'Price',
    align: 'right',
    from: '2xl',
    className: 'text-muted',
    cell: ({ holding: { priceUsd, priceQuote, quote } }) =>
      priceUsd === null ? `${formatPrice(toPrice(priceQuote))} ${quote.symbol}` : `$${formatPrice(priceUsd)}`,
  },
  {
    label: 'Cost',
    align: 'right',
    from: 'md',
    className: 'text-muted',
    cell: ({ costUsd }) => formatUsd(costUsd),
  },
  {
    label: 'Value',
    align: 'right',
    className: 'font-semibold',
    cell: ({ holding, valueUsd, valueQuote }) =>
      valueUsd === null ? toCoin(holding.quote).format(valueQuote) : formatUsd(valueUsd),
  },
  {
    label: 'Unrealized',
    align: 'right',
    cell: ({ holding, unrealized }) =>
      unrealized ? (
        <Profit profit={unrealized} quote={holding.quote} />
      ) : (
        <span title="Received tokens have no cost">–</span>
      ),
  },
  {
    label: 'Realized',
    align: 'right',
    from: 'xl',
    cell: ({ holding, isFirst }) => isFirst && <Profit profit={holding.realizedPnl} quote={holding.quote} />,
  },
]

const toPrice = (price: string | null) => (price === null ? null : Number(price))

function HeldToken({ part: { holding, origin, amount } }: { part: HoldingPart }) {
  const { token: address, name, symbol } = holding
  return (
    <Titled
      image={<TokenImage address={address} {...holding} className="size-8" />}
      title={
        <Link to="/token/$address" params={{ address }} title={name} className="font-semibold hover:underline">
          <bdi>{name}</bdi>
        </Link>
      }
      note={`${origin === 'bought' ? 'Bought' : 'Received'} ${formatAmount(amount, holding.decimals)} ${symbol}`}
    />
  )
}
