import '@fontsource-variable/inter/index.css'
import './styles.css'
import { SlipwayProvider, useConfig } from '@slipway/sdk/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { memo, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { type Config as WagmiConfig, WagmiProvider } from 'wagmi'
import { Failure } from './components/states.tsx'
import { type Config, ConfigProvider } from './data/config.tsx'
import { learnDemoNames } from './data/names.ts'
import { queryClient } from './data/query-client.ts'
import { useRetryWhenLive } from './data/use-retry-when-live.ts'
import { LimitScreen } from './layout/status-banner.tsx'
import { api } from './lib/api.ts'
import { preloadWhenIdle } from './lib/lazy-component.tsx'
import { router } from './router.tsx'
import { VaultSocket } from './session/vault.ts'
import { SessionProvider } from './wallet/session.tsx'
import { createWagmiConfig } from './wallet/wagmi-config.ts'

/** Reads the configuration first: the chain and the wallets depend on it. */
function Start() {
  const { data: config, error, refetch } = useConfig()
  useRetryWhenLive()
  if (config) return <App config={config} />
  if (error)
    return (
      <main className="mx-auto mt-24 max-w-md">
        <Failure error={error} retry={() => void refetch()} />
      </main>
    )
  // Without content the frame of index.html stays.
  return <LimitScreen />
}

function App({ config }: { config: Config }) {
  const [wagmi] = useState(() => {
    learnDemoNames(config)
    return createWagmiConfig(config)
  })
  return (
    <ConfigProvider value={config}>
      <Wallets wagmi={wagmi} />
    </ConfigProvider>
  )
}

/**
 * wagmi's provider reconnects the wallet whenever it is rendered. Until that is done the page has no wallet, and forms that
 * need one are gone with what was typed into them: render it once.
 */
const Wallets = memo(function Wallets({ wagmi }: { wagmi: WagmiConfig }) {
  return (
    <WagmiProvider config={wagmi}>
      <SessionProvider>
        <RouterProvider router={router} />
      </SessionProvider>
    </WagmiProvider>
  )
})

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <SlipwayProvider client={api} socket={{ WebSocket: VaultSocket, maxDelayMs: 10_000 }}>
        <Start />
      </SlipwayProvider>
    </QueryClientProvider>
  </StrictMode>,
)

void preloadWhenIdle()
