import { buildGraduation, readLaunchpad, transact } from '@slipway/sdk'
import { formatPercent, formatUsd } from '@slipway/sdk/helpers'
import { keyOf } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { ActionError } from '../../components/action-error.tsx'
import { Button } from '../../components/button.tsx'
import { Progress } from '../../components/figures.tsx'
import { Notice } from '../../components/states.tsx'
import { toCoin, useConfig } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/time.ts'
import { useAction } from '../../transactions/use-action.ts'

/** How far the curve is, and what happens at its end; or that there is none. */
export function CurvePanel({ token }: { token: Token }) {
  const coin = toCoin(token.quote)
  const { status, progressPct, realQuote, targetQuote } = token
  if (token.lifecycle === 'direct')
    return (
      <section aria-labelledby="curve" className="panel p-4">
        <h2 id="curve" className="font-bold">
          In its pool
        </h2>
        <p className="mt-1.5 text-muted">
          This token was launched in a pool by {token.launchpad.name}. It has no curve, and does not graduate.
        </p>
      </section>
    )
  if (status === 'graduated')
    return (
      <section aria-labelledby="curve" className="panel p-4">
        <h2 id="curve" className="font-bold">
          Graduated
        </h2>
        <p className="mt-1.5 text-muted">
          The curve was sold out{token.graduatedAt && <> on {formatTime(token.graduatedAt)}</>}. Its liquidity of{' '}
          {formatUsd(token.liquidityUsd)} is in a pool, and the pool shares are burnt.
        </p>
      </section>
    )
  return (
    <section aria-labelledby="curve" className="panel p-4">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 id="curve" className="font-bold">
          Bonding curve
        </h2>
        <span className="text-base font-bold">{formatPercent(progressPct)}</span>
      </div>
      <Progress percent={progressPct} label="Progress of the curve" className="h-2.5" />
      <p className="mt-2 text-muted">
        {coin.figure(realQuote)} of {coin.format(targetQuote)}. At the target the liquidity moves to a pool, where it
        stays for good.
      </p>
      {status === 'completed' && <GraduateButton token={token} />}
    </section>
  )
}

function GraduateButton({ token }: { token: Token }) {
  const config = useConfig()
  const client = useQueryClient()
  const { address } = token
  // No operation syncs a graduation: the indexer reads it with its block.
  const graduate = useAction({ label: `Graduation of ${token.symbol}` }, async (_: undefined, { wallet, flow }) => {
    const launchpad = await readLaunchpad(api, address)
    return transact(api, wallet, buildGraduation(config, { token: address, launchpad }), undefined, flow)
  })
  const reload = () => void client.invalidateQueries({ queryKey: keyOf(api.tokens.get.with(address)) })
  return (
    <div className="mt-3 grid gap-2">
      <Button kind="primary" disabled={graduate.isPending} onClick={() => graduate.start(undefined, reload)}>
        {graduate.progress ?? 'Graduate this token'}
      </Button>
      <p className="text-xs text-faint">
        The curve is complete. Anyone can open the pool: the launchpad pays a bounty for the network fee.
      </p>
      {graduate.error && (
        <Notice tone="bad">
          <ActionError error={graduate.error} action={graduate} />
        </Notice>
      )}
    </div>
  )
}
