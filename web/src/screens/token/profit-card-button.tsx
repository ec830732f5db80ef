import { useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Token } from '../../data/tokens.ts'
import { API_URL } from '../../lib/api.ts'

/** Shows the picture of a wallet's profit on a token, to save it or to share its link. */
export function ProfitCardButton({ token, wallet }: { token: Token; wallet: string }) {
  const [isOpen, setOpen] = useState(false)
  const url = `${API_URL}/og/pnl/${token.address}/${wallet}`
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        <Icon name="share" className="size-3.5" /> Share
      </Button>
      <Dialog title={`Your profit on ${token.symbol}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <img
          src={url}
          width={1200}
          height={630}
          alt={`Profit, purchases, sales and holding of ${token.symbol}`}
          className="h-auto w-full rounded-lg bg-raised"
        />
        <p className="mt-2 text-xs text-muted">
          All figures are in {token.quote.symbol}, of what you bought and sold or hold.
        </p>
        <p className="mt-4 flex items-center gap-2">
          <a className={buttonClass({ kind: 'primary' })} href={url} download="profit.png">
            Save picture
          </a>
          <CopyButton text={url} label="Copy the link of the picture" />
        </p>
      </Dialog>
    </>
  )
}
