import { useUrlChoice } from '../../data/url-state.ts'

const SIDES = [{ id: 'buy' }, { id: 'sell' }] as const
export type Side = (typeof SIDES)[number]['id']

/** Whether the trade panel buys or sells. */
export const useTradeSide = () => useUrlChoice('side', SIDES, 'buy')
