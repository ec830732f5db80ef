import { toSafeLink } from '../lib/links.ts'
import { Icon } from './icon.tsx'

/** A link that a stranger wrote, with the host that it leads to; nothing if it is no plain https link. */
export function ExternalLink({ url, label }: { url: string | null; label: string }) {
  const link = toSafeLink(url)
  if (!link) return null
  return (
    <a
      href={link.href}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
      title={link.href}
      className="inline-flex items-center gap-1 rounded-md bg-raised px-2 py-1 text-xs font-semibold text-muted hover:text-ink"
    >
      {label}
      <span className="font-normal text-faint">{link.host}</span>
      <Icon name="external" className="size-3" />
    </a>
  )
}
