import { mnemonicToAccount } from 'viem/accounts'

/** Mnemonic of the embedded chain's accounts, the default of anvil. It is public: anyone can sign with them. */
export const DEMO_MNEMONIC = 'test test test test test test test test test test test junk'
/** The embedded chain, where the public accounts are meant to be used. */
export const DEMO_CHAIN = 31337
/** Number of the embedded chain's accounts. */
export const DEMO_ACCOUNTS = 20

/** What is wrong with the key of an account that holds coins on this chain; null if it is private. */
export function findKeyProblem(address: string, chainId: number): { problem: string; remedy: string } | null {
  if (chainId === DEMO_CHAIN || !isDemoAccount(address)) return null
  return {
    problem: 'it is a public key of the demonstration, and anyone can take the coins of its account',
    remedy: 'Use a key that only you have',
  }
}

let addresses: Set<string> | undefined

/** Whether an address is an account of the demonstration. */
export function isDemoAccount(address: string): boolean {
  addresses ??= new Set(
    Array.from({ length: DEMO_ACCOUNTS }, (_, addressIndex) =>
      mnemonicToAccount(DEMO_MNEMONIC, { addressIndex }).address.toLowerCase(),
    ),
  )
  return addresses.has(address.toLowerCase())
}
