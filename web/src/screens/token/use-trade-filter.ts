import { useNavigate } from '@tanstack/react-router'
import { useParameter } from '../../data/url-state.ts'

type Search = Record<string, unknown>

/** The parameter that names the wallet whose trades are shown. */
const TRADER = 'trader'
/** Least size of the trades that are shown, in whole units of the quote asset. */
export const LEAST = 'least'

/** Whose trades are listed: those of all wallets, or of one. The URL holds it. */
export function useTradeFilter() {
  const navigate = useNavigate()
  const { value } = useParameter(TRADER)
  const trader = value !== undefined && /^0x[0-9a-f]{40}$/i.test(value) ? value.toLowerCase() : null
  /** Shows the list, too: another tab may be open. */
  const setTrader = (wallet: string | null) =>
    void navigate({
      to: '.',
      search: ((all: Search) => ({ ...all, tab: undefined, [TRADER]: wallet ?? undefined })) as never,
      resetScroll: false,
    })
  return { trader, setTrader }
}

/** The least amount of the shown trades in base units, from whole units; undefined without one. */
export function toLeastQuote(value: string | undefined, decimals: number): string | undefined {
  const coins = Number(value)
  if (value === undefined || !(coins > 0 && coins < 1e12)) return undefined
  const [whole = '0', fraction = ''] = coins.toFixed(Math.min(decimals, 12)).split('.')
  return String(BigInt(whole + fraction.padEnd(decimals, '0')))
}
