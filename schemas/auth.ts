import { Type } from '@sinclair/typebox'
import { Address, Closed, component, Hex, IsoTime } from './common.ts'

/** Maximum length of the message of a login; issued messages have about a quarter of it. */
const MAX_MESSAGE = 2048

/** A valid sign-in of a well-known development account, long expired. */
const example = {
  nonce: '3f1d5c9a0b7e48d2a6c4f8e1d2b3a495',
  wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  message: [
    'localhost:3000 wants you to sign in with your Ethereum account:',
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    '',
    'Sign in with this wallet. It costs nothing and moves no funds.',
    '',
    'URI: http://localhost:3000',
    'Version: 1',
    'Chain ID: 31337',
    'Nonce: 3f1d5c9a0b7e48d2a6c4f8e1d2b3a495',
    'Issued At: 2026-11-21T12:00:00.000Z',
    'Expiration Time: 2026-11-21T12:05:00.000Z',
  ].join('\n'),
  signature:
    '0x6f9b36e03e9ae2a370250d06e7f5fbd10bbf1b1a9a4ca212f94765e7b7f80f3047315fbe4b99668d76a7dfe5ad011e91e08143450a7b591055b0fda4051505521c',
  token:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImV4YW1wbGUifQ.eyJzdWIiOiIweDcwOTk3OTcwYzUxODEyZGMzYTAxMGM3ZDAxYjUwZTBkMTdkYzc5YzgiLCJqdGkiOiIyODAwZWQ3Ny04OWVkLTQwZWYtYWMzZS1kMzBiNjQzYTFjNjAiLCJhdWQiOiJodHRwOi8vbG9jYWxob3N0OjMwMDAiLCJpc3MiOiJodHRwOi8vbG9jYWxob3N0OjMwMDAiLCJpYXQiOjE3OTUyNjI0MDAsImV4cCI6MTc5NTM0ODgwMH0.VIq0F77bxLZCqwyFPEbCpp789N-bwW8ANNhj4B0QggA',
}

export const NonceRequest = Closed({ wallet: Address })

export const NonceRecord = component(
  'Nonce',
  {
    nonce: Type.String({ description: 'Valid once, for five minutes.', examples: [example.nonce] }),
    message: Type.String({
      description: 'The EIP-4361 message. The wallet must sign this exact text.',
      examples: [example.message],
    }),
  },
  { description: 'A sign-in message to be signed by the wallet.' },
)

export const LoginRequest = Closed({
  wallet: Type.String({ ...Address, examples: [example.wallet] }),
  signature: Type.String({
    ...Hex,
    description:
      'EIP-191 signature of the message by a key, in 65 bytes or 64 (EIP-2098). Smart accounts sign by EIP-1271, EIP-6492 or ERC-8010; a contract that approved the message signs with `0x`.',
    examples: [example.signature],
  }),
  message: Type.String({
    minLength: 1,
    maxLength: MAX_MESSAGE,
    pattern: '^[^\\u0000]*$',
    description: 'The message exactly as issued.',
    examples: [example.message],
    'x-expects': 'must not contain NUL',
  }),
  remember: Type.Optional(
    Type.Boolean({
      description:
        'Also sets an HttpOnly cookie, with which a page on the origin of the service gets its next tokens from `POST /auth/refresh`, for a week.',
      examples: [false],
    }),
  ),
})

export const LoginResult = component(
  'Login',
  {
    token: Type.String({
      description: 'A JWT for the header `Authorization: Bearer <token>`. Valid for one day.',
      examples: [example.token],
    }),
  },
  { description: 'The token of a wallet that has signed in.' },
)

export const Identity = component(
  'Identity',
  {
    wallet: Address,
    isAdmin: Type.Boolean({ description: 'Whether the wallet is on the operators’ list.' }),
    isLabs: Type.Boolean({ description: 'Whether the wallet is on the labs list.' }),
    issuedAt: IsoTime,
    expiresAt: IsoTime,
  },
  { description: 'The wallet of a token, and the token’s lifetime.' },
)

export const LogoutResult = component(
  'Logout',
  { revoked: Type.Literal(true) },
  { description: 'Confirms that the token is revoked.' },
)

export const components = [NonceRecord, LoginResult, Identity, LogoutResult]
