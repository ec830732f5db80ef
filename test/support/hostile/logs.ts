import {
  type Abi,
  type AbiEvent,
  type AbiParameter,
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  isHex,
  numberToHex,
  pad,
  stringToHex,
  toEventSelector,
} from 'viem'
import { feeStakingAbi } from '../../../chain/abi/fee-staking.ts'
import { launchpadAbi } from '../../../chain/abi/launchpad.ts'
import { raisesAbi } from '../../../chain/abi/raises.ts'
import { loadConfig } from '../../../config/config.ts'
import { logEmitterAbi } from '../../../contracts/artifacts/abi/log-emitter.ts'
import emitterArtifact from '../../../contracts/artifacts/LogEmitter.json' with { type: 'json' }
import { resolveContracts } from '../../../indexer/contracts.ts'
import type { Action, Node, TestChain } from '../chain-fixture.ts'

/*
 * Configured contracts that emit arbitrary logs, as an upgraded, foreign or malicious
 * contract might.
 */

/** An emitted log with any topics and data. */
export interface RawLog {
  topics: readonly Hex[]
  data: Hex
}

const abis = { launchpad: launchpadAbi, staking: feeStakingAbi, raises: raisesAbi } as const
export type HostileDomain = keyof typeof abis

/** The events of a domain by name. */
export const eventsOf = (domain: HostileDomain): ReadonlyMap<string, AbiEvent> =>
  new Map(
    (abis[domain] as Abi).flatMap((item) => (item.type === 'event' ? [[item.name, item] as [string, AbiEvent]] : [])),
  )

/** An event of a domain as its ABI lays it out, with these arguments. */
export function encodeEvent(domain: HostileDomain, name: string, args: Record<string, unknown>): RawLog {
  const event = eventsOf(domain).get(name)
  if (!event) throw new Error(`${domain} has no event ${name}`)
  const readArgument = ({ name: argument, type }: AbiParameter) => {
    const value = args[argument ?? '']
    if (value === undefined) throw new Error(`${name} lacks its ${argument}, ${type}`)
    return value
  }
  const indexed = event.inputs.filter((input) => input.indexed)
  const others = event.inputs.filter((input) => !input.indexed)
  return {
    topics: [toEventSelector(event), ...indexed.map((input) => toWord(readArgument(input)))],
    data: encodeAbiParameters(
      others.map(toBytesType),
      others.map((input) => toBytesValue(input, readArgument(input))),
    ),
  }
}

/** A string is laid out as bytes are, and may hold any: one that is given as hex is not even of UTF-8. */
const toBytesType = (parameter: AbiParameter): AbiParameter => {
  if ('components' in parameter) return { ...parameter, components: parameter.components.map(toBytesType) }
  return parameter.type === 'string' ? { ...parameter, type: 'bytes' } : parameter
}

function toBytesValue(parameter: AbiParameter, value: unknown): unknown {
  if ('components' in parameter) {
    const parts = value as Record<string, unknown>
    return Object.fromEntries(parameter.components.map((part) => [part.name, toBytesValue(part, parts[part.name!])]))
  }
  if (parameter.type !== 'string') return value
  return isHex(value) ? value : stringToHex(String(value))
}

/** A value of a static type as a word. */
export const toWord = (value: unknown): Hex =>
  typeof value === 'string' ? pad(value as Hex) : numberToHex(BigInt(value as bigint), { size: 32 })

/** These words as data. */
export const toData = (...words: unknown[]): Hex => `0x${words.map((word) => toWord(word).slice(2)).join('')}`

const emit = (emitter: Address, logs: readonly RawLog[], from: Address): Action => ({
  from,
  to: emitter,
  gas: 500_000_000n,
  data: encodeFunctionData({ abi: logEmitterAbi, functionName: 'emitLogs', args: [logs] }),
})

async function deployEmitters(node: Node, from: Address, count: number): Promise<Address[]> {
  const data = encodeDeployData({ abi: logEmitterAbi, bytecode: emitterArtifact.bytecode as Hex })
  const receipts = await node.run(...Array.from({ length: count }, () => ({ from, data })))
  return receipts.map(({ contractAddress }) => contractAddress!.toLowerCase() as Address)
}

/** The configured ones, and two that a hostile launchpad may name as a token and as its pool. */
export type Emitters = Record<HostileDomain | 'feed' | 'token' | 'pool', Address>

/** The chain of a test with a hostile contract of each kind configured beside the honest ones. */
export async function addHostile<T extends TestChain>(test: T): Promise<T & { emitters: Emitters; hostile: Hostile }> {
  const { node, chain, environment, accounts } = test
  const [eve] = accounts.slice(3) as [Address]
  const names = ['launchpad', 'staking', 'raises', 'feed', 'token', 'pool'] as const
  const deployed = await deployEmitters(node, eve, names.length)
  const emitters = Object.fromEntries(names.map((name, index) => [name, deployed[index]])) as Emitters
  const honest = JSON.parse(environment.DEPLOYMENTS!) as { kind: string; address: string; startBlock: number }[]
  const startBlock = honest[0]!.startBlock
  const deployments = [
    // Before the honest one: the last feed is the one that counts.
    { kind: 'price-feed', address: emitters.feed, startBlock },
    ...honest,
    ...Object.keys(abis).map((kind) => ({ kind, address: emitters[kind as HostileDomain], startBlock })),
  ]
  const changed = { ...environment, DEPLOYMENTS: JSON.stringify(deployments) }
  const config = loadConfig(changed)
  return {
    ...test,
    ...{ emitters, hostile: new Hostile(node, emitters, eve) },
    ...{ environment: changed, config, contracts: await resolveContracts(chain, config) },
  }
}

/** Emits logs from the configured contracts. */
class Hostile {
  readonly #node: Node
  readonly #emitters: Emitters
  readonly #from: Address

  constructor(node: Node, emitters: Emitters, from: Address) {
    this.#node = node
    this.#emitters = emitters
    this.#from = from
  }

  action(domain: keyof Emitters, logs: readonly RawLog[]): Action {
    return emit(this.#emitters[domain], logs, this.#from)
  }

  /** In one transaction, in a block of its own. */
  async say(domain: keyof Emitters, ...logs: RawLog[]) {
    const [receipt] = await this.#node.run(this.action(domain, logs))
    return receipt!
  }

  /** Events of the domain, each with its arguments. */
  async emit(domain: HostileDomain, ...events: [name: string, args: Record<string, unknown>][]) {
    return this.say(domain, ...events.map(([name, args]) => encodeEvent(domain, name, args)))
  }
}
