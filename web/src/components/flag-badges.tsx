import type { Schema } from '@slipway/sdk'
import { Badge } from './badges.tsx'

export type Flag = Schema<'FirstBuyer'>['flags'][number]

const flagLooks = {
  creator: { tone: 'warn', text: 'Creator', title: 'Launched the token' },
  sniper: { tone: 'bad', text: 'Sniper', title: 'Bought within seconds of the first trade' },
  bundler: { tone: 'bad', text: 'Bundler', title: 'Bought in a bundle at the launch' },
  insider: { tone: 'warn', text: 'Insider', title: 'Received tokens from the creator, a sniper or a bundler' },
  fresh: { tone: 'plain', text: 'Fresh', title: 'First seen less than a day before it bought' },
} as const

/** What the launch says about a wallet. In a narrow table each mark is a letter. */
export function FlagBadges({ flags }: { flags: readonly Flag[] }) {
  if (flags.length === 0) return null
  return (
    <span className="inline-flex shrink-0 gap-1">
      {flags.map((flag) => {
        const { tone, text, title } = flagLooks[flag]
        return (
          <Badge key={flag} tone={tone} title={`${text}: ${title}`}>
            <span className="@max-xl:sr-only">{text}</span>
            <span aria-hidden="true" className="@xl:hidden">
              {text[0]}
            </span>
          </Badge>
        )
      })}
    </span>
  )
}
