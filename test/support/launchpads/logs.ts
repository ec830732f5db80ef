import { type Abi, type Address, decodeEventLog, type Log } from 'viem'
import type { Receipt } from '../chain-fixture.ts'

/** The logs of a receipt as viem's parseEventLogs takes them. */
export const asLogs = ({ logs }: Receipt) => logs as unknown as Log[]

export interface NamedLog {
  /** The contract's name among those given, then the event's: `pool Swap`. */
  title: string
  args: Record<string, unknown>
}

/** All logs of a receipt in order. Throws on one that no event of the ABI decodes to its last byte. */
export function nameLogs(receipt: Receipt, abi: Abi, contracts: Readonly<Record<string, Address>>): NamedLog[] {
  return receipt.logs.map(({ address, topics, data }) => {
    const name = Object.keys(contracts).find((name) => contracts[name]!.toLowerCase() === address.toLowerCase())
    const { eventName, args } = decodeEventLog({ abi, topics: topics as [`0x${string}`], data, strict: true })
    return { title: `${name ?? address} ${eventName}`, args: (args ?? {}) as unknown as Record<string, unknown> }
  })
}
