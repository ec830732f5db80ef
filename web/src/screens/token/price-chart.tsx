import { formatPrice, formatPriceTicks, toNumber } from '@slipway/sdk/helpers'
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { useEffect, useRef } from 'react'
import type { Candle, Currency } from '../../data/tokens.ts'
import { useShownTheme } from '../../layout/theme-switch.tsx'
import type { OwnTrades } from './own-trades.ts'

interface Props {
  candles: readonly Candle[]
  currency: Currency
  quoteDecimals: number
  /** A change of it resets the visible range: other candles are shown. */
  view: string
  label: string
  /** Unix seconds of the first trade that is not final. */
  unconfirmedFrom: number | null
  graduatedAt: number | null
  /** Marked at their candles. */
  ownTrades: readonly OwnTrades[]
  /** A line at this price, in the unit of the candles. */
  entry: number | null
  /** Lines at these prices. */
  alerts: readonly number[]
  /** Called with the price at a double click. */
  onPick(price: number): unknown
  /** Called when the first candles come into view. */
  onReachStart(): unknown
}

interface Parts {
  chart: IChartApi
  prices: ISeriesApi<'Candlestick'>
  volumes: ISeriesApi<'Histogram'>
  marks: ISeriesMarkersPluginApi<Time>
}

/** Candles that are visible at first. */
const VISIBLE = 96

/** Candles left of the view from which on older ones are loaded. */
const AHEAD = 40

/** The chart draws on a canvas, which knows no CSS variables. */
function readColours(element: HTMLElement) {
  const read = (name: string) => {
    // A new element each time: a change of colour could be a transition.
    const probe = document.createElement('span')
    probe.style.color = `var(--${name})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
  return {
    up: read('up'),
    down: read('down'),
    text: read('faint'),
    line: read('line'),
    grid: read('chart-grid'),
    accent: read('accent-ink'),
  }
}

const fade = (colour: string, alpha: number) => colour.replace(/^rgb\((.+)\)$/, `rgba($1, ${alpha})`)

export function PriceChart({
  candles,
  currency,
  quoteDecimals,
  view,
  label,
  unconfirmedFrom,
  graduatedAt,
  ownTrades,
  entry,
  alerts,
  onPick,
  onReachStart,
}: Props) {
  const place = useRef<HTMLDivElement>(null)
  const parts = useRef<Parts | null>(null)
  const shownView = useRef('')
  const reachStart = useRef(onReachStart)
  const pick = useRef(onPick)
  const theme = useShownTheme()
  useEffect(() => {
    reachStart.current = onReachStart
    pick.current = onPick
  }, [onReachStart, onPick])

  useEffect(() => {
    if (!place.current) return
    const made = createParts(place.current)
    parts.current = made
    made.chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range && range.from < AHEAD) reachStart.current()
    })
    made.chart.subscribeDblClick(({ point }) => {
      const price = point && made.prices.coordinateToPrice(point.y)
      if (price) pick.current(price)
    })
    return () => {
      parts.current = null
      shownView.current = ''
      made.chart.remove()
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read
  useEffect(() => {
    if (!parts.current || !place.current) return
    const { chart, prices, volumes, marks } = parts.current
    const colours = readColours(place.current)
    const width = (candles[1]?.time ?? 0) - (candles[0]?.time ?? 0)
    chart.applyOptions({
      layout: { textColor: colours.text },
      grid: { vertLines: { color: colours.grid }, horzLines: { color: colours.grid } },
      rightPriceScale: { borderColor: colours.line },
      timeScale: { borderColor: colours.line, secondsVisible: width > 0 && width < 60 },
    })
    const isFinal = (time: number) => unconfirmedFrom === null || time + width <= unconfirmedFrom
    const known = candles.filter(({ close }) => close !== null)
    prices.setData(
      known.map(({ time, open, high, low, close }) => {
        const base = (close ?? 0) >= (open ?? 0) ? colours.up : colours.down
        const colour = isFinal(time) ? base : fade(base, 0.55)
        return {
          time: time as UTCTimestamp,
          open: open ?? 0,
          high: high ?? 0,
          low: low ?? 0,
          close: close ?? 0,
          color: colour,
          borderColor: colour,
          wickColor: colour,
        }
      }),
    )
    volumes.setData(
      known.map(({ time, open, close, volumeUsd, volumeQuote }) => ({
        time: time as UTCTimestamp,
        value: currency === 'native' || currency === 'quote' ? toNumber(volumeQuote, quoteDecimals) : (volumeUsd ?? 0),
        color: fade((close ?? 0) >= (open ?? 0) ? colours.up : colours.down, 0.35),
      })),
    )
    const graduation = graduatedAt === null ? undefined : known.findLast(({ time }) => time <= graduatedAt)
    marks.setMarkers(
      [
        ...(graduation ? [toMark(graduation.time, 'Graduated', 'above', colours.accent)] : []),
        ...ownTrades.flatMap(({ time, buys, sells }) => [
          ...(buys > 0 ? [toMark(time, buys === 1 ? 'B' : `${buys} B`, 'below', colours.up)] : []),
          ...(sells > 0 ? [toMark(time, sells === 1 ? 'S' : `${sells} S`, 'above', colours.down)] : []),
        ]),
      ].sort((a, b) => Number(a.time) - Number(b.time)),
    )
    const draw = (price: number, title: string) =>
      prices.createPriceLine({ price, color: colours.accent, lineWidth: 1, lineStyle: 2, title })
    const lines = [...(entry === null ? [] : [draw(entry, 'Entry')]), ...alerts.map((price) => draw(price, 'Alert'))]
    if (shownView.current !== view) {
      shownView.current = view
      chart.timeScale().setVisibleLogicalRange({ from: Math.max(-4, known.length - VISIBLE), to: known.length + 4 })
    }
    return () => {
      // A chart that was removed has no lines.
      if (parts.current) for (const line of lines) prices.removePriceLine(line)
    }
  }, [candles, currency, quoteDecimals, view, unconfirmedFrom, graduatedAt, ownTrades, entry, alerts, theme])

  return <div ref={place} role="img" aria-label={label} className="h-full w-full" />
}

/** An arrow above its candle that points down, or one below that points up. */
const toMark = (time: number, text: string, place: 'above' | 'below', color: string) =>
  ({
    time: time as UTCTimestamp,
    position: place === 'above' ? 'aboveBar' : 'belowBar',
    shape: place === 'above' ? 'arrowDown' : 'arrowUp',
    color,
    text,
  }) as const

function createParts(element: HTMLElement): Parts {
  const chart = createChart(element, {
    autoSize: true,
    layout: {
      background: { color: 'transparent' },
      fontFamily: getComputedStyle(element).fontFamily,
      fontSize: 11,
      // Its logo brings an inline style, which the security policy forbids. The footer names the library's author.
      attributionLogo: false,
    },
    crosshair: { mode: 0 },
    rightPriceScale: { scaleMargins: { top: 0.08, bottom: 0.26 } },
    timeScale: { timeVisible: true, rightOffset: 4 },
    localization: { priceFormatter: formatPrice, tickmarksPriceFormatter: formatPriceTicks },
  })
  const prices = chart.addSeries(CandlestickSeries, {
    priceFormat: { type: 'custom', formatter: formatPrice, minMove: 1e-15 },
  })
  const volumes = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    lastValueVisible: false,
    priceLineVisible: false,
  })
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })
  return { chart, prices, volumes, marks: createSeriesMarkers(prices, []) }
}
