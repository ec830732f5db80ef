import { keyOf, useOperation } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ActionButton } from '../../components/action-button.tsx'
import { Stat } from '../../components/figures.tsx'
import { QueryState, SkeletonPart } from '../../components/states.tsx'
import { toCoin, useCanClaimFees } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'
import { useFeeClaim } from '../../transactions/fee-claim.ts'
import { useSession } from '../../wallet/session.tsx'

/** What the creator of a token gets of its trades; nothing for others, and where the launchpad pays out in its own way. */
export function FeesPanel({ token }: { token: Token }) {
  const { wallet } = useSession()
  const canClaim = useCanClaimFees(token)
  return wallet === token.creator && canClaim ? <Fees token={token.address} wallet={wallet} /> : null
}

function Fees({ token, wallet }: { token: string; wallet: string }) {
  const client = useQueryClient()
  const { isSignedIn } = useSession()
  const revenue = api.tokens.revenue.with(token, { wallet })
  const query = useOperation(revenue, {
    rooms: isSignedIn ? [`token:${token}`, `wallet:${wallet}`] : [`token:${token}`],
    refetchMs: 5_000,
  })
  const claim = useFeeClaim()
  const start = () => claim.start(token, () => void client.invalidateQueries({ queryKey: keyOf(revenue) }))
  return (
    <section aria-labelledby="fees" className="panel p-4">
      <h2 id="fees" className="mb-3 font-bold">
        Your creator fees
      </h2>
      <QueryState query={query} loading={<SkeletonPart className="h-10" />}>
        {({ items }) =>
          items.map(({ asset, earned, claimed, unclaimed }) => {
            const coin = toCoin(asset)
            return (
              <div key={asset.address} className="grid gap-3">
                <dl className="grid grid-cols-3 gap-4">
                  <Stat label={`Earned in ${coin.symbol}`}>{coin.figure(earned)}</Stat>
                  <Stat label="Claimed">{coin.figure(claimed)}</Stat>
                  <Stat label="To claim">{coin.figure(unclaimed)}</Stat>
                </dl>
                <ActionButton
                  action={{ ...claim, start }}
                  label={Number(unclaimed) ? `Claim ${coin.format(unclaimed)}` : 'Nothing to claim yet'}
                  done="The fees were claimed."
                  isDisabled={!Number(unclaimed)}
                />
              </div>
            )
          })
        }
      </QueryState>
      <Link to="/portfolio" className="mt-3 inline-block text-xs underline">
        Split the fees in your portfolio
      </Link>
    </section>
  )
}
