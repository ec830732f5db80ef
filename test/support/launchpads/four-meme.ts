// A stand-in for TokenManager2 of four.meme: contracts/src/test/FourMeme.sol.
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseEther,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import { uniswapV2FactoryAbi } from '../../../chain/abi/uniswap-v2-factory.ts'
import { fourMemeAbi } from '../../../contracts/artifacts/abi/four-meme.ts'
import artifact from '../../../contracts/artifacts/FourMeme.json' with { type: 'json' }
import type { Action, Receipt, TestChain } from '../chain-fixture.ts'
import { fourMemeV2Events } from './abi.ts'
import { asLogs } from './logs.ts'
import { approve, CREATING_GAS, deploy } from './venue.ts'

/** What a curve raises, as on BNB Smart Chain. */
const FOUR_MEME_TARGET = parseEther('18')

export interface FourMemeChoice {
  name?: string
  symbol?: string
  /** Default: the native coin. */
  quote?: Address
  target?: bigint
  /** Buys the first tokens for the creator, fee included. */
  value?: bigint
  salt?: Hex
}

type Host = Pick<TestChain, 'node' | 'accounts' | 'deployed'>

export async function deployFourMeme(host: Host, { migratesAtOnce = false, feeReceiver = host.accounts[9]! } = {}) {
  const { node, deployed } = host
  const { uniswapFactory: factory, weth } = deployed
  const args = [factory, weth, feeReceiver, migratesAtOnce] as const
  const data = encodeDeployData({ abi: fourMemeAbi, bytecode: artifact.bytecode as Hex, args })
  const address = await deploy(host, data)
  const createPair = (from: Address, token: Address, quote: Address = weth): Action => ({
    ...{ from, to: factory, gas: CREATING_GAS },
    data: encodeFunctionData({ abi: uniswapV2FactoryAbi, functionName: 'createPair', args: [token, quote] }),
  })
  const actions = { ...makeActions(address), createPair }
  const run = async (...all: Action[]): Promise<Receipt> => (await node.run(...all)).at(-1)!
  /** The zero address if there is none. */
  const getPair = async (token: Address, quote: Address = zeroAddress): Promise<Address> => {
    const pair = [token, quote === zeroAddress ? weth : quote] as const
    const data = encodeFunctionData({ abi: uniswapV2FactoryAbi, functionName: 'getPair', args: pair })
    return `0x${(await node.call<Hex>('eth_call', { to: factory, data }, 'latest')).slice(-40)}`
  }
  let created = 0
  return {
    address,
    feeReceiver,
    actions,
    getPair,
    createToken: async (from: Address, choice: FourMemeChoice = {}) => {
      const salt = choice.salt ?? (`0x${(1_000 + created++).toString(16).padStart(64, '0')}` as const)
      const receipt = await run(actions.create(from, { ...choice, salt }))
      const [event] = parseEventLogs({ abi: fourMemeV2Events, logs: asLogs(receipt), eventName: 'TokenCreate' })
      return { token: event!.args.token.toLowerCase() as Address, receipt }
    },
    buy: (from: Address, token: Address, funds: bigint, choice: { recipient?: Address; quote?: Address } = {}) =>
      run(actions.buy(from, token, funds, choice)),
    /** Approves the launchpad first, in the same block. */
    sell: (from: Address, token: Address, amount: bigint) =>
      run(approve(from, token, address, amount), actions.sell(from, token, amount)),
    graduate: (from: Address, token: Address) => run(actions.graduate(from, token)),
    /** As anyone may, before the graduation. */
    createPair: (from: Address, token: Address, quote: Address = weth) => run(createPair(from, token, quote)),
  }
}

function makeActions(to: Address) {
  const abi = fourMemeAbi
  return {
    create: (
      from: Address,
      {
        name = 'Dhow',
        symbol = 'DHOW',
        quote = zeroAddress,
        target = FOUR_MEME_TARGET,
        value = 0n,
        salt,
      }: FourMemeChoice,
    ) =>
      ({
        ...{ from, to, value: quote === zeroAddress ? value : 0n, gas: CREATING_GAS },
        data: encodeFunctionData({ abi, functionName: 'create', args: [quote, name, symbol, target, value, salt!] }),
      }) satisfies Action,
    buy: (
      from: Address,
      token: Address,
      funds: bigint,
      { recipient = from, quote = zeroAddress }: { recipient?: Address; quote?: Address } = {},
    ): Action => ({
      ...{ from, to, value: quote === zeroAddress ? funds : 0n, gas: CREATING_GAS },
      data: encodeFunctionData({ abi, functionName: 'buyTokenAMAP', args: [token, recipient, funds, 0n] }),
    }),
    sell: (from: Address, token: Address, amount: bigint): Action => ({
      ...{ from, to },
      data: encodeFunctionData({ abi, functionName: 'sellToken', args: [token, amount] }),
    }),
    graduate: (from: Address, token: Address): Action => ({
      ...{ from, to, gas: CREATING_GAS },
      data: encodeFunctionData({ abi, functionName: 'addLiquidity', args: [token] }),
    }),
  }
}
