import { Type } from '@sinclair/typebox'
import { Address, Closed, component, Line } from './common.ts'
import { HTTPS, httpsUrl, IPFS } from './links.ts'
import { communities } from './token-metadata.ts'

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the file, in hexadecimal.' })

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** The multipart body for the OpenAPI document. The handler reads it as a stream and checks its content. */
export const ImageUpload = Type.Object(
  {
    file: Type.Unsafe<unknown>({
      type: 'string',
      format: 'binary',
      description: 'PNG, JPEG, WebP or GIF, at most 5 MB and 4096 pixels a side.',
    }),
  },
  { examples: [{ file: '(the bytes of a picture)' }] },
)

export const UploadedImage = component(
  'UploadedImage',
  {
    url: Type.String({ description: 'Path of the image, valid at either mount; pass it as imageUrl.' }),
    width: Type.Integer(),
    height: Type.Integer(),
    bytes: Type.Integer(),
    sha256: Sha256,
  },
  {
    description: 'A stored image: WebP, without metadata.',
    examples: [{ url: `/uploads/${SHA256}.webp`, width: 512, height: 512, bytes: 18_432, sha256: SHA256 }],
  },
)

const uri = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 2048,
      pattern: `^(${HTTPS}|${IPFS}|/uploads/[0-9a-f]{64}\\.webp)$`,
      description: `${description}: an https or ipfs URL, or the path returned by an upload.`,
      'x-expects': 'must be an https or ipfs URL, or a path under /uploads',
    }),
  )

/** Multi-line text. Invisible characters are removed, not rejected. */
const Paragraphs = (minLength: number, maxLength: number, description: string) =>
  Type.String({
    ...{ minLength, maxLength, description },
    pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$',
    'x-expects': 'must not contain control characters',
  })

/** The fields of ERC-7572, and those that other launchpads have for communities. */
export const ContractMetadata = Closed(
  {
    name: Line(1, 100, 'Name of the token.'),
    symbol: Type.Optional(Line(1, 32, 'Ticker.')),
    description: Type.Optional(Paragraphs(1, 1000, 'Plain text.')),
    image: uri('Square image'),
    banner_image: uri('Wide image'),
    featured_image: uri('Image for highlights'),
    external_link: Type.Optional(
      Type.String({
        maxLength: 500,
        pattern: `^${HTTPS}$`,
        description: 'Home page: an https URL.',
        'x-expects': `must be ${httpsUrl}`,
      }),
    ),
    twitter: Type.Optional(communities.twitter),
    telegram: Type.Optional(communities.telegram),
    discord: Type.Optional(communities.discord),
    collaborators: Type.Optional(
      Type.Array(Address, { maxItems: 20, description: 'Addresses of wallets that may edit.' }),
    ),
  },
  {
    description: 'Contract metadata by ERC-7572, with links to communities. Upload paths are stored as URLs.',
    examples: [
      {
        name: 'Harbour Cat',
        symbol: 'HCAT',
        description: 'The cat that sleeps on the slipway.',
        image: `/uploads/${SHA256}.webp`,
        external_link: 'https://hcat.example.org',
      },
    ],
  },
)

export const UploadedMetadata = component(
  'UploadedMetadata',
  { uri: Type.String({ description: 'URL of the document, for contractURI of the token to launch.' }) },
  {
    description: 'A stored metadata document.',
    examples: [{ uri: `https://api.slipway.example/uploads/${SHA256}.json` }],
  },
)

export const UploadParams = Type.Object({
  name: Type.String({
    maxLength: 256,
    description: 'Name of the file, as returned by the upload.',
    examples: [`${SHA256}.webp`],
  }),
})

const file = (description: string) => ({
  description,
  content: {
    'image/webp': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) },
    'application/json': { schema: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }) },
  },
})

/** Files are returned as stored, without the envelope. */
export const UploadedFile = file('The file.')
export const UploadedPart = file('The part of the file that the Range header selects.')

export const components = [UploadedImage, UploadedMetadata]
