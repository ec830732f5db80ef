import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useSession } from '../../wallet/session.tsx'
import { useTradeFilter } from './use-trade-filter.ts'

/** A wallet that traded the token, with its marks and a button that shows its trades only. */
export function TraderName({ wallet, children }: { wallet: string; children?: ReactNode }) {
  const { wallet: own } = useSession()
  const { setTrader } = useTradeFilter()
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <WalletName wallet={wallet} className="min-w-0 truncate" />
      {own === wallet && <span className="shrink-0 text-2xs text-accent-ink">you</span>}
      {children}
      <button
        type="button"
        aria-label={`Trades of ${wallet} only`}
        title="Show the trades of this wallet only"
        onClick={() => setTrader(wallet)}
        className="shrink-0 rounded p-0.5 text-faint hover:text-ink"
      >
        <Icon name="filter" className="size-3" />
      </button>
    </span>
  )
}
