import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useDisconnect } from 'wagmi'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Icon } from '../components/icon.tsx'
import { useCoin } from '../data/config.tsx'
import { showFailure } from '../data/failures.ts'
import { useName } from '../data/names.ts'
import { shorten } from '../lib/links.ts'
import { useWalletBalance } from '../transactions/balances.ts'
import { useSession } from '../wallet/session.tsx'

export function WalletButton() {
  const { wallet, setConnecting } = useSession()
  if (!wallet)
    return (
      <Button kind="plain" onClick={() => setConnecting(true)}>
        <Icon name="wallet" />
        Connect
      </Button>
    )
  return <WalletMenu wallet={wallet} />
}

const itemClass =
  'block w-full rounded-md px-2.5 py-2 text-left font-semibold text-muted hover:bg-raised hover:text-ink'

function WalletMenu({ wallet }: { wallet: string }) {
  const { isDemo, isSignedIn, isSigningIn, ensure, leave, setConnecting } = useSession()
  const disconnect = useDisconnect()
  const coin = useCoin()
  const name = useName(wallet)
  const { data: balance } = useWalletBalance(null)
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const close = (event: Event) => {
      const isKey = event instanceof KeyboardEvent
      if (isKey ? event.key === 'Escape' : !place.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', close)
    document.addEventListener('keydown', close)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('keydown', close)
    }
  }, [isOpen])
  const close = () => setOpen(false)
  return (
    <div ref={place} className="relative">
      <Button kind="plain" aria-expanded={isOpen} aria-controls="wallet-menu" onClick={() => setOpen(!isOpen)}>
        {isDemo && <span className="rounded bg-warn-soft px-1 text-2xs font-bold text-warn">Demo</span>}
        <span className="max-w-32 truncate">{name ?? shorten(wallet)}</span>
        <Icon name="chevron" className="size-3.5 text-faint" />
      </Button>
      {isOpen && (
        <div id="wallet-menu" className="enter panel absolute right-0 top-11 z-40 w-64 p-2 shadow-(--shadow)">
          <div className="mb-1 border-b border-line px-2.5 pb-2.5 pt-1">
            <p className="flex items-center gap-1 font-mono text-xs text-faint">
              {shorten(wallet)}
              <CopyButton text={wallet} label="Copy the address" />
            </p>
            <p className="text-base font-bold">{coin.format(balance)}</p>
            {!isSignedIn && (
              <Button
                size="sm"
                kind="primary"
                className="mt-2"
                disabled={isSigningIn}
                onClick={() => void ensure().catch(showFailure)}
              >
                {isSigningIn ? 'Signing in…' : 'Sign in'}
              </Button>
            )}
          </div>
          <Link to="/profile/$wallet" params={{ wallet }} onClick={close} className={itemClass}>
            Profile
          </Link>
          <Link to="/portfolio" onClick={close} className={itemClass}>
            Portfolio
          </Link>
          <button
            type="button"
            className={itemClass}
            onClick={() => {
              close()
              setConnecting(true)
            }}
          >
            Change wallet
          </button>
          <button
            type="button"
            className={itemClass}
            onClick={() => {
              close()
              // Without a wallet, nothing signs in again meanwhile.
              disconnect.mutate()
              void leave()
            }}
          >
            Disconnect
          </button>
        </div>
      )}
    </div>
  )
}
