// Contracts that emit the events of a launchpad by hand: contracts/src/test/LogEmitter.sol.
import {
  type Abi,
  type AbiEvent,
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  toEventSelector,
} from 'viem'
import { logEmitterAbi } from '../../../contracts/artifacts/abi/log-emitter.ts'
import artifact from '../../../contracts/artifacts/LogEmitter.json' with { type: 'json' }
import type { Action } from '../chain-fixture.ts'
import { type RawLog, toWord } from '../hostile/logs.ts'
import { deploy, type Host } from './venue.ts'

/** An event of an ABI with these arguments. */
export function encodeLog(abi: Abi, name: string, args: Readonly<Record<string, unknown>>): RawLog {
  const event = abi.find((item): item is AbiEvent => item.type === 'event' && item.name === name)
  if (event === undefined) throw new Error(`The ABI has no event ${name}`)
  const readArgument = ({ name = '' }: AbiEvent['inputs'][number]) => {
    if (args[name] === undefined) throw new Error(`${event.name} lacks its ${name}`)
    return args[name]
  }
  const others = event.inputs.filter(({ indexed }) => !indexed)
  return {
    topics: [
      toEventSelector(event),
      ...event.inputs.filter(({ indexed }) => indexed).map((one) => toWord(readArgument(one))),
    ],
    data: encodeAbiParameters(others, others.map(readArgument)),
  }
}

export const deployEmitter = (host: Host): Promise<Address> =>
  deploy(host, encodeDeployData({ abi: logEmitterAbi, bytecode: artifact.bytecode as Hex }))

/** In one transaction. */
export const emitLogs = (from: Address, to: Address, logs: readonly RawLog[]): Action => ({
  ...{ from, to, gas: 100_000_000n },
  data: encodeFunctionData({ abi: logEmitterAbi, functionName: 'emitLogs', args: [logs] }),
})
