import type { Client } from './client.ts'
import { SlipwayError } from './errors.ts'
import { issueNonce, login, logout } from './operations.ts'

type Sign = (parameters: { message: string }) => Promise<string>

/**
 * Signs EIP-191 messages: a viem account, including smart accounts; a viem wallet client with an account; or any object of the
 * same shape.
 */
export type Signer =
  | { readonly address: string; readonly signMessage: Sign }
  // viem's parameter type depends on the client's account type; it accepts { account, message }.
  | {
      readonly account?: { readonly address: string } | undefined
      // biome-ignore lint/suspicious/noExplicitAny: with `unknown`, TypeScript would reject functions with typed parameters
      readonly signMessage: (parameters: any) => Promise<string>
    }

/**
 * Signs in with Ethereum: requests a message, has the signer sign it, and exchanges the signature for a token. Stores the token
 * in the client and resolves to it.
 */
export async function signIn(client: Client, signer: Signer): Promise<string> {
  const account = 'address' in signer ? signer : signer.account
  if (!account) throw new TypeError('The wallet client has no account')
  const wallet = account.address
  const { message } = await issueNonce(client, { body: { wallet } })
  // Called as a method: a wallet client signs with its own account.
  const signature = await ('address' in signer
    ? signer.signMessage({ message })
    : signer.signMessage({ account, message }))
  const { token } = await login(client, { body: { wallet, signature, message } })
  client.token = token
  return token
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
