import { useSyncExternalStore } from 'react'
import { Icon } from '../components/icon.tsx'
import { storage } from '../lib/storage.ts'

const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const STORED = 'slipway.theme'
const icons = { auto: 'auto', light: 'sun', dark: 'moon' } as const
const listeners = new Set<() => void>()
const darkQuery = matchMedia('(prefers-color-scheme: dark)')

const readTheme = (): Theme => (document.documentElement.dataset.theme as Theme | undefined) ?? 'auto'

function setTheme(theme: Theme): void {
  if (theme === 'auto') {
    delete document.documentElement.dataset.theme
    storage.removeItem(STORED)
  } else {
    document.documentElement.dataset.theme = theme
    storage.setItem(STORED, theme)
  }
  for (const listen of listeners) listen()
}

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  darkQuery.addEventListener('change', listen)
  return () => {
    listeners.delete(listen)
    darkQuery.removeEventListener('change', listen)
  }
}

/** The theme that is shown now; changes with the choice and with the system. */
export const useShownTheme = (): 'light' | 'dark' =>
  useSyncExternalStore(subscribe, () => {
    const theme = readTheme()
    return theme === 'auto' ? (darkQuery.matches ? 'dark' : 'light') : theme
  })

export function ThemeSwitch() {
  const theme = useSyncExternalStore(subscribe, readTheme)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme
  return (
    <button
      type="button"
      onClick={() => setTheme(next)}
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
      className="rounded-md p-2 text-muted hover:bg-raised hover:text-ink"
    >
      <Icon name={icons[theme]} />
    </button>
  )
}
