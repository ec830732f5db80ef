import type { UnsignedTransaction } from './transactions/unsigned-transaction.ts'
import { type Address, type Hash, isAddress } from './values.ts'

/** A browser wallet: `window.ethereum`, or a provider announced by EIP-6963. */
export interface Provider {
  // biome-ignore lint/suspicious/noExplicitAny: parameters and results differ by method, and libraries type them differently
  request(call: { method: string; params?: any }): Promise<any>
}

/** A viem wallet client with an account, or any object of the same shape. */
export interface WalletClient {
  readonly account?: { readonly address: string } | undefined
  readonly chain?: unknown
  // viem's parameter types depend on the client's account and chain types.
  // biome-ignore lint/suspicious/noExplicitAny: with `unknown`, TypeScript would reject functions with typed parameters
  readonly sendTransaction: (parameters: any) => Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly signMessage?: (parameters: any) => Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly request?: (call: any, ...rest: any[]) => Promise<any>
}

/** Signs and sends transactions. */
export type Wallet = WalletClient | Provider

const isClient = (wallet: Wallet): wallet is WalletClient => 'sendTransaction' in wallet

/** The wallet's address. A provider is asked to connect if it has not. Throws if the wallet has no account. */
export async function getAddress(wallet: Wallet): Promise<Address> {
  const address: unknown = isClient(wallet)
    ? wallet.account?.address
    : ((await wallet.request({ method: 'eth_requestAccounts' })) as unknown[])[0]
  if (!isAddress(address)) throw new TypeError('The wallet has no account')
  return address
}

export interface SendTransactionOptions {
  /** Gas limit; estimated by the wallet by default. */
  gas?: bigint
}

/** Has the wallet sign and send a transaction. Resolves to its hash, before it is mined. */
export async function sendTransaction(
  wallet: Wallet,
  { to, data, value }: UnsignedTransaction,
  { gas }: SendTransactionOptions = {},
): Promise<Hash> {
  if (isClient(wallet)) {
    const { account, chain = null } = wallet
    if (!account) throw new TypeError('The wallet has no account')
    return (await wallet.sendTransaction({ account, chain, to, data, value, ...(gas && { gas }) })) as Hash
  }
  const from = await getAddress(wallet)
  const call = { from, to, data, value: toHex(value), ...(gas && { gas: toHex(gas) }) }
  return (await wallet.request({ method: 'eth_sendTransaction', params: [call] })) as Hash
}

/** Has the wallet sign a message by EIP-191. */
export async function signMessage(wallet: Wallet, message: string): Promise<string> {
  if (isClient(wallet)) {
    if (!wallet.signMessage) throw new TypeError('The wallet cannot sign messages')
    return wallet.signMessage({ account: wallet.account, message })
  }
  const bytes = new TextEncoder().encode(message)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return wallet.request({ method: 'personal_sign', params: [`0x${hex}`, await getAddress(wallet)] })
}

/** A chain as /config describes it. */
export interface ChainDescription {
  readonly chainId: number
  readonly chainName?: string
  readonly nativeCurrency?: { readonly name: string; readonly symbol: string; readonly decimals: number }
  readonly explorerUrl?: string | null
}

/** Error code of EIP-3326 for a chain that the wallet does not know. */
const UNKNOWN_CHAIN = 4902

/**
 * Switches the wallet to the service's chain, and adds the chain first if the wallet does not know it. Does nothing for an
 * object that has no `request`.
 */
export async function switchChain(wallet: Wallet, chain: ChainDescription, rpcUrl: string): Promise<void> {
  if (!wallet.request) return
  // Called as a method: providers may use `this`.
  const request = (method: string, ...params: unknown[]): Promise<unknown> =>
    (wallet as Provider).request({ method, params })
  if (Number(await request('eth_chainId')) === chain.chainId) return
  const chainId = toHex(BigInt(chain.chainId))
  try {
    await request('wallet_switchEthereumChain', { chainId })
  } catch (error) {
    const { nativeCurrency, explorerUrl } = chain
    if ((error as { code?: unknown }).code !== UNKNOWN_CHAIN || !nativeCurrency) throw error
    const { name, symbol, decimals } = nativeCurrency
    await request('wallet_addEthereumChain', {
      chainId,
      chainName: chain.chainName ?? `Chain ${chain.chainId}`,
      nativeCurrency: { name, symbol, decimals },
      rpcUrls: [rpcUrl],
      ...(explorerUrl && { blockExplorerUrls: [explorerUrl] }),
    })
    await request('wallet_switchEthereumChain', { chainId })
  }
}

const toHex = (number: bigint): string => `0x${number.toString(16)}`
