import { toEventSelector, zeroAddress } from 'viem'
import { dataAmount, type Log } from './logs/log.ts'

export interface TransferEvent {
  kind: 'transfer'
  token: string
  from: string
  to: string
  value: bigint
}

/** topic0 of the events of a token that are indexed. */
export const tokenTopics = {
  transfer: toEventSelector('Transfer(address,address,uint256)'),
  contractUriUpdated: toEventSelector('ContractURIUpdated()'),
} as const

export function decodeTransfer(log: Log): TransferEvent {
  return {
    kind: 'transfer',
    token: log.address,
    from: log.topicAddress(1),
    to: log.topicAddress(2),
    value: dataAmount(log, 0),
  }
}

/** Whether a transfer creates its tokens: it is from the zero address, which has no balance that they could be taken from. */
export const isMint = ({ from }: Pick<TransferEvent, 'from'>): boolean => from === zeroAddress
