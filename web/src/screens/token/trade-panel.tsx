import { formatUnits, toBigInt, toUserMessage, trade } from '@slipway/sdk'
import { formatAmount } from '@slipway/sdk/helpers'
import { useQuote } from '@slipway/sdk/react'
import { type FormEvent, useId } from 'react'
import { ActionError } from '../../components/action-error.tsx'
import { BESIDE_FEE, useAmount } from '../../components/amount-field.tsx'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/states.tsx'
import { useCoin } from '../../data/config.tsx'
import type { Quote, Token } from '../../data/tokens.ts'
import { gasOf } from '../../lib/gas.ts'
import { useMaximum, useSpendable, useWalletBalance } from '../../transactions/balances.ts'
import { findTrade } from '../../transactions/find-trade.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import { AmountPresets } from './amount-presets.tsx'
import { ImpactNotice } from './impact-notice.tsx'
import { QuoteDetails } from './quote-details.tsx'
import { SlippageField, useSlippage } from './slippage-field.tsx'
import { type Side, useTradeSide } from './use-trade-side.ts'

interface Order {
  amount: bigint
  /** Of the quote that is shown, as the next. */
  minimumOut: string
  slippageBps: number
}

/** Whether a quote is that of the amount and the slippage. */
const isOf = (
  quote: Quote,
  { amount, slippageBps }: { amount: bigint | null; slippageBps: number | undefined },
): boolean => toBigInt(quote.amountIn) + toBigInt(quote.refund) === amount && quote.slippageBps === slippageBps

export function TradePanel({ token }: { token: Token }) {
  const inputId = useId()
  const problemId = useId()
  const coin = useCoin()
  const { wallet, setConnecting } = useSession()
  const [side, setSide] = useTradeSide()
  const slippage = useSlippage()
  const slippageBps = slippage.bps ?? undefined
  const paid = side === 'buy' ? null : token.address
  const { data: balance } = useWalletBalance(paid)
  const spendable = useSpendable(paid, gasOf.buy)
  const maximum = useMaximum(gasOf.buy)
  const action = useAction(
    { label: ({ side: chosen }: { side: Side }) => `${chosen === 'buy' ? 'Buy' : 'Sale'} of ${token.symbol}` },
    ({ side: chosen, ...order }: Order & { side: Side }, { client, wallet: signer, flow }) =>
      flow.sent === undefined
        ? trade(client, signer, { token: token.address, side: chosen, ...order, ...flow })
        : findTrade(client, chosen, flow.sent),
  )

  const { symbol: unit, decimals } = side === 'buy' ? coin : token
  const field = useAmount(
    { symbol: unit, decimals },
    wallet === null ? undefined : spendable,
    side === 'buy' ? BESIDE_FEE : undefined,
  )
  // Also an amount above the balance has a price. Without a slippage there is none.
  const amount = slippage.bps === null ? null : field.typed
  const quote = useQuote({ token: token.address, side, amount: amount ?? undefined, slippageBps })
  const shown = amount !== null && quote.data?.side === side ? quote.data : undefined
  // While another amount is typed, the quote of the former one stays in its place.
  const current = shown && isOf(shown, { amount, slippageBps }) ? shown : undefined
  const isClosed = token.status === 'completed'

  const change = (next: string) => {
    field.setText(next)
    action.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!wallet) return setConnecting(true)
    const clear = () => field.setText('')
    if (field.amount !== null && current)
      action.start(
        { side, amount: field.amount, minimumOut: current.minimumOut, slippageBps: current.slippageBps },
        clear,
        clear,
      )
  }
  const label = isClosed
    ? 'Waiting for graduation'
    : !wallet
      ? 'Connect a wallet'
      : (action.progress ?? `${side === 'buy' ? 'Buy' : 'Sell'} ${token.symbol}`)
  const done = action.result?.trades[0]

  return (
    <section aria-label={`Trade ${token.symbol}`} className="panel p-4">
      <SideSwitch
        side={side}
        disabled={action.isPending}
        onSelect={(next) => {
          setSide(next)
          change('')
        }}
      />
      <form onSubmit={submit} className="grid gap-3">
        <div>
          <div className="mb-1 flex items-center justify-between gap-3 text-xs">
            <label htmlFor={inputId} className="text-muted">
              {side === 'buy' ? 'You pay' : 'You sell'}
            </label>
            {wallet && (
              <span className="flex min-w-0 gap-2 text-faint">
                <span className="truncate">
                  Balance {formatAmount(balance, decimals)} {unit}
                </span>
                {side === 'buy' && (
                  <button
                    type="button"
                    title="All but the network fee"
                    className="font-semibold text-accent-ink hover:underline disabled:opacity-50"
                    disabled={action.isPending || !maximum}
                    onClick={() => change(formatUnits(maximum ?? 0n, decimals))}
                  >
                    Max
                  </button>
                )}
              </span>
            )}
          </div>
          <div className="relative">
            <input
              id={inputId}
              {...field.input}
              disabled={action.isPending}
              aria-invalid={field.error !== null}
              aria-describedby={field.error === null ? undefined : problemId}
              onChange={(event) => change(event.target.value)}
              className="field h-12 pr-24 text-lg font-semibold"
            />
            <span className="pointer-events-none absolute right-3 top-3.5 max-w-20 truncate font-semibold text-muted">
              <bdi>{unit}</bdi>
            </span>
          </div>
          {field.error !== null && (
            <p id={problemId} className="mt-1 text-2xs font-semibold text-down">
              {field.error}
            </p>
          )}
        </div>
        <AmountPresets
          side={side}
          balance={balance}
          disabled={action.isPending}
          onChoose={(value) => change(typeof value === 'string' ? value : formatUnits(value, decimals))}
        />
        <SlippageField slippage={slippage} onBlur={slippage.save} />
        {shown && <QuoteDetails quote={shown} token={token} isOutdated={!current} />}
        {amount !== null && quote.error && !quote.data && <Notice tone="bad">{toUserMessage(quote.error)}</Notice>}
        {current && <ImpactNotice quote={current} />}
        <Button
          type="submit"
          size="lg"
          kind={side === 'buy' ? 'up' : 'down'}
          disabled={isClosed || action.isBusy || (wallet !== null && (field.amount === null || !current))}
        >
          {label}
        </Button>
        {action.error && (
          <Notice tone="bad">
            <ActionError error={action.error} action={action} />
          </Notice>
        )}
        {done && (
          <Notice tone="good">
            {done.side === 'buy' ? 'Bought' : 'Sold'} {formatAmount(done.tokenAmount, token.decimals)}{' '}
            <bdi>{token.symbol}</bdi> for {coin.format(done.quoteAmount)}.
          </Notice>
        )}
      </form>
    </section>
  )
}

interface SideSwitchProps {
  side: Side
  disabled: boolean
  onSelect(side: Side): void
}

function SideSwitch({ side, disabled, onSelect }: SideSwitchProps) {
  return (
    <fieldset aria-label="Side" disabled={disabled} className="mb-3 grid grid-cols-2 gap-1 rounded-lg bg-sunken p-1">
      {(['buy', 'sell'] as const).map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={side === one}
          onClick={() => onSelect(one)}
          className={`rounded-md py-2 font-bold capitalize text-muted hover:text-ink ${
            one === 'buy'
              ? 'aria-pressed:bg-up-solid aria-pressed:text-on-accent'
              : 'aria-pressed:bg-down-solid aria-pressed:text-on-accent'
          }`}
        >
          {one}
        </button>
      ))}
    </fieldset>
  )
}
