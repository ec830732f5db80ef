import type { PublicClient } from 'viem'

export interface Fees {
  maxFeePerGas: bigint
  /** null: the chain has no base fee, and maxFeePerGas is the gas price. */
  maxPriorityFeePerGas: bigint | null
}

/** What a transaction of this process pays for gas now. */
export async function readFees(client: PublicClient): Promise<Fees> {
  const { baseFeePerGas } = await client.getBlock({ blockTag: 'latest', includeTransactions: false })
  if (baseFeePerGas === null) return { maxFeePerGas: await client.getGasPrice(), maxPriorityFeePerGas: null }
  return client.estimateFeesPerGas()
}

/** A limit above an estimate: the state may change until the transaction is mined. */
export const addGasMargin = (gas: bigint): bigint => (gas * 5n) / 4n
