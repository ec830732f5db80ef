import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { BottomBar } from './bottom-bar.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { Footer } from './footer.tsx'
import { StatusBanner } from './status-banner.tsx'
import { Toasts } from './toasts.tsx'
import { TopBar } from './top-bar.tsx'
import { useWalletEvents } from './use-wallet-events.ts'

export function Layout() {
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const former = useRef(path)
  useWalletEvents()
  // Like a loaded page: screen readers start at the new content.
  useEffect(() => {
    if (former.current === path) return
    former.current = path
    main.current?.focus({ preventScroll: true })
  }, [path])
  return (
    <div className="flex min-h-dvh flex-col pb-(--bottom-bar)">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:left-3 focus:top-3"
      >
        Skip to the content
      </a>
      <div className="sticky top-0 z-30">
        <TopBar />
        <StatusBanner />
      </div>
      <main
        ref={main}
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[1560px] flex-1 px-3 py-4 outline-none sm:px-5"
      >
        <Outlet />
      </main>
      <Footer />
      <BottomBar />
      <Toasts />
      <ConnectDialog />
    </div>
  )
}
