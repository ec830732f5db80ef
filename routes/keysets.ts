import { Type } from '@sinclair/typebox'

// What a cursor may carry. Its values go into a query, so they are held to what the database can read.

const digits = Type.String({ pattern: '^[0-9]{1,78}$' })
const address = Type.String({ pattern: '^0x[0-9a-f]{40}$' })

/** The address of the last item. */
export const AddressKeyset = Type.Tuple([address])

/** A position on the chain. */
export const PositionKeyset = Type.Tuple([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
])

const milliseconds = Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 })
const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** The id of what is numbered as it comes. */
export const IdKeyset = Type.Tuple([id])

/** A time, and the wallet or the UUID that came then. */
export const WalletTimeKeyset = Type.Tuple([milliseconds, address])
export const UuidTimeKeyset = Type.Tuple([milliseconds, Type.String({ pattern: '^[0-9a-f-]{36}$' })])

/** A position on the chain, and the time and id of a comment; both null where nothing of the kind was answered. */
export const FeedKeyset = Type.Tuple([
  Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]),
  Type.Union([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Type.Null()]),
  Type.Union([milliseconds, Type.Null()]),
  Type.Union([id, Type.Null()]),
])

/** An amount, and the wallet that has it. */
export const AmountKeyset = Type.Tuple([digits, address])

/** An amount, the wallet that has it, and its rank by it. */
const signedDigits = Type.String({ pattern: '^-?[0-9]{1,78}$' })
export const RankKeyset = Type.Tuple([signedDigits, address, Type.Integer({ minimum: 1, maximum: 1_000_000_000 })])

const number = Type.String({ pattern: '^-?(Infinity|[0-9]{1,78}(\\.[0-9]{1,40})?(e[+-][0-9]{1,3})?)$' })
const decimal = Type.String({ pattern: '^[0-9]{1,78}(\\.[0-9]{1,6})?$' })

/** The sort key of a token in each order, and the token; of the orders by position, a block and a log index. */
export const tokenKeysets = {
  trending: Type.Tuple([number, address]),
  newest: Type.Tuple([Type.String({ pattern: '^[0-9]{1,15}$' }), Type.String({ pattern: '^[0-9]{1,9}$' })]),
  mcap: Type.Tuple([decimal, address]),
  volume: Type.Tuple([decimal, address]),
  curve: Type.Tuple([decimal, address]),
  graduated: Type.Tuple([Type.String({ pattern: '^[0-9]{1,15}$' }), Type.String({ pattern: '^[0-9]{1,9}$' })]),
}
