import { toUserMessage, trade } from '@slipway/sdk'
import { formatAmount, readAmount } from '@slipway/sdk/helpers'
import { useMutation } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { ActionError } from '../../../components/action-error.tsx'
import { BESIDE_FEE } from '../../../components/amount-field.tsx'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Notice } from '../../../components/states.tsx'
import { useBuyPresets } from '../../../data/buy-presets.ts'
import { useCanTrade, useCoin } from '../../../data/config.tsx'
import type { Quote, Token } from '../../../data/tokens.ts'
import { api } from '../../../lib/api.ts'
import { gasOf } from '../../../lib/gas.ts'
import { useSpendable } from '../../../transactions/balances.ts'
import { findTrade } from '../../../transactions/find-trade.ts'
import { useAction } from '../../../transactions/use-action.ts'
import { useSession } from '../../../wallet/session.tsx'
import { HIGH_IMPACT_PCT, ImpactNotice } from '../../token/impact-notice.tsx'
import { QuoteDetails } from '../../token/quote-details.tsx'
import { readSlippage } from '../../token/slippage-field.tsx'

interface QuickBuy {
  buy(token: Token): void
  /** The token that is being bought; null while none is. */
  busy: string | null
}

const Context = createContext<QuickBuy | null>(null)

interface Purchase {
  token: Token
  amount: bigint
  slippageBps: number
}

/** A purchase with the quote that was shown, or that needs no confirmation. */
interface Quoted {
  purchase: Purchase
  quote: Quote
}

/** A purchase for which a button was pressed. */
interface Started extends Purchase {
  /** Why it was not possible at that moment. The balance after it is another. */
  problem: string | null
}

/**
 * Buys tokens with one click, as the trade panel does: a quote comes first, and a purchase that moves the price much is asked about.
 * One purchase runs at a time.
 */
export function QuickBuyProvider({ children }: { children: ReactNode }) {
  const coin = useCoin()
  const { wallet, setConnecting } = useSession()
  const { amount: text } = useBuyPresets()
  const spendable = useSpendable(null, gasOf.buy)
  const [asked, setAsked] = useState<Quoted | null>(null)
  const [current, setCurrent] = useState<Started | null>(null)
  const action = useAction(
    { label: (quoted: Quoted) => `Buy of ${quoted.purchase.token.symbol}` },
    ({ purchase, quote }: Quoted, { client, wallet: signer, flow }) => {
      const { token, amount, slippageBps } = purchase
      const { minimumOut } = quote
      if (flow.sent !== undefined) return findTrade(client, 'buy', flow.sent)
      return trade(client, signer, { token: token.address, side: 'buy', amount, slippageBps, minimumOut, ...flow })
    },
  )
  const quoting = useMutation({
    mutationFn: ({ token, amount, slippageBps }: Purchase) =>
      api.tokens.quote(token.address, { side: 'buy', amount, slippageBps }),
    onSuccess: (quote, purchase) =>
      quote.priceImpactPct >= HIGH_IMPACT_PCT ? setAsked({ purchase, quote }) : action.start({ purchase, quote }),
  })
  const { problem, amount } = readAmount(text, coin, spendable, BESIDE_FEE)
  const isPending = quoting.isPending || action.isPending
  const isBusy = isPending || action.isBusy

  const buy = (token: Token) => {
    if (!wallet) return setConnecting(true)
    if (amount === null || isBusy) return
    const purchase = { token, amount, slippageBps: readSlippage() }
    action.reset()
    setCurrent({ ...purchase, problem })
    if (problem === null) quoting.mutate(purchase)
    else quoting.reset()
  }
  const confirm = () => {
    if (asked) action.start(asked)
    setAsked(null)
  }
  const dismiss = () => {
    setCurrent(null)
    quoting.reset()
    action.reset()
  }
  const busy = isBusy && current ? current.token.address : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: `buy` is new each time; what it reads is listed
  const value = useMemo(() => ({ buy, busy }), [busy, wallet, amount, problem])
  const done = action.result?.trades[0]
  const error = action.error ?? (quoting.error ? toUserMessage(quoting.error) : (current?.problem ?? null))
  const symbol = current?.token.symbol
  return (
    <Context value={value}>
      {children}
      <Dialog
        title={`Buy ${asked?.purchase.token.symbol ?? ''} for ${coin.format(asked?.purchase.amount)}`}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
      >
        {asked && (
          <div className="grid gap-3">
            <QuoteDetails quote={asked.quote} token={asked.purchase.token} />
            <ImpactNotice quote={asked.quote} />
            <Button kind="up" size="lg" onClick={confirm}>
              Buy anyway
            </Button>
          </div>
        )}
      </Dialog>
      {current && asked === null && (isPending || done || error) && (
        <div className="fixed inset-x-4 bottom-[calc(var(--bottom-bar)+1rem)] z-30 mx-auto flex max-w-md items-start gap-2 rounded-lg border border-line bg-surface p-2 shadow-(--shadow)">
          <div className="min-w-0 flex-1">
            {isPending ? (
              <Notice tone="info">
                <bdi>{symbol}</bdi>: {action.progress ?? 'Quoting…'}
              </Notice>
            ) : done ? (
              <Notice tone="good">
                Bought {formatAmount(done.tokenAmount, current.token.decimals)} <bdi>{symbol}</bdi> for{' '}
                {coin.format(done.quoteAmount)}.
              </Notice>
            ) : (
              error && (
                <Notice tone="bad">
                  <bdi>{symbol}</bdi>: <ActionError error={error} action={action} />
                </Notice>
              )
            )}
          </div>
          {!isPending && (
            <button type="button" aria-label="Dismiss" onClick={dismiss} className="p-2 text-faint hover:text-ink">
              <Icon name="close" />
            </button>
          )}
        </div>
      )}
    </Context>
  )
}

/** Buys a token for the chosen preset. Only with a connected wallet, and where the service can trade. */
export function QuickBuyButton({ token }: { token: Token }) {
  const { symbol: coin } = useCoin()
  const { wallet } = useSession()
  const { amount } = useBuyPresets()
  const canTrade = useCanTrade(token)
  const quickBuy = useContext(Context)
  if (!quickBuy || !wallet || !canTrade || token.status === 'completed') return null
  const { buy, busy } = quickBuy
  return (
    <button
      type="button"
      disabled={busy !== null}
      aria-label={`Buy ${token.symbol} for ${amount} ${coin}`}
      onClick={() => buy(token)}
      className="relative z-10 inline-flex h-6 shrink-0 items-center gap-1 whitespace-nowrap rounded-md bg-up-soft px-2 text-xs font-semibold text-up hover:bg-up-solid hover:text-on-accent disabled:opacity-60"
    >
      <Icon name="bolt" className="size-3" />
      {busy === token.address ? '…' : amount}
    </button>
  )
}
