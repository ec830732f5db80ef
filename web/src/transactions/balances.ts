import { useQuery } from '@tanstack/react-query'
import { type Address, erc20Abi } from 'viem'
import { useConfig } from 'wagmi'
import { getBalance, readContract } from 'wagmi/actions'
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
