import { formatCount } from '@slipway/sdk/helpers'
import { useStatistics } from '@slipway/sdk/react'
import { useConfig } from '../data/config.tsx'
import { API_URL } from '../lib/api.ts'

export function Footer() {
  const { brand, version, chainId } = useConfig()
  const { data } = useStatistics()
  const block = data?.indexer.blockNumber
  return (
    <footer className="border-t border-line px-5 py-4 text-xs text-faint">
      <div className="mx-auto flex max-w-[1520px] flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p>
          {brand.name} {version} · chain {chainId}
          {typeof block === 'number' && <> · block {formatCount(block)}</>}
        </p>
        <nav aria-label="Documentation" className="flex flex-wrap gap-x-5 gap-y-1">
          <a href={`${API_URL}/docs`} className="underline hover:text-ink">
            API documentation
          </a>
          <a href="https://www.tradingview.com/" rel="noopener noreferrer" className="underline hover:text-ink">
            Charts by TradingView
          </a>
        </nav>
      </div>
    </footer>
  )
}
