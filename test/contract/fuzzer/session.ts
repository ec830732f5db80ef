import { type Hex, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Request, send } from './client.ts'

/** A wallet that is signed in. */
export interface Session {
  wallet: string
  headers: Record<string, string>
}

/** A private key that is the same for the same seed. Holds nothing, anywhere. */
export const keyOf = (seed: number, name: string): Hex => keccak256(toHex(`contract fuzzer ${name} ${seed}`))

/** Signs in as any client does, by the two operations that the document has for it. */
export async function signIn(base: string, key: Hex): Promise<Session> {
  const account = privateKeyToAccount(key)
  const wallet = account.address.toLowerCase()
  const { message } = await post(`${base}/auth/nonce`, { wallet })
  const signature = await account.signMessage({ message: String(message) })
  const { token } = await post(`${base}/auth/login`, { wallet, message, signature })
  return { wallet, headers: { authorization: `Bearer ${token}` } }
}

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const request: Request = {
    ...{ method: 'POST', url, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  }
  const { status, json, text } = await send(request)
  if (status !== 200) throw new Error(`POST ${url} answered ${status}: ${text}`)
  return (json as { data: Record<string, unknown> }).data
}
