import { mnemonicToAccount } from 'viem/accounts'

/** Mnemonic of the embedded chain's accounts, the default of anvil. It is public: anyone can sign with them. */
export const DEMO_MNEMONIC = 'test test test test test test test test test test test junk'
/** The embedded chain, where the public accounts are meant to be used. */
export const DEMO_CHAIN = 31337
/** Number of the embedded chain's accounts. */
export const DEMO_ACCOUNTS = 20

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
