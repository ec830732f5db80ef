import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Token } from '../../data/tokens.ts'
import { useSession } from '../../wallet/session.tsx'
import { AlertDialog } from './alert-dialog.tsx'

/** Opens the alerts of the signed-in wallet about a token. Without a wallet, one is connected. */
export function AlertButton({ token }: { token: Token }) {
  const { wallet, setConnecting } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        aria-label={`Alerts about ${token.symbol}`}
        onClick={() => (wallet ? setOpen(true) : setConnecting(true))}
      >
        <Icon name="bell" className="size-4" />
      </Button>
      <AlertDialog token={token} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
