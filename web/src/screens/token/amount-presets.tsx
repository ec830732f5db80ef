import { useBuyPresets } from '../../data/buy-presets.ts'
import { useCoin } from '../../data/config.tsx'

const SHARES = [25, 50, 75, 100] as const

interface Props {
  side: 'buy' | 'sell'
  balance: bigint | undefined
  disabled: boolean
  onChoose(amount: string | bigint): void
}

const presetClass =
  'truncate rounded-md border border-line bg-raised py-1 text-xs font-semibold text-muted hover:border-line-strong hover:text-ink disabled:opacity-50'

export function AmountPresets({ side, balance, disabled, onChoose }: Props) {
  const { symbol } = useCoin()
  const { amounts } = useBuyPresets()
  return (
    <div className="grid grid-cols-4 gap-1.5">
      {side === 'buy'
        ? amounts.map((amount, index) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: two presets may be equal
              key={index}
              type="button"
              disabled={disabled}
              onClick={() => onChoose(amount)}
              className={presetClass}
            >
              {amount} {symbol}
            </button>
          ))
        : SHARES.map((percent) => (
            <button
              key={percent}
              type="button"
              disabled={disabled || !balance}
              onClick={() => onChoose(((balance ?? 0n) * BigInt(percent)) / 100n)}
              className={presetClass}
            >
              {percent} %
            </button>
          ))}
    </div>
  )
}
