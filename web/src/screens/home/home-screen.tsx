import { useInstantPrices } from '../../data/use-instant-prices.ts'
import { useTitle } from '../../lib/use-title.ts'
import { KingOfTheHill } from './king-of-the-hill.tsx'
import { StatisticsStrip } from './statistics-strip.tsx'
import { TokenColumn } from './token-column.tsx'
import { TokenTable } from './token-table.tsx'

export function HomeScreen() {
  useTitle(undefined)
  useInstantPrices()
  return (
    <div className="grid gap-4">
      <h1 className="sr-only">Market</h1>
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.15fr)]">
        <KingOfTheHill />
        <StatisticsStrip />
      </div>
      <div className="grid gap-4 lg:grid-cols-3">
        <TokenColumn sort="newest" title="New" empty="No token has been launched yet" />
        <TokenColumn sort="curve" title="About to graduate" empty="No token is on its curve" />
        <TokenColumn sort="graduated" title="Graduated" empty="No token has graduated yet" />
      </div>
      <TokenTable />
    </div>
  )
}
