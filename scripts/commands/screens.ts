import type { Page } from 'playwright-core'
import { raiseStatuses } from '../../schemas/raises.ts'

/** What the screens of tokens and raises show. */
export interface Market {
  curve: string | undefined
  graduated: string | undefined
  /** The id of a raise by its status. */
  raises: ReadonlyMap<string, string>
}

export interface Screen {
  name: string
  /** Below /app; undefined if the market has nothing to show there. */
  path: (market: Market) => string | undefined
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<unknown>
}

const openTab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()
const openFilters = (page: Page) => page.getByRole('button', { name: /^Filters/ }).click()
const at = (path: string) => () => path
const onCurve = ({ curve }: Market) => curve && `/token/${curve}`

export const listScreens = (wallet: string): readonly Screen[] => [
  { name: 'home', path: at('/') },
  {
    name: 'search',
    path: at('/'),
    act: async (page) => {
      await page.getByRole('combobox').fill('a')
      await page.getByRole('option').first().waitFor()
    },
  },
  { name: 'home-filters', path: at('/?minMarketCapUsd=5000&minVolumeUsd.h24=1000&status=curve'), act: openFilters },
  { name: 'home-cards', path: at('/?view=cards') },
  {
    name: 'home-quick-buy',
    path: at('/'),
    act: (page) => page.getByRole('button', { name: 'Edit the amounts' }).click(),
  },
  { name: 'token-curve', path: onCurve },
  { name: 'token-holders', path: onCurve, act: openTab('Holders') },
  { name: 'token-first-buyers', path: onCurve, act: openTab('First buyers') },
  { name: 'token-top-traders', path: onCurve, act: openTab('Top traders') },
  {
    name: 'token-quote',
    path: onCurve,
    act: async (page) => {
      const panel = page.getByRole('region', { name: /^Trade / }).locator('visible=true')
      await panel.getByRole('textbox', { name: 'You pay' }).fill('5')
      await panel.getByText('You receive').waitFor()
    },
  },
  { name: 'token-graduated', path: ({ graduated }) => graduated && `/token/${graduated}` },
  { name: 'token-missing', path: at(`/token/0x${'1'.repeat(40)}`) },
  { name: 'launch', path: at('/launch') },
  { name: 'launch-problems', path: at('/launch'), act: (page) => page.locator('main button[type=submit]').click() },
  { name: 'activity', path: at('/activity') },
  { name: 'portfolio', path: at('/portfolio') },
  { name: 'profile', path: at(`/profile/${wallet}`) },
  { name: 'notifications', path: at('/notifications') },
  { name: 'leaderboard', path: at('/leaderboard') },
  { name: 'raises', path: at('/raises') },
  ...raiseStatuses.map((status) => ({
    name: `raise-${status}`,
    path: ({ raises }: Market) => (raises.has(status) ? `/raises/${raises.get(status)}` : undefined),
  })),
  { name: 'new-raise', path: at('/raises/new') },
  { name: 'staking', path: at('/staking') },
  { name: 'operator', path: at('/operator') },
  { name: 'operator-reports', path: at('/operator'), act: openTab('Reports') },
  { name: 'operator-audit', path: at('/operator'), act: openTab('Audit log') },
  { name: 'missing', path: at('/nothing-here') },
  {
    name: 'wallet-menu',
    path: at('/staking'),
    act: (page) => page.locator('header [aria-controls=wallet-menu]').click(),
  },
  {
    name: 'connect',
    path: at('/staking'),
    act: async (page) => {
      await page.locator('header [aria-controls=wallet-menu]').click()
      await page.getByRole('button', { name: 'Change wallet' }).click()
    },
  },
]
