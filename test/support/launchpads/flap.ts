// A stand-in for the Portal of Flap: contracts/src/test/FlapPortal.sol.
import {
  type Address,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseEther,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import { flapPortalAbi } from '../../../contracts/artifacts/abi/flap-portal.ts'
import { pancakeV3DeployerAbi } from '../../../contracts/artifacts/abi/pancake-v3-deployer.ts'
import artifact from '../../../contracts/artifacts/FlapPortal.json' with { type: 'json' }
import deployerArtifact from '../../../contracts/artifacts/PancakeV3Deployer.json' with { type: 'json' }
import poolArtifact from '../../../contracts/artifacts/PancakeV3Pool.json' with { type: 'json' }
import type { Action, Receipt, TestChain } from '../chain-fixture.ts'
import { flapEvents } from './abi.ts'
import { asLogs } from './logs.ts'
import { approve, deploy, findSalt, POOL_FEE } from './venue.ts'

/** As the Portal counts them. */
export const MIGRATORS = { v3: 0, v2: 1, v4: 2, infinity: 3 } as const

/** As on Robinhood Chain: 800 million tokens for about 5 coins. */
export const FLAP_TERMS = {
  r: parseEther('1.9189797'),
  h: parseEther('107036752'),
  k: parseEther('2124381054.2419344'),
  threshold: parseEther('800000000'),
}

export interface FlapChoice {
  name?: string
  symbol?: string
  meta?: string
  /** Default: the native coin. */
  quote?: Address
  taxBps?: bigint
  migrator?: keyof typeof MIGRATORS
  /** Buys the first tokens for the creator, fee included. */
  value?: bigint
  terms?: typeof FLAP_TERMS
  /** Whether the token comes before the wrapped coin in its pool. Default: as it happens. */
  isFirst?: boolean
  salt?: Hex
}

type Host = Pick<TestChain, 'node' | 'accounts' | 'deployed'>

/** The purchase of the last tokens opens a pool, whose code is in the storage of its deployer. */
const GRADUATING_GAS = 15_000_000n

/** Pools of the published code of PancakeSwap V3. */
export function deployPancakeV3(host: Host): Promise<Address> {
  const args = [poolArtifact.bytecode as Hex] as const
  const data = encodeDeployData({ abi: pancakeV3DeployerAbi, bytecode: deployerArtifact.bytecode as Hex, args })
  return deploy(host, data, 40_000_000n)
}

/** Where the deployer creates the pool of two tokens. */
export function pancakePool(deployer: Address, one: Address, other: Address): Address {
  const [token0, token1] = BigInt(one) < BigInt(other) ? [one, other] : [other, one]
  const types = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const
  const salt = keccak256(encodeAbiParameters(types, [token0, token1, POOL_FEE]))
  const bytecode = poolArtifact.bytecode as Hex
  return getContractAddress({ opcode: 'CREATE2', from: deployer, salt, bytecode }).toLowerCase() as Address
}

/** pools: a factory of Uniswap V3, or a deployer of PancakeSwap V3. */
export async function deployFlap(
  host: Host,
  { pools, vault = host.accounts[9]!, supplyFirst = true }: { pools: Address; vault?: Address; supplyFirst?: boolean },
) {
  const { node, deployed } = host
  const { uniswapFactory, weth } = deployed
  const args = [uniswapFactory, pools, weth, vault, supplyFirst] as const
  const data = encodeDeployData({ abi: flapPortalAbi, bytecode: artifact.bytecode as Hex, args })
  const address = await deploy(host, data)
  const actions = makeActions(address)
  const run = async (...all: Action[]): Promise<Receipt> => (await node.run(...all)).at(-1)!
  let created = 0
  return {
    ...{ address, vault, pools, actions },
    createToken: async (from: Address, choice: FlapChoice = {}) => {
      const next = `0x${(1_000 + created++).toString(16).padStart(64, '0')}` as const
      const { isFirst } = choice
      const make = (salt: Hex) => actions.create(from, { ...choice, value: 0n, salt })
      const salt = choice.salt ?? (isFirst === undefined ? next : await findSalt(node, make, weth, isFirst))
      const receipt = await run(actions.create(from, { ...choice, salt }))
      const [event] = parseEventLogs({ abi: flapEvents, logs: asLogs(receipt), eventName: 'TokenCreated' })
      return { token: event!.args.token.toLowerCase() as Address, receipt }
    },
    buy: (from: Address, token: Address, amount: bigint, choice: { recipient?: Address; quote?: Address } = {}) =>
      run(actions.buy(from, token, amount, choice)),
    /** Approves the Portal first, in the same block. */
    sell: (from: Address, token: Address, amount: bigint) =>
      run(approve(from, token, address, amount), actions.sell(from, token, amount)),
    getState: async (token: Address) => {
      const call = { abi: flapPortalAbi, functionName: 'getTokenV7' } as const
      const data = await node.call<Hex>(
        'eth_call',
        { to: address, data: encodeFunctionData({ ...call, args: [token] }) },
        'latest',
      )
      return decodeFunctionResult({ ...call, data })
    },
  }
}

function makeActions(to: Address) {
  const abi = flapPortalAbi
  return {
    create: (
      from: Address,
      {
        name = 'Brig',
        symbol = 'BRIG',
        meta = 'bafkreibrig',
        quote = zeroAddress,
        taxBps = 0n,
        migrator = 'v2',
        value = 0n,
        terms = FLAP_TERMS,
        salt,
      }: FlapChoice,
    ) => {
      const choice = { name, symbol, meta, quote, taxBps, migrator: MIGRATORS[migrator], firstAmount: value, terms }
      return {
        ...{ from, to, value: quote === zeroAddress ? value : 0n, gas: GRADUATING_GAS },
        data: encodeFunctionData({ abi, functionName: 'newToken', args: [{ ...choice, salt: salt! }] }),
      } satisfies Action
    },
    buy: (
      from: Address,
      token: Address,
      amount: bigint,
      { recipient = from, quote = zeroAddress }: { recipient?: Address; quote?: Address } = {},
    ): Action => ({
      ...{ from, to, value: quote === zeroAddress ? amount : 0n, gas: GRADUATING_GAS },
      data: encodeFunctionData({ abi, functionName: 'buy', args: [token, recipient, amount] }),
    }),
    sell: (from: Address, token: Address, amount: bigint): Action => ({
      ...{ from, to },
      data: encodeFunctionData({ abi, functionName: 'sell', args: [token, amount] }),
    }),
  }
}
