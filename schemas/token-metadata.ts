import { type TSchema, Type } from '@sinclair/typebox'
import { Closed, Nullable, Text, TxHash } from './common.ts'
import { HTTPS, httpsUrl } from './links.ts'

export const lengths = { description: 1000 } as const

const url = (pattern: string, description: string, example: string, expects: string) =>
  Type.String({ pattern, maxLength: 500, description, examples: [example], 'x-expects': `must be ${expects}` })

/** A field that null clears. */
const clearable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))

/** An image URL that a wallet may set. */
export const image = (description: string) =>
  clearable(
    url(
      `^(${HTTPS}|/uploads/[a-zA-Z0-9][a-zA-Z0-9_-]*(\\.[a-zA-Z0-9]+)?)$`,
      `${description}: an https URL, or the path returned by an upload.`,
      'https://images.example.org/hcat.webp',
      'an https URL or a path under /uploads',
    ),
  )

/** Where people meet: fields of the metadata document as well. */
export const communities = {
  twitter: url(
    '^https://(www\\.)?(x|twitter)\\.com/[a-zA-Z0-9_][a-zA-Z0-9_/-]{0,99}$',
    'Profile or community on X.',
    'https://x.com/harbourcat',
    'the URL of a profile or community on X, without a query',
  ),
  telegram: url(
    '^https://(t|telegram)\\.me/[a-zA-Z0-9_+][a-zA-Z0-9_+/-]{0,99}$',
    'Channel or group on Telegram.',
    'https://t.me/harbourcat',
    'the URL of a channel or group on Telegram, without a query',
  ),
  discord: url(
    '^https://(discord\\.gg|(www\\.)?discord\\.com/invite)/[a-zA-Z0-9-]{1,64}$',
    'Invitation to a Discord server.',
    'https://discord.gg/harbourcat',
    'the URL of an invitation to a Discord server, without a query',
  ),
}

export const metadata = {
  description: Type.Optional(
    Nullable(Text(1, lengths.description, 'Plain text. Clients must not render it as markup.')),
  ),
  imageUrl: image('Square image of the token'),
  bannerUrl: image('Wide image of the token'),
  links: Type.Optional(
    Closed({
      website: clearable(url(`^${HTTPS}$`, 'Home page.', 'https://hcat.example.org', httpsUrl)),
      twitter: clearable(communities.twitter),
      telegram: clearable(communities.telegram),
      discord: clearable(communities.discord),
    }),
  ),
} satisfies Record<string, TSchema>

export const TokenPatch = Closed(metadata, {
  minProperties: 1,
  description: 'Fields to change. null clears a field; omitted fields stay unchanged.',
  examples: [{ description: 'The cat that sleeps on the slipway.', links: { twitter: null } }],
})

export const TokenCreation = Closed(
  { txHash: TxHash, ...metadata },
  {
    examples: [
      {
        txHash: '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
        description: 'The cat that sleeps on the slipway.',
        imageUrl: 'https://images.example.org/hcat.webp',
      },
    ],
  },
)
