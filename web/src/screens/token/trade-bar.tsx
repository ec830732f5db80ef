import type { RefObject } from 'react'
import { Button } from '../../components/button.tsx'
import { useCanTrade } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { useInView } from '../../lib/use-in-view.ts'
import { useTradeSide } from './use-trade-side.ts'

/** On narrow screens the trade panel is below the chart: these buttons stay at the edge of the screen until it is in view. */
export function TradeBar({ token, panel }: { token: Token; panel: RefObject<HTMLElement | null> }) {
  const [, setSide] = useTradeSide()
  const isPanelShown = useInView(panel, 0.4)
  const canTrade = useCanTrade(token)
  if (isPanelShown !== false || token.status === 'completed' || !canTrade) return null
  const open = (side: 'buy' | 'sell') => {
    setSide(side)
    panel.current?.scrollIntoView({ block: 'center' })
    panel.current?.querySelector('input')?.focus({ preventScroll: true })
  }
  return (
    <fieldset
      aria-label={`Buy or sell ${token.symbol}`}
      className="fixed inset-x-0 bottom-(--bottom-bar) z-20 grid grid-cols-2 gap-2 border-t border-line bg-surface px-3 py-2.5 sm:pb-[max(0.625rem,env(safe-area-inset-bottom))] lg:hidden"
    >
      <Button kind="up" size="lg" onClick={() => open('buy')}>
        Buy
      </Button>
      <Button kind="down" size="lg" onClick={() => open('sell')}>
        Sell
      </Button>
    </fieldset>
  )
}
