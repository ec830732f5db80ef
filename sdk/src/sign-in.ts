import type { Client } from './client.ts'
import type { SlipwayError } from './errors.ts'
import { issueNonce, login, logout, refreshToken } from './operations.ts'
import { readTime } from './service-time.ts'
import { readToken } from './token-claims.ts'
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

const isRejected = (error: unknown) => (error as Partial<SlipwayError>).status === 401

export interface ContinueOptions {
  /** Continues a session of this wallet only. The browser has one session, which another tab may have started for another wallet. */
  wallet?: string
}

/**
 * Gets a token for the session that a sign-in with `remember` started in this browser, without a signature. Stores it in the
 * client and resolves to its wallet; undefined if there is no session, it has ended, it is of another
 * wallet, or the client got another token meanwhile.
 */
export async function continueSession(client: Client, { wallet }: ContinueOptions = {}): Promise<string | undefined> {
  const former = client.token
  try {
    const { token } = await refreshToken(client)
    const owner = readToken(token, readTime(client))
    if (client.token !== former || (wallet && owner !== wallet.toLowerCase())) return
    client.token = token
    return owner
  } catch (error) {
    if (!isRejected(error)) throw error
    return undefined
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

/** Revokes the token and removes it from the client, unless another one replaced it meanwhile. An expired token is no error. */
export async function signOut(client: Client): Promise<void> {
  const { token } = client
  if (token === undefined) return
  try {
    await logout(client)
  } catch (error) {
    if (!isRejected(error)) throw error
  }
  if (client.token === token) client.token = undefined
}

/** Signs in as the wallet, unless the client has a token of it that has not expired. */
export async function ensureSignedIn(client: Client, wallet: Wallet, options?: SignInOptions): Promise<void> {
  const address = await getAddress(wallet)
  if (readToken(client.token, readTime(client)) === address.toLowerCase()) return
  await signIn(client, wallet as Signer, options)
}
