// A stand-in for nad.fun's first bonding curve: contracts/src/test/NadFunCurve.sol.
import { type Address, encodeDeployData, encodeFunctionData, type Hex, parseEther, parseEventLogs } from 'viem'
import { nadFunCurveAbi } from '../../../contracts/artifacts/abi/nad-fun-curve.ts'
import artifact from '../../../contracts/artifacts/NadFunCurve.json' with { type: 'json' }
import type { Action, Receipt } from '../chain-fixture.ts'
import { nadFunEvents } from './abi.ts'
import { asLogs } from './logs.ts'
import { approve, CREATING_GAS, deploy, findSalt, type Host, type Venue } from './venue.ts'

/** Of the original on Monad. */
export const NAD_FUN_CONFIG = {
  virtualMon: parseEther('180000'),
  virtualToken: parseEther('1073000191'),
  targetToken: parseEther('279900191'),
}

export interface NadFunChoice {
  name?: string
  symbol?: string
  uri?: string
  /** Buys the first tokens for the creator. */
  value?: bigint
  /** Whether the token comes before the wrapped coin in its pool. Default: as it happens. */
  isFirst?: boolean
  salt?: Hex
}

export async function deployNadFun(
  host: Host,
  venue: Venue,
  { config = NAD_FUN_CONFIG, feeReceiver = host.accounts[9]!, syncFirst = false } = {},
) {
  const { node } = host
  const args = [venue.factory, venue.weth, feeReceiver, config, syncFirst] as const
  const data = encodeDeployData({ abi: nadFunCurveAbi, bytecode: artifact.bytecode as Hex, args })
  const address = await deploy(host, data)
  const actions = makeActions(address)
  const run = async (...all: Action[]): Promise<Receipt> => (await node.run(...all)).at(-1)!
  let created = 0
  return {
    address,
    feeReceiver,
    actions,
    createToken: async (from: Address, choice: NadFunChoice = {}) => {
      const next = `0x${(1_000 + created++).toString(16).padStart(64, '0')}` as const
      const { isFirst } = choice
      const make = (salt: Hex) => actions.create(from, { ...choice, value: 0n, salt })
      const salt = choice.salt ?? (isFirst === undefined ? next : await findSalt(node, make, venue.weth, isFirst))
      const receipt = await run(actions.create(from, { ...choice, salt }))
      const [event] = parseEventLogs({ abi: nadFunEvents, logs: asLogs(receipt), eventName: 'CurveCreate' })
      const { token, pool } = event!.args
      return { token: token.toLowerCase() as Address, pool: pool.toLowerCase() as Address, receipt }
    },
    buy: (from: Address, token: Address, value: bigint, recipient?: Address) =>
      run(actions.buy(from, token, value, recipient)),
    /** Approves the curve first, in the same block. */
    sell: (from: Address, token: Address, amount: bigint, recipient?: Address) =>
      run(approve(from, token, address, amount), actions.sell(from, token, amount, recipient)),
    graduate: (from: Address, token: Address) => run(actions.graduate(from, token)),
  }
}

function makeActions(to: Address) {
  const abi = nadFunCurveAbi
  return {
    create: (
      from: Address,
      { name = 'Ketch', symbol = 'KTCH', uri = 'ipfs://ketch', value = 0n, salt }: NadFunChoice,
    ) =>
      ({
        ...{ from, to, value, gas: CREATING_GAS },
        data: encodeFunctionData({ abi, functionName: 'create', args: [name, symbol, uri, salt!] }),
      }) satisfies Action,
    buy: (from: Address, token: Address, value: bigint, recipient = from): Action => ({
      ...{ from, to, value },
      data: encodeFunctionData({ abi, functionName: 'buy', args: [token, recipient] }),
    }),
    sell: (from: Address, token: Address, amount: bigint, recipient = from): Action => ({
      ...{ from, to },
      data: encodeFunctionData({ abi, functionName: 'sell', args: [token, amount, recipient] }),
    }),
    graduate: (from: Address, token: Address): Action => ({
      ...{ from, to },
      data: encodeFunctionData({ abi, functionName: 'graduate', args: [token] }),
    }),
  }
}
