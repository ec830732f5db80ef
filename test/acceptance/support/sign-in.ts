import type { Hex } from 'viem'
import type { Answer, Service } from './service.ts'

interface Signer {
  /** The identity, which for a smart account is not the signer's address. */
  wallet: Hex
  account: { signMessage(parameters: { message: string }): Promise<Hex> }
}

/** The three steps of a sign-in, as a client makes them. Returns the last one's answer. */
export async function login(
  service: Pick<Service, 'request'>,
  prefix: string,
  { wallet, account }: Signer,
): Promise<Answer> {
  const nonce = await service.request('POST', `${prefix}/auth/nonce`, { body: { wallet } })
  if (nonce.status !== 200) return nonce
  const { message } = nonce.body.data
  const signature = await account.signMessage({ message })
  return service.request('POST', `${prefix}/auth/login`, { body: { wallet, signature, message } })
}

/** Signs in and returns the token. */
export async function signIn(service: Pick<Service, 'request'>, prefix: string, signer: Signer): Promise<string> {
  const { status, body } = await login(service, prefix, signer)
  if (status !== 200) throw new Error(`Sign-in failed with ${status}: ${body.error}`)
  return body.data.token
}
