import { formatPercent } from '@slipway/sdk/helpers'
import { useCoin } from '../../data/config.tsx'
import type { Raise } from './raise-status.tsx'

/** Share of a part of the goals that is filled, in percent: at most 100. */
function filledPct(committed: bigint, from: bigint, to: bigint): number {
  if (to <= from) return committed >= to ? 100 : 0
  const filled = committed <= from ? 0n : committed >= to ? to - from : committed - from
  return Number((filled * 10_000n) / (to - from)) / 100
}

/**
 * Commitments measured against the minimum goal, which decides whether the raise succeeds. A second, smaller part of the bar leads
 * from there to the maximum.
 */
export function RaiseProgress({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const [committed, min, max] = [BigInt(raise.totalCommitted), BigInt(raise.goalMin), BigInt(raise.goalMax)]
  const percent = Number((committed * 10_000n) / (min || 1n)) / 100
  const isReached = committed >= min
  const text = `${formatPercent(percent)} of the minimum goal`
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-bold">{coin.format(raise.totalCommitted)}</span>
        <span className={`text-xs ${isReached ? 'font-semibold text-up' : 'text-muted'}`}>{text}</span>
      </div>
      <div
        role="progressbar"
        aria-label={`Commitments to ${raise.title}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, Math.floor(percent))}
        aria-valuetext={text}
        className="flex h-2.5 gap-0.5"
      >
        <Part
          percent={filledPct(committed, 0n, min)}
          className="flex-[3] rounded-l-full last:rounded-r-full"
          isReached={isReached}
        />
        {max > min && (
          <Part percent={filledPct(committed, min, max)} className="flex-1 rounded-r-full" isReached={isReached} />
        )}
      </div>
      <div className="flex gap-0.5 text-2xs text-faint">
        <span className="flex-[3] text-right">Minimum {coin.figure(raise.goalMin)}</span>
        {max > min && <span className="flex-1 text-right">Maximum {coin.figure(raise.goalMax)}</span>}
      </div>
    </div>
  )
}

function Part({ percent, className, isReached }: { percent: number; className: string; isReached: boolean }) {
  return (
    <span className={`overflow-hidden bg-line ${className}`}>
      <span
        className={`block h-full transition-[width] duration-500 ${isReached ? 'bg-up' : 'bg-accent-ink'}`}
        style={{ width: `${percent}%` }}
      />
    </span>
  )
}
