import { countOf, formatAmount } from '@slipway/sdk/helpers'
import { Link } from '@tanstack/react-router'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { type AlertCondition, describeCondition } from '../../data/alerts.ts'
import { toCoin, useCoin } from '../../data/config.tsx'
import { actorsOf, type Notification, type NotificationGroup, sumTrades } from '../../data/group-notifications.ts'

const texts: Record<Notification['type'], string> = {
  comment: 'commented on your token',
  reply: 'replied to your comment',
  comment_like: 'liked your comment',
  token_like: 'liked your token',
  follow: 'follows you',
  trade_on_my_token: 'traded your token',
  followed_creator_launched: 'launched a token',
  graduated: 'A token has graduated',
  price_alert: 'An alert has triggered',
  graduation_alert: 'A token has graduated',
  trade_alert: 'traded',
  reward_funded: 'A staking pool was funded',
  raise_opened: 'A raise has opened',
  raise_finalized: 'A raise was finalized',
  raise_failed: 'A raise has failed: you can take your refund',
  raise_cancelled: 'A raise was cancelled: you can take your refund',
  raise_dissolved: 'A raise was dissolved: you can take your refund',
  raise_proposal_opened: 'A proposal is open for your vote',
  raise_proposal_passed:
    'A release that you did not vote for has passed: you can leave with your share until it is executed',
  raise_proposal_executed: 'A proposal was executed',
  ambassador_approved: 'Your ambassador application was approved',
  ambassador_rejected: 'Your ambassador application was declined',
}

/** What has happened, after the name of who did it and how many others. */
const textOf = (type: Notification['type'], others: number) =>
  type === 'follow' && others > 0 ? 'follow you' : texts[type]

/** The token of a group of notifications, or who acted. */
export function NotificationImage({ group }: { group: NotificationGroup }) {
  const { token } = group.newest
  const [actor] = actorsOf(group)
  if (token) return <TokenImage {...token} className="size-9" />
  return (
    <TokenImage
      address={actor?.wallet ?? `0x${'0'.repeat(40)}`}
      symbol={actor?.username ?? '•'}
      imageUrl={actor?.avatarUrl ?? null}
      className="size-9"
      shape="round"
    />
  )
}

/** What has happened, with links to who did it and to what it is about. */
export function NotificationText({ group }: { group: NotificationGroup }) {
  const { subject, token, type, payload } = group.newest
  const { symbol: coin } = useCoin()
  const [actor, ...others] = actorsOf(group)
  return (
    <>
      <p>
        {actor && <WalletName wallet={actor.wallet} username={actor.username} className="font-semibold" />}{' '}
        {others.length > 0 && `and ${countOf(others.length, 'other')} `}
        {type === 'price_alert'
          ? describeCondition(payload.alert as AlertCondition, coin)
          : textOf(type, others.length)}
        {token && (
          <>
            {': '}
            <Link
              to="/token/$address"
              params={{ address: token.address }}
              className="font-semibold underline-offset-2 hover:underline"
            >
              <bdi>{token.name}</bdi> (<bdi>{token.symbol}</bdi>)
            </Link>
          </>
        )}
        {type.startsWith('raise_') && (
          <>
            {' '}
            <Link to="/raises/$id" params={{ id: subject }} className="underline">
              See the raise
            </Link>
          </>
        )}
      </p>
      <TradeSums group={group} />
    </>
  )
}

/** What was bought and sold: `3 buys of 1.2M CAT for 0.5 ETH`. */
function TradeSums({ group }: { group: NotificationGroup }) {
  const native = useCoin()
  const { token, payload } = group.newest
  const sums = sumTrades(group)
  if (sums.length === 0) return null
  // Tokens that trade against the native coin name no asset.
  const { quote } = payload as { quote?: Parameters<typeof toCoin>[0] }
  const asset = quote ? toCoin(quote) : native
  return (
    <p className="flex flex-wrap gap-x-3 text-xs">
      {sums.map(({ side, count, quote, tokens }) => (
        <span key={side}>
          <span className={`font-semibold ${side === 'buy' ? 'text-up' : 'text-down'}`}>
            <span aria-hidden="true" className="mr-1 text-[0.65em]">
              {side === 'buy' ? '▲' : '▼'}
            </span>
            {countOf(count, side)}
          </span>{' '}
          of {formatAmount(tokens, token?.decimals)} <bdi>{token?.symbol}</bdi> for {asset.format(quote)}
        </span>
      ))}
    </p>
  )
}
