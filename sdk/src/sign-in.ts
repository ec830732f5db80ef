import type { Client } from './client.ts'
import { SlipwayError } from './errors.ts'
import { issueNonce, login, logout } from './operations.ts'

type Sign = (parameters: { message: string }) => Promise<string>

/**
 * Who can sign a text (EIP-191): an account of viem, a smart account too; a wallet client of viem that has its account; or
 * any object of that shape.
 */
export type Signer =
  | { readonly address: string; readonly signMessage: Sign }
  // viem's own type of the parameters hangs on the client's account; it takes these.
  | {
      readonly account?: { readonly address: string } | undefined
      // biome-ignore lint/suspicious/noExplicitAny: a function of unknown parameters takes none in TypeScript
      readonly signMessage: (parameters: any) => Promise<string>
    }

/**
 * Signs in with Ethereum: asks for a message, has it signed, and trades the signature for a token, which the client sends
 * from then on. Resolves to the token.
 */
export async function signIn(client: Client, signer: Signer): Promise<string> {
  const account = 'address' in signer ? signer : signer.account
  if (!account) throw new TypeError('The wallet client has no account')
  const wallet = account.address
  const { message } = await issueNonce(client, { body: { wallet } })
  // Called on the signer: a wallet client signs with the account it was given.
  const signature = await ('address' in signer
    ? signer.signMessage({ message })
    : signer.signMessage({ account, message }))
  const { token } = await login(client, { body: { wallet, signature, message } })
  client.token = token
  return token
}

/** Revokes the token and forgets it. One that has ended already is no error. */
export async function signOut(client: Client): Promise<void> {
  if (client.token === undefined) return
  try {
    await logout(client)
  } catch (error) {
    if (!(error instanceof SlipwayError) || error.status !== 401) throw error
  }
  client.token = undefined
}
