import { createWalletClient, type Hex, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import type { Action } from './chain-fixture.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Signs as a wallet of the node, so that the same transaction can be mined on two branches. */
export function createSigner(url: string, addressIndex: number) {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex })
  const client = createWalletClient({ account, chain: foundry, transport: http(url) })
  return async ({ to, data, value }: Pick<Action, 'to' | 'data' | 'value'>): Promise<Hex> => {
    const request = await client.prepareTransactionRequest({ to, data, value, gas: 8_000_000n } as never)
    return client.signTransaction(request as never)
  }
}
