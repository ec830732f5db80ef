import { useInstantPrices } from '../../data/use-instant-prices.ts'
import { useTitle } from '../../lib/use-title.ts'
import { KingOfTheHill } from './king-of-the-hill.tsx'
import { QuickBuyProvider } from './quick-buy/quick-buy.tsx'
import { QuickBuyBar } from './quick-buy/quick-buy-bar.tsx'
import { StatisticsStrip } from './statistics-strip.tsx'
import { TokenColumn } from './token-column.tsx'
import { TokenTable } from './token-table.tsx'

export function HomeScreen() {
  useTitle(undefined)
  useInstantPrices()
  return (
    <QuickBuyProvider>
      <div className="grid gap-4">
        <h1 className="sr-only">Market</h1>
        <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.15fr)]">
          <KingOfTheHill />
          <StatisticsStrip />
        </div>
        <QuickBuyBar />
        <div className="grid gap-4 lg:grid-cols-3">
          <TokenColumn view="new" title="New" empty="No token has been launched yet" />
          <TokenColumn view="graduating" title="About to graduate" empty="No curve is at 70 % yet" />
          <TokenColumn view="graduated" title="Graduated" empty="No token has graduated yet" />
        </div>
        <TokenTable />
      </div>
    </QuickBuyProvider>
  )
}
