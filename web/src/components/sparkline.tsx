import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../lib/api.ts'
import { useInView } from '../lib/use-in-view.ts'

const WIDTH = 96
const HEIGHT = 28

/** The last day's prices as a line, read once the row is in view. */
export function Sparkline({ address }: { address: string }) {
  const place = useRef<HTMLDivElement>(null)
  const isSeen = useInView(place)
  const { data: closes } = useQuery({
    queryKey: ['sparkline', address],
    queryFn: async ({ signal }) => {
      const query = { interval: '30m', limit: 48 } as const
      const { candles } = await api.tokens.chart(address, query, { signal })
      return candles.flatMap(({ close }) => (close === null ? [] : [close]))
    },
    enabled: isSeen === true,
    staleTime: 300_000,
  })
  return (
    <div ref={place} className="h-7 w-24" aria-hidden="true">
      {closes && closes.length > 1 && <Line closes={closes} />}
    </div>
  )
}

function Line({ closes }: { closes: readonly number[] }) {
  const low = Math.min(...closes)
  const span = Math.max(...closes) - low
  const x = (index: number) => (index / (closes.length - 1)) * (WIDTH - 2) + 1
  const y = (close: number) => (span === 0 ? HEIGHT / 2 : HEIGHT - 3 - ((close - low) / span) * (HEIGHT - 6))
  const points = closes.map((close, index) => `${x(index).toFixed(1)},${y(close).toFixed(1)}`).join(' ')
  const isUp = (closes.at(-1) ?? 0) >= (closes[0] ?? 0)
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={`h-7 w-24 ${isUp ? 'text-up' : 'text-down'}`} aria-hidden="true">
      <polygon
        points={`${x(0)},${HEIGHT} ${points} ${x(closes.length - 1)},${HEIGHT}`}
        fill="currentColor"
        opacity="0.12"
      />
      <polyline points={points} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  )
}
