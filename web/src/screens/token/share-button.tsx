import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Token } from '../../data/tokens.ts'

/** Shares the link of a token through the dialog of the system; where there is none, copies it. */
export function ShareButton({ token }: { token: Token }) {
  const [isCopied, setCopied] = useState(false)
  const share = async () => {
    // Without the selections of this visitor.
    const { origin, pathname: path } = location
    const url = `${origin}${path}`
    if ('share' in navigator) return navigator.share({ title: `${token.name} (${token.symbol})`, url })
    await (navigator as Navigator).clipboard.writeText(url)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <Button
      aria-label={isCopied ? 'Link copied' : `Share ${token.symbol}`}
      title={isCopied ? 'Link copied' : 'Share'}
      // Closing the dialog of the system rejects.
      onClick={() => void share().catch(() => {})}
    >
      <Icon name={isCopied ? 'check' : 'share'} className="size-4" />
      <span role="status" className="sr-only">
        {isCopied && 'Link copied'}
      </span>
    </Button>
  )
}
