import { type Address, encodeFunctionData } from 'viem'
import { launchpadAbi as abi } from '../../chain/abi/launchpad.ts'
import type { TradeCallArgs, UnsignedCall } from '../../chain/trade-call.ts'

/** Encodes a trade on the curve. */
export function encodeCurveTrade(launchpad: string, args: TradeCallArgs): UnsignedCall {
  const { side, amount, minimumOut } = args
  const [token, recipient, deadline] = [args.token as Address, args.recipient as Address, BigInt(args.deadline)]
  if (side === 'buy') {
    const call = { functionName: 'buy', args: [token, recipient, minimumOut, deadline] } as const
    return { to: launchpad, data: encodeFunctionData({ abi, ...call }), value: amount }
  }
  const call = { functionName: 'sell', args: [token, amount, recipient, minimumOut, deadline] } as const
  return { to: launchpad, data: encodeFunctionData({ abi, ...call }), value: 0n }
}
