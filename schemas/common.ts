import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** Bounds of every list. Deeper than `maxDepth` rows an offset costs more than it tells: clients go on by cursor. */
export const paging = { defaultLimit: 20, maxLimit: 100, maxDepth: 10_000 } as const

// `x-expects` says in words what a pattern wants, for the sentence of a 400; `x-lowercase` folds letter case while
// validating, so that handlers and queries only ever meet one spelling. Both are dropped from the published document.

export const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.',
  examples: ['0x5fbdb2315678afecb367f032d93f642f64180aa3'],
  'x-lowercase': true,
  'x-expects': 'must be a 0x-prefixed address of 20 bytes in hexadecimal',
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

/** An on-chain integer in base units. A string, because a JSON number loses digits past 2^53. */
export const Amount = Type.String({
  pattern: '^[0-9]{1,78}$',
  description: 'An unsigned integer in base units, in decimal digits.',
  examples: ['1000000000000000000'],
  'x-expects': 'must be an unsigned integer in decimal digits',
})

/** An amount that may be below zero, such as a loss. */
export const SignedAmount = Type.String({
  pattern: '^-?[0-9]{1,78}$',
  description: 'A signed integer in base units, in decimal digits.',
  examples: ['-250000000000000000'],
})

/** A price at full precision: 4.19e-8 keeps all its digits. */
export const Decimal = Type.String({
  pattern: '^[0-9]+(\\.[0-9]+)?$',
  description: 'A decimal number at full precision, never in exponent form.',
  examples: ['0.000000041900000001'],
})

export const IsoTime = Type.String({
  format: 'date-time',
  description: 'UTC, ISO 8601 with milliseconds.',
  examples: ['2026-11-21T12:00:00.000Z'],
})

/** One line of text. Control characters are refused: PostgreSQL cannot hold NUL, and no title needs the others. */
export const Line = (minLength: number, maxLength: number, description: string) =>
  Type.String({
    minLength,
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description,
    'x-expects': 'must not contain control characters',
  })

// C0 and C1 controls but tab and line breaks, and what turns the direction of the text that follows it (overrides,
// embeddings and isolates): with those, a link or an amount can be made to read as another.
const FORBIDDEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069'

/** What text must be that people wrote for others to read. */
export const legible = {
  pattern: `^[^${FORBIDDEN}]*$`,
  'x-expects': 'must not contain control characters or bidirectional overrides',
}

/** Text of several lines. */
export const Text = (minLength: number, maxLength: number, description: string) =>
  Type.String({ minLength, maxLength, description, ...legible })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A string of a fixed set, written as one `enum` (a union of literals would be documented as many). */
export const OneOf = <const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })

/** A closed object: what it does not name is refused. For request bodies. */
export const Closed = <T extends TProperties>(properties: T, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** A named component: documented once under its name, referred to everywhere else. */
export const component = <T extends TProperties>(name: string, properties: T, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { $id: name, ...options })

/** A reference to a component, with the component's own type. */
export const ref = <T extends TSchema>(schema: T) => {
  if (schema.$id === undefined) throw new TypeError('only a component can be referred to')
  return Type.Unsafe<Static<T>>(Type.Ref(schema.$id))
}

export const ErrorEnvelope = component(
  'Error',
  {
    success: Type.Literal(false),
    data: Type.Null(),
    error: Type.String({ description: 'What went wrong, for a person to read.' }),
  },
  { description: 'The answer of every failure.' },
)

/** The answer of every success. */
export const Envelope = <T extends TSchema>(data: T, description = 'Success.') =>
  Type.Object({ success: Type.Literal(true), data }, { description })

/** Puts a payload into the envelope. */
export const ok = <T>(data: T) => ({ success: true as const, data })

/** `security` of an operation that needs a wallet, and of one that answers more when it knows the wallet. */
export const walletRequired = [{ bearer: [] as string[] }]
export const walletOptional = [{} as Record<string, string[]>, { bearer: [] as string[] }]

export const Limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: paging.maxLimit,
    default: paging.defaultLimit,
    description: 'How many items to answer.',
  }),
)
export const Page = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: paging.maxDepth,
    default: 1,
    description: `The page, from 1. page times limit is at most ${paging.maxDepth}; go on by cursor.`,
  }),
)
export const Cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 512,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'nextCursor of the previous answer: goes on after its last item. Replaces page.',
    'x-expects': 'is not a cursor of this list',
  }),
)

/** Query of a list without pages: limit and cursor, and what the list adds. */
export const CursorQuery = <T extends TProperties>(extra: T) =>
  Type.Object({ limit: Limit, cursor: Cursor, ...extra }) as TObject<{ limit: typeof Limit; cursor: typeof Cursor } & T>

/** Query of a list with pages as well. */
export const PageQuery = <T extends TProperties>(extra: T) =>
  Type.Object({ page: Page, limit: Limit, cursor: Cursor, ...extra }) as TObject<
    { page: typeof Page; limit: typeof Limit; cursor: typeof Cursor } & T
  >

const NextCursor = Nullable(
  Type.String({
    description: 'Pass it as cursor for what follows; null at the end.',
    examples: ['WyJ0cmFkZXMiLDE5MDAwMTIzLDRd'],
  }),
)

/** Payload of a list that goes on by cursor. */
export const CursorList = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), nextCursor: NextCursor })

/** Payload of a list with pages: past the first page by cursor, `page` is null. */
export const PageList = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    page: Nullable(Type.Integer({ description: 'Null when a cursor was given.', examples: [1] })),
    limit: Type.Integer({ examples: [20] }),
    total: Type.Integer({ description: 'How many items match, over all pages.', examples: [1204] }),
    nextCursor: NextCursor,
  })

export const AddressParams = Type.Object({ address: Address })
export const TxHashBody = Closed({ txHash: TxHash })

/** Where and when the chain said it; a part of every record derived from an event. */
export const chainFields = {
  blockNumber: Type.Integer(),
  txHash: TxHash,
  logIndex: Type.Integer(),
  confirmed: Type.Boolean({ description: 'False until the block lies deeper than the finality depth.' }),
}
