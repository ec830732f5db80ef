import { Type } from '@sinclair/typebox'

// Schemas of cursor values. The values are query parameters, so they must be within the range of the columns.

const digits = Type.String({ pattern: '^[0-9]{1,78}$' })
const address = Type.String({ pattern: '^0x[0-9a-f]{40}$' })
/** The number of a token's launch. */
const launchId = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

export const TokenKeyset = Type.Tuple([launchId])

/** Block number and log index. */
export const PositionKeyset = Type.Tuple([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
])

const milliseconds = Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 })
const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** A serial id. */
export const IdKeyset = Type.Tuple([id])

/** A time in milliseconds and a tiebreaker: address or UUID. */
export const AddressTimeKeyset = Type.Tuple([milliseconds, address])
/** A time in milliseconds, and the number of a token. */
export const TokenTimeKeyset = Type.Tuple([milliseconds, launchId])
export const UuidTimeKeyset = Type.Tuple([milliseconds, Type.String({ pattern: '^[0-9a-f-]{36}$' })])

/**
 * Block and log index of the last on-chain item, and time and id of the last comment; each pair is null before its first
 * item.
 */
export const FeedKeyset = Type.Tuple([
  Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]),
  Type.Union([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Type.Null()]),
  Type.Union([milliseconds, Type.Null()]),
  Type.Union([id, Type.Null()]),
])

/** An amount and a wallet. */
export const AmountKeyset = Type.Tuple([digits, address])

const signedDigits = Type.String({ pattern: '^-?[0-9]{1,78}$' })
/** An amount that may be negative, and a wallet. */
export const SignedAmountKeyset = Type.Tuple([signedDigits, address])

/** An amount, a wallet and its rank. */
export const RankKeyset = Type.Tuple([signedDigits, address, Type.Integer({ minimum: 1, maximum: 1_000_000_000 })])

const number = Type.String({ pattern: '^-?(Infinity|[0-9]{1,78}(\\.[0-9]{1,40})?(e[+-][0-9]{1,3})?)$' })
const decimal = Type.String({ pattern: '^[0-9]{1,78}(\\.[0-9]{1,6})?$' })

const tokenId = Type.String({ pattern: '^[0-9]{1,10}$' })

/** Sort key of the token list and number of the token, by order; newest and graduated use block number and log index. */
export const tokenKeysets = {
  trending: Type.Tuple([number, tokenId]),
  newest: Type.Tuple([Type.String({ pattern: '^[0-9]{1,15}$' }), Type.String({ pattern: '^[0-9]{1,9}$' })]),
  mcap: Type.Tuple([decimal, tokenId]),
  volume: Type.Tuple([decimal, tokenId]),
  curve: Type.Tuple([decimal, tokenId]),
  graduated: Type.Tuple([Type.String({ pattern: '^[0-9]{1,15}$' }), Type.String({ pattern: '^[0-9]{1,9}$' })]),
}

/** The place of a token in an order of figures in memory, whose keys are floats. */
export const ScreenedKeyset = Type.Tuple([number, tokenId])
