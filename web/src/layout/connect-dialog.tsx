import { toUserMessage } from '@slipway/sdk'
import { useState } from 'react'
import { type Config, type Connector, useConnectors, useConfig as useWagmiConfig } from 'wagmi'
import { connect, disconnect } from 'wagmi/actions'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { Notice } from '../components/states.tsx'
import { TokenImage } from '../components/token-image.tsx'
import { useConfig } from '../data/config.tsx'
import { shorten } from '../lib/links.ts'
import { DEMO_CONNECTOR } from '../wallet/demo-connector.ts'
import { useSession } from '../wallet/session.tsx'

const rowClass =
  'flex w-full items-center gap-3 rounded-lg border border-line bg-sunken px-3 py-2.5 text-left font-semibold hover:border-line-strong hover:bg-raised'

/** Demo accounts that are offered: those with a name, then the last ones, which the market uses least. */
const OFFERED = 8

/** Connects a wallet in place of the former one, which stays connected if the new one refuses. */
async function change(wagmi: Config, connector: Connector): Promise<void> {
  const { current, connections } = wagmi.state
  const former = current === null ? undefined : connections.get(current)?.connector
  if (former?.uid === connector.uid) {
    // It is asked for its accounts again: connect() of wagmi takes a connected one for a mistake.
    const { accounts, chainId } = await connector.connect()
    connector.emitter.emit('change', { accounts, chainId })
    return
  }
  await connect(wagmi, { connector })
  if (former) await disconnect(wagmi, { connector: former })
}

export function ConnectDialog() {
  const { isConnecting, setConnecting } = useSession()
  const { demo } = useConfig()
  const connectors = useConnectors()
  const wagmi = useWagmiConfig()
  const [error, setError] = useState<string | null>(null)
  const browserWallets = connectors.filter(({ id }) => id !== DEMO_CONNECTOR)

  const join = async (connector: Connector, prepare?: () => void) => {
    setError(null)
    try {
      prepare?.()
      await change(wagmi, connector)
      setConnecting(false)
    } catch (thrown) {
      setError(toUserMessage(thrown))
    }
  }
  const joinDemo = (index: number) => {
    const connector = connectors.find(({ id }) => id === DEMO_CONNECTOR)
    if (connector) void join(connector, () => (connector as unknown as { choose(index: number): void }).choose(index))
  }

  const named = demo?.accounts.filter(({ name }) => !/^Account \d+$/.test(name)) ?? []
  const others = demo?.accounts.filter((account) => !named.includes(account)).reverse() ?? []
  return (
    <Dialog title="Connect a wallet" isOpen={isConnecting} onClose={() => setConnecting(false)}>
      <div className="grid gap-5">
        {error && <Notice tone="bad">{error}</Notice>}
        <section aria-labelledby="browser-wallets">
          <h3 id="browser-wallets" className="mb-2 text-xs font-semibold text-muted">
            Browser wallets
          </h3>
          {browserWallets.length === 0 && <p className="text-muted">No wallet extension was found in this browser.</p>}
          <div className="grid gap-2">
            {browserWallets.map((connector) => (
              <button key={connector.uid} type="button" className={rowClass} onClick={() => void join(connector)}>
                {connector.icon?.startsWith('data:image/') ? (
                  <img src={connector.icon} alt="" className="size-7 rounded-md" />
                ) : (
                  <Icon name="wallet" className="size-6" />
                )}
                {connector.name}
              </button>
            ))}
          </div>
        </section>
        {demo && (
          <section aria-labelledby="demo-wallets">
            <h3 id="demo-wallets" className="mb-1 text-xs font-semibold text-muted">
              Demo wallets
            </h3>
            <p className="mb-2.5 text-xs text-faint">
              This chain is a demonstration. Its accounts are public and hold play money: anyone can use them.
            </p>
            <div className="grid max-h-72 grid-cols-2 gap-2 overflow-y-auto">
              {[...named, ...others].slice(0, OFFERED).map(({ index, address, name }) => (
                <button key={address} type="button" className={rowClass} onClick={() => joinDemo(index)}>
                  <TokenImage address={address} symbol={name} imageUrl={null} className="size-8" shape="round" />
                  <span className="min-w-0">
                    <span className="block truncate">{name}</span>
                    <span className="block font-mono text-2xs font-normal text-faint">{shorten(address)}</span>
                  </span>
                </button>
              ))}
            </div>
          </section>
        )}
      </div>
    </Dialog>
  )
}
