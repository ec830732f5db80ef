import { Type } from '@sinclair/typebox'
import { Address, Closed, component, Hex, IsoTime } from './common.ts'

/** Longest message that a login may carry; an issued one is a quarter of it. */
const MAX_MESSAGE = 2048

export const NonceRequest = Closed({ wallet: Address })

export const NonceRecord = component('Nonce', {
  nonce: Type.String({ description: 'Single use, for five minutes.', examples: ['mdPDw5LqVYUzJ2hB9'] }),
  message: Type.String({ description: 'The EIP-4361 message: the exact text the wallet must sign.' }),
})

export const LoginRequest = Closed({
  wallet: Address,
  signature: Type.String({
    ...Hex,
    description: 'EIP-191 signature of the message. Smart accounts: EIP-1271 or EIP-6492.',
  }),
  message: Type.String({
    minLength: 1,
    maxLength: MAX_MESSAGE,
    pattern: '^[^\\u0000]*$',
    description: 'Exactly as issued.',
    'x-expects': 'must not contain NUL',
  }),
})

export const LoginResult = component('Login', {
  token: Type.String({ description: 'A JWT, for `Authorization: Bearer <token>`. Valid for a day.' }),
})

export const Identity = component('Identity', {
  wallet: Address,
  isAdmin: Type.Boolean({ description: 'On the operators’ list.' }),
  isLabs: Type.Boolean({ description: 'On the labs list.' }),
  issuedAt: IsoTime,
  expiresAt: IsoTime,
})

export const LogoutResult = component('Logout', { revoked: Type.Literal(true) })

export const components = [NonceRecord, LoginResult, Identity, LogoutResult]
