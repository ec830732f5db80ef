import { type SchemaOptions, type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** Limits of every list. OFFSET gets slower with depth, so rows beyond `maxDepth` are reached by cursor. */
export const paging = { defaultLimit: 20, maxLimit: 100, maxDepth: 10_000 } as const

// `x-expects` is the wording of a 400 for a pattern. `x-lowercase` folds letter case during validation, so handlers and
// queries see one spelling. Both are removed from the OpenAPI document.

export const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.',
  examples: ['0x5fbdb2315678afecb367f032d93f642f64180aa3'],
  'x-lowercase': true,
  'x-expects': 'must be a 0x-prefixed address of 20 bytes in hexadecimal',
})

export const PoolAddress = Type.String({
  pattern: '^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
  description:
    'The address of a pool, or its id of 32 bytes in Uniswap V4, whose pools have no address. In hexadecimal.',
  examples: ['0x5fbdb2315678afecb367f032d93f642f64180aa3'],
  'x-lowercase': true,
  'x-expects': 'must be a 0x-prefixed address of 20 bytes, or the id of a pool of 32 bytes, in hexadecimal',
})

export const TxHash = Type.String({
  pattern: '^0x[0-9a-fA-F]{64}$',
  description: 'A 32-byte transaction hash in hexadecimal.',
  examples: ['0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b'],
  'x-lowercase': true,
  'x-expects': 'must be a 0x-prefixed transaction hash of 32 bytes in hexadecimal',
})

export const Hex = Type.String({
  pattern: '^0x[0-9a-fA-F]*$',
  maxLength: 65_536,
  description: 'Bytes in 0x-prefixed hexadecimal.',
  'x-expects': 'must be 0x-prefixed hexadecimal',
})

/** An on-chain integer in base units. A string, because a JSON number is exact only up to 2^53. */
export const Amount = Type.String({
  pattern: '^[0-9]{1,78}$',
  description: 'An unsigned integer in base units, in decimal digits.',
  examples: ['1000000000000000000'],
  'x-expects': 'must be an unsigned integer in decimal digits',
})

/** A signed amount, such as a loss. */
export const SignedAmount = Type.String({
  pattern: '^-?[0-9]{1,78}$',
  description: 'A signed integer in base units, in decimal digits.',
  examples: ['-250000000000000000'],
})

/** A price at full precision: 4.19e-8 keeps all digits. */
export const Decimal = Type.String({
  pattern: '^[0-9]+(\\.[0-9]+)?$',
  description: 'A decimal number at full precision, never in exponent form.',
  examples: ['0.000000041900000001'],
})

/** The last second of the year 9999; later times have no ISO 8601 form. */
export const MAX_UNIX_TIME = 253_402_300_799

export const IsoTime = Type.String({
  format: 'date-time',
  description: 'UTC, ISO 8601 with milliseconds.',
  examples: ['2026-11-21T12:00:00.000Z'],
})

/** One line of text. PostgreSQL cannot store NUL, and other control characters have no use in a title. */
export const Line = (minLength: number, maxLength: number, description: string) =>
  Type.String({
    minLength,
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description,
    'x-expects': 'must not contain control characters',
  })

// C0 and C1 controls except tab and line breaks, and bidirectional overrides, embeddings and isolates, which can make a
// link or an amount read as another.
const FORBIDDEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069'

/** Schema keywords of user-written text. */
export const legible = {
  pattern: `^[^${FORBIDDEN}]*$`,
  'x-expects': 'must not contain control characters or bidirectional overrides',
}

/** Text of several lines. */
export const Text = (minLength: number, maxLength: number, description: string) =>
  Type.String({ minLength, maxLength, description, ...legible })

export const Nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

/** A string enum. A union of literals would be documented as many schemas. */
export const OneOf = <const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })

/** An object that rejects unknown properties, for request bodies. */
export const Closed = <T extends TProperties>(properties: T, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** A named component of the OpenAPI document; use it elsewhere by `ref`. */
export const component = <T extends TProperties>(name: string, properties: T, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { $id: name, ...options })

/** A reference to a component, with the component's own type. */
export const ref = <T extends TSchema>(schema: T) => {
  if (schema.$id === undefined) throw new TypeError('only a component can be referred to')
  return Type.Unsafe<Static<T>>(Type.Ref(schema.$id))
}

/** Not named Error, which would shadow the global in generated clients. */
export const ErrorEnvelope = component(
  'ErrorEnvelope',
  {
    success: Type.Literal(false),
    data: Type.Null(),
    error: Type.String({ description: 'Human-readable description of the error.' }),
  },
  { description: 'Body of every error response.' },
)

/** Body of every successful response. */
export const Envelope = <T extends TSchema>(data: T, description = 'Success.') =>
  Type.Object({ success: Type.Literal(true), data }, { description })

/** Wraps a payload in the envelope. */
export const ok = <T>(data: T) => ({ success: true as const, data })

/** `security` of operations that require a wallet, and of those that return more to an authenticated one. */
export const walletRequired = [{ bearer: [] as string[] }]
export const walletOptional = [{} as Record<string, string[]>, { bearer: [] as string[] }]

export const Limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: paging.maxLimit,
    default: paging.defaultLimit,
    description: 'Maximum number of items to return.',
  }),
)
export const Page = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: paging.maxDepth,
    default: 1,
    description: `Page number, from 1. page times limit is at most ${paging.maxDepth}; use cursor beyond that.`,
  }),
)
export const Cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 512,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'nextCursor of the previous response; the list continues after its last item. Overrides page.',
    'x-expects': 'is not a cursor of this list',
  }),
)

/** Query of a list with cursors only: limit, cursor and the properties in `extra`. */
export const CursorQuery = <T extends TProperties>(extra: T) =>
  Type.Object({ limit: Limit, cursor: Cursor, ...extra }) as TObject<{ limit: typeof Limit; cursor: typeof Cursor } & T>

/** Query of a list with pages and cursors. */
export const PageQuery = <T extends TProperties>(extra: T) =>
  Type.Object({ page: Page, limit: Limit, cursor: Cursor, ...extra }) as TObject<
    { page: typeof Page; limit: typeof Limit; cursor: typeof Cursor } & T
  >

const NextCursor = Nullable(
  Type.String({
    description: 'Pass it as cursor to get the next items. Null at the end of the list.',
    examples: ['WyJ0cmFkZXMiLDE5MDAwMTIzLDRd'],
  }),
)

/** Payload of a list with cursors only. */
export const CursorList = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), nextCursor: NextCursor })

/** Payload of a list with pages and cursors. */
export const PageList = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    page: Nullable(Type.Integer({ description: 'Null if the request had a cursor.', examples: [1] })),
    limit: Type.Integer({ examples: [20] }),
    total: Type.Integer({ description: 'Number of matching items, over all pages.', examples: [1204] }),
    nextCursor: NextCursor,
  })

export const AddressParams = Type.Object({ address: Address })
export const TxHashBody = Closed({ txHash: TxHash })

/** Position and confirmation of the event that a record is derived from. */
export const chainFields = {
  blockNumber: Type.Integer(),
  txHash: TxHash,
  logIndex: Type.Integer(),
  confirmed: Type.Boolean({ description: 'False until the block is final: see finality in /config.' }),
}
