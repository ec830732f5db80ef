import type { Schema } from '@slipway/sdk'
import { formatAmount, formatUsd } from '@slipway/sdk/helpers'
import { Link } from '@tanstack/react-router'
import { Age } from '../../components/figures.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { toCoin } from '../../data/config.tsx'

type Item = Schema<'FeedItem'>

/** What somebody did with a token. */
export function ActivityItem({ item }: { item: Item }) {
  const { actor, token, type, trade, comment, createdAt } = item
  const name = (
    <Link
      to="/token/$address"
      params={{ address: token.address }}
      className="font-semibold underline-offset-2 hover:underline"
    >
      <bdi>{token.name}</bdi> (<bdi>{token.symbol}</bdi>)
    </Link>
  )
  return (
    <li className="flex items-start gap-3 border-b border-line/60 px-4 py-3 last:border-0">
      <TokenImage {...token} className="size-9" />
      <div className="min-w-0 flex-1">
        {type === 'graduation' ? (
          <p>{name} has graduated</p>
        ) : (
          <p>
            <WalletName wallet={actor.wallet} username={actor.username} className="font-semibold" />{' '}
            {trade ? <Side side={trade.side} /> : type === 'launch' ? 'launched' : 'commented on'} {name}
          </p>
        )}
        {trade && <TradeAmounts trade={trade} token={token} />}
        {comment && (
          <p dir="auto" className="line-clamp-2 text-muted">
            {comment.text}
          </p>
        )}
        <Age iso={createdAt} className="text-xs text-faint" />
      </div>
    </li>
  )
}

const sides = {
  buy: { colour: 'text-up', arrow: '▲', verb: 'bought' },
  sell: { colour: 'text-down', arrow: '▼', verb: 'sold' },
} as const

function Side({ side }: { side: keyof typeof sides }) {
  const { colour, arrow, verb } = sides[side]
  return (
    <span className={`font-semibold ${colour}`}>
      <span aria-hidden="true" className="mr-1 text-[0.65em]">
        {arrow}
      </span>
      {verb}
    </span>
  )
}

/** `1.2M CAT for 0.5 ETH ($1.5K)` */
function TradeAmounts({ trade, token }: { trade: NonNullable<Item['trade']>; token: Item['token'] }) {
  const { tokenAmount, quoteAmount, quote, valueUsd } = trade
  return (
    <p className="text-xs text-muted">
      {formatAmount(tokenAmount, token.decimals)} <bdi>{token.symbol}</bdi> for {toCoin(quote).format(quoteAmount)}
      {valueUsd !== null && ` (${formatUsd(valueUsd)})`}
    </p>
  )
}
