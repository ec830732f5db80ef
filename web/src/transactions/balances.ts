import { useQuery } from '@tanstack/react-query'
import { type Address, erc20Abi } from 'viem'
import { useConfig } from 'wagmi'
import { getBalance, getGasPrice, readContract } from 'wagmi/actions'
import { useSession } from '../wallet/session.tsx'

/** Balance of the connected wallet in base units: of a token, or of the native coin without one. */
export function useWalletBalance(token: string | null) {
  const wagmi = useConfig()
  const { wallet } = useSession()
  return useQuery({
    queryKey: ['balance', wallet, token],
    enabled: wallet !== null,
    refetchInterval: 15_000,
    queryFn: async () => {
      const owner = wallet as Address
      if (token === null) return (await getBalance(wagmi, { address: owner })).value
      return readContract(wagmi, {
        address: token as Address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
      })
    },
  })
}

/** Wallets demand a balance for twice the current price, which may rise until the transaction is mined. */
const PRICE_MARGIN = 2n

/** What the connected wallet can pay in base units, beside the fee of the transaction; undefined while it is unknown. */
export function useSpendable(token: string | null, gas: bigint): bigint | undefined {
  const wagmi = useConfig()
  const { wallet } = useSession()
  const { data: balance } = useWalletBalance(token)
  const { data: price } = useQuery({
    queryKey: ['gas price'],
    enabled: wallet !== null && token === null,
    staleTime: 60_000,
    queryFn: () => getGasPrice(wagmi),
  })
  if (balance === undefined || token !== null) return balance
  const fee = gas * PRICE_MARGIN * (price ?? 0n)
  return balance > fee ? balance - fee : 0n
}
