import { buildCreatorFeeClaim, getPortfolio, readLaunchpad, type Schema, transact } from '@slipway/sdk'
import { keyOf } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/states.tsx'
import { Cell, rowClass, Table } from '../../components/table.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { useCoin, useConfig } from '../../data/config.tsx'
import { formatUsd } from '../../lib/amounts.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'

/** Launched tokens with the creator's fees. */
export function CreationList({ portfolio }: { portfolio: Schema<'Portfolio'> }) {
  const config = useConfig()
  const coin = useCoin()
  const client = useQueryClient()
  const { wallet } = useSession()
  const claim = useAction(async (token: string, { client: api, wallet: signer, onStep }) => {
    const launchpad = await readLaunchpad(api, token)
    return transact(api, signer, buildCreatorFeeClaim(config, { token, launchpad }), undefined, { onStep })
  })
  if (portfolio.created.length === 0) return null
  const isOwn = wallet === portfolio.wallet
  return (
    <section aria-labelledby="created" className="panel">
      <h2 id="created" className="border-b border-line px-4 py-2.5 font-bold">
        Launched tokens
      </h2>
      {claim.error && <Notice tone="bad">{claim.error}</Notice>}
      <Table
        caption="Launched tokens and their fees"
        columns={[
          { label: 'Token' },
          { label: 'Market cap', align: 'right', className: 'max-sm:hidden' },
          { label: 'Fees earned', align: 'right', className: 'max-sm:hidden' },
          { label: 'To claim', align: 'right' },
          { label: 'Action', align: 'right' },
        ]}
      >
        {portfolio.created.map((token) => (
          <tr key={token.token} className={rowClass}>
            <Cell>
              <span className="flex items-center gap-2.5">
                <TokenImage address={token.token} {...token} className="size-8" />
                <Link to="/token/$address" params={{ address: token.token }} className="font-semibold hover:underline">
                  {token.name}
                </Link>
              </span>
            </Cell>
            <Cell align="right" className="max-sm:hidden">
              {formatUsd(token.marketCapUsd)}
            </Cell>
            <Cell align="right" className="max-sm:hidden">
              {coin.format(token.feesEarned)}
            </Cell>
            <Cell align="right" className="font-semibold">
              {coin.format(token.feesClaimable)}
            </Cell>
            <Cell align="right">
              {isOwn && (
                <Button
                  size="sm"
                  disabled={claim.isBusy || token.feesClaimable === '0'}
                  aria-label={`Claim the fees of ${token.name}`}
                  onClick={() =>
                    claim.start(token.token, () => void client.invalidateQueries({ queryKey: keyOf(getPortfolio) }))
                  }
                >
                  {claim.progress ?? 'Claim'}
                </Button>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
    </section>
  )
}
