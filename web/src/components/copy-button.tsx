import { useState } from 'react'
import { Icon } from './icon.tsx'

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button
      type="button"
      onClick={() => void copy().catch(() => {})}
      aria-label={isCopied ? 'Copied' : label}
      title={label}
      className="rounded p-1 text-faint hover:text-ink"
    >
      <Icon name={isCopied ? 'check' : 'copy'} className="size-3.5" />
    </button>
  )
}
