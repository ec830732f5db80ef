import type { Client } from './client.ts'
import { SlipwayError } from './errors.ts'
import { issueNonce, login, logout, refreshToken } from './operations.ts'
import { getAddress, type Provider, signMessage, type Wallet } from './wallet.ts'

type Sign = (parameters: { message: string }) => Promise<string>

/**
 * Signs EIP-191 messages: a viem account, including smart accounts; a viem wallet client with an account; an EIP-1193 provider; or
 * any object of the same shape.
 */
export type Signer =
  | { readonly address: string; readonly signMessage: Sign }
  // viem's parameter type depends on the client's account type; it accepts { account, message }.
  | {
      readonly account?: { readonly address: string } | undefined
      // biome-ignore lint/suspicious/noExplicitAny: with `unknown`, TypeScript would reject functions with typed parameters
      readonly signMessage: (parameters: any) => Promise<string>
    }
  | Provider

export interface SignInOptions {
  /**
   * Also starts a session of this browser, which continueSession resumes after a reload and in other tabs. Only for pages on the
   * origin of the service.
   */
  remember?: boolean
}

/**
 * Signs in with Ethereum: requests a message, has the signer sign it, and exchanges the signature for a token. Stores the token
 * in the client and resolves to it.
 */
export async function signIn(
  client: Client,
  signer: Signer,
  { remember = false }: SignInOptions = {},
): Promise<string> {
  const { wallet, sign } = await readSigner(signer)
  const { message } = await issueNonce(client, { body: { wallet } })
  const signature = await sign(message)
  const { token } = await login(client, { body: { wallet, signature, message, ...(remember && { remember }) } })
  client.token = token
  return token
}

/**
 * Gets a token for the session that a sign-in with `remember` started in this browser, without a signature. Stores it in the
 * client and resolves to its wallet; undefined if there is no session, or it has ended.
 */
export async function continueSession(client: Client): Promise<string | undefined> {
  try {
    const { token } = await refreshToken(client)
    client.token = token
    return readToken(token)
  } catch (error) {
    if (error instanceof SlipwayError && error.status === 401) return undefined
    throw error
  }
}

async function readSigner(signer: Signer): Promise<{ wallet: string; sign: (message: string) => Promise<string> }> {
  // A method call: a wallet client signs with its own account.
  if ('address' in signer) return { wallet: signer.address, sign: (message) => signer.signMessage({ message }) }
  if ('signMessage' in signer) {
    const { account } = signer
    if (!account) throw new TypeError('The wallet client has no account')
    return { wallet: account.address, sign: (message) => signer.signMessage({ account, message }) }
  }
  return { wallet: await getAddress(signer), sign: (message) => signMessage(signer, message) }
}

/** Revokes the token and removes it from the client. An expired token is no error. */
export async function signOut(client: Client): Promise<void> {
  if (client.token === undefined) return
  try {
    await logout(client)
  } catch (error) {
    if (!(error instanceof SlipwayError) || error.status !== 401) throw error
  }
  client.token = undefined
}

/** The wallet of a token that has not expired; undefined for any other text. It does not verify the token. */
export function readToken(token: string | undefined): string | undefined {
  const { sub } = readClaims(token)
  const isValid = (readExpiry(token) ?? Number.POSITIVE_INFINITY) > Date.now()
  return typeof sub === 'string' && isValid ? sub.toLowerCase() : undefined
}

/** When a token expires, in milliseconds since 1970; undefined if it names no time. */
export function readExpiry(token: string | undefined): number | undefined {
  const { exp } = readClaims(token)
  return typeof exp === 'number' ? exp * 1_000 : undefined
}

function readClaims(token: string | undefined): Record<string, unknown> {
  const [, payload] = token?.split('.') ?? []
  try {
    const claims: unknown = JSON.parse(atob((payload ?? '').replaceAll('-', '+').replaceAll('_', '/')))
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Signs in as the wallet, unless the client has a token of it that has not expired. */
export async function ensureSignedIn(client: Client, wallet: Wallet, options?: SignInOptions): Promise<void> {
  const address = await getAddress(wallet)
  if (readToken(client.token) === address.toLowerCase()) return
  await signIn(client, wallet as Signer, options)
}
