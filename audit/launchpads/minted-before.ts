import { zeroAddress } from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import type { RpcLog } from '../../chain/logs/log.ts'
import { big, decodeByAbi, lower } from '../expected.ts'

/** What is minted of a token before a log. all: the logs of its transaction. */
export function mintedBefore(all: readonly RpcLog[], log: RpcLog, token: string): bigint {
  const mints = all.slice(0, all.indexOf(log)).flatMap((other) => {
    const event = lower(other.address) === token ? decodeByAbi(erc20Abi, other) : undefined
    return event?.eventName === 'Transfer' && lower(event.args.from) === zeroAddress ? [big(event.args, 'value')] : []
  })
  return mints.reduce((sum, value) => sum + value, 0n)
}
