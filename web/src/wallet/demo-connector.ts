import { type Address, type EIP1193RequestFn, type Hex, http, numberToHex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { createConnector } from 'wagmi'
import type { Config } from '../data/config.tsx'
import { storage } from '../lib/storage.ts'

export const DEMO_CONNECTOR = 'demo'
const STORED = 'slipway.demo-account'

type Demo = NonNullable<Config['demo']>
interface Call {
  to: Address
  data?: Hex
  value?: Hex
  gas?: Hex
}
type Properties = { choose(index: number): void }

/**
 * A wallet of the embedded chain: signs in the page with an account of a public mnemonic, and sends through the node of the
 * service. Its keys are known to everyone, so it is offered only where the service names demo accounts.
 */
export function demoConnector({ mnemonic, accounts }: Demo, rpcUrl: string) {
  let index = readStored()
  let loaded: { index: number; account: LocalAccount } | undefined

  const loadAccount = async (): Promise<LocalAccount> => {
    if (index === null) throw new Error('No demo account is chosen')
    if (loaded?.index === index) return loaded.account
    // The word list is large, and only demos need it.
    const { mnemonicToAccount } = await import('viem/accounts')
    loaded = { index, account: mnemonicToAccount(mnemonic, { addressIndex: index }) }
    return loaded.account
  }
  const addresses = () => accounts.filter((one) => one.index === index).map(({ address }) => address as Address)

  return createConnector<{ request: EIP1193RequestFn }, Properties>((config) => {
    const chain = config.chains[0]
    const transport = http(rpcUrl)
    const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
      const given = (params ?? []) as unknown[]
      if (method === 'eth_chainId') return numberToHex(chain.id)
      if (method === 'eth_accounts' || method === 'eth_requestAccounts') return addresses()
      if (method === 'personal_sign') {
        const account = await loadAccount()
        return account.signMessage({ message: { raw: given[0] as Hex } })
      }
      if (method === 'eth_sendTransaction') return send(await loadAccount(), given[0] as Call)
      return node(method, given)
    }
    const node = (method: string, params: unknown[]) =>
      transport({ chain, retryCount: 1 }).request({ method, params } as never) as Promise<Hex>
    const send = async (account: LocalAccount, { to, data, value = '0x0', gas }: Call): Promise<Hex> => {
      const call = { from: account.address, to, value, ...(data && { data }) }
      const read = async (method: string, ...params: unknown[]) => BigInt(await node(method, params))
      for (let attempt = 1; ; attempt++)
        try {
          const [limit, price, tip, nonce] = await Promise.all([
            gas ? BigInt(gas) : read('eth_estimateGas', call),
            read('eth_gasPrice'),
            read('eth_maxPriorityFeePerGas'),
            read('eth_getTransactionCount', account.address, 'pending'),
          ])
          const fees = { gas: limit, maxFeePerGas: 2n * price + tip, maxPriorityFeePerGas: tip }
          const sent = { ...fees, to, value: BigInt(value), nonce: Number(nonce), ...(data && { data }) }
          const signed = await account.signTransaction({ type: 'eip1559', chainId: chain.id, ...sent })
          return await node('eth_sendRawTransaction', [signed])
        } catch (error) {
          // The simulated market uses the same accounts, so a nonce may be taken between its read and its use.
          if (attempt === 4 || !/nonce|underpriced/i.test(String(error))) throw error
        }
    }
    return {
      id: DEMO_CONNECTOR,
      name: 'Demo wallet',
      type: DEMO_CONNECTOR,
      choose: (next) => {
        index = next
        store(next)
      },
      connect: async () => ({ accounts: addresses(), chainId: chain.id }) as never,
      disconnect: async () => {
        index = null
        store(null)
      },
      getAccounts: async () => addresses(),
      getChainId: async () => chain.id,
      isAuthorized: async () => addresses().length > 0,
      getProvider: async () => ({ request: request as EIP1193RequestFn }),
      onAccountsChanged: () => {},
      onChainChanged: () => {},
      onDisconnect: () => config.emitter.emit('disconnect'),
    }
  })
}

function readStored(): number | null {
  const stored = storage.getItem(STORED)
  return stored !== null && /^\d{1,3}$/.test(stored) ? Number(stored) : null
}

function store(index: number | null): void {
  if (index === null) storage.removeItem(STORED)
  else storage.setItem(STORED, String(index))
}
