import { GRADUATION_GAS } from '@slipway/sdk'
import { readBalances, readGasPrice } from '@slipway/sdk/helpers'
import { useQuery } from '@tanstack/react-query'
import { api } from '../lib/api.ts'
import { useSession } from '../wallet/session.tsx'

/** Balance of the connected wallet in base units: of a token, or of the native coin without one. */
export function useWalletBalance(token: string | null) {
  const { wallet } = useSession()
  return useQuery({
    queryKey: ['balance', wallet, token],
    enabled: wallet !== null,
    refetchInterval: 15_000,
    queryFn: async ({ signal }) => {
      const { native, tokens } = await readBalances(api, wallet as string, token ? [token] : [], { signal })
      return token === null ? native : Object.values(tokens)[0]
    },
  })
}

/** Wallets demand a balance for twice the current price, which may rise until the transaction is mined. */
const PRICE_MARGIN = 2n

function useGasPrice(isWanted: boolean): bigint | undefined {
  const { wallet } = useSession()
  return useQuery({
    queryKey: ['gas price'],
    enabled: wallet !== null && isWanted,
    staleTime: 60_000,
    queryFn: ({ signal }) => readGasPrice(api, { signal }),
  }).data
}

/**
 * All that a buy can pay in coins beside its fee; undefined while the balance or the fee is unknown. What a buy needs to complete the
 * curve is left, too, where that is at most a hundredth of it.
 */
export function useMaximum(gas: bigint): bigint | undefined {
  const price = useGasPrice(true)
  const spendable = useSpendable(null, gas)
  const completing = useSpendable(null, gas + GRADUATION_GAS)
  if (price === undefined || spendable === undefined || completing === undefined) return undefined
  return completing * 100n >= spendable * 99n ? completing : spendable
}

/**
 * What the connected wallet can pay in base units, beside the fee of the transaction; undefined while its balance is unknown. An
 * unknown fee counts as none.
 */
export function useSpendable(token: string | null, gas: bigint): bigint | undefined {
  const { data: balance } = useWalletBalance(token)
  const price = useGasPrice(token === null)
  if (balance === undefined || token !== null) return balance
  const fee = gas * PRICE_MARGIN * (price ?? 0n)
  return balance > fee ? balance - fee : 0n
}
