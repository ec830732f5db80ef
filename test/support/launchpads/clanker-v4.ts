// A stand-in for Clanker v4: contracts/src/test/ClankerV4.sol.
import { type Address, encodeDeployData, encodeFunctionData, type Hex, parseEventLogs, zeroAddress } from 'viem'
import { clankerV4Abi } from '../../../contracts/artifacts/abi/clanker-v4.ts'
import artifact from '../../../contracts/artifacts/ClankerV4.json' with { type: 'json' }
import type { Action } from '../chain-fixture.ts'
import { clankerV4Events } from './abi.ts'
import { CLANKER_STARTING_TICK } from './clanker-v31.ts'
import { asLogs } from './logs.ts'
import { sqrtPriceAtTick } from './sqrt-price.ts'
import { makeKey, type PoolKey, toPoolId, type VenueV4 } from './uniswap-v4.ts'
import { CREATING_GAS, deploy, findSalt, type Host } from './venue.ts'

export interface ClankerV4Choice {
  name?: string
  symbol?: string
  image?: string
  metadata?: string
  context?: string
  /** Of the pool, if the token is its first. A multiple of 200. */
  tick?: number
  /** Buys the first tokens for the admin. */
  value?: bigint
  /** Whether the token comes before the paired one, or before the wrapped coin if it is the native one. Default: as it happens. */
  isFirst?: boolean
  salt?: Hex
  /** Default: the wrapped native coin. The zero address: the native coin. */
  pairedToken?: Address
  /** Default: the sender. */
  tokenAdmin?: Address
  /** Of the pool. Default: none. */
  hook?: Address
  /** Of the supply, which then is not in the pool. */
  extensionBps?: bigint
}

export interface CreatedV4 {
  token: Address
  key: PoolKey
  /** The id of its pool. */
  pool: Hex
}

export async function deployClankerV4(host: Host, { poolManager, weth }: VenueV4, vault = host.accounts[8]!) {
  const { node } = host
  const args = [poolManager, weth, vault] as const
  const data = encodeDeployData({ abi: clankerV4Abi, bytecode: artifact.bytecode as Hex, args })
  const address = await deploy(host, data)
  const actions = { create: makeCreate(address, weth) }
  let created = 0
  return {
    address,
    vault,
    actions,
    createToken: async (from: Address, choice: ClankerV4Choice = {}) => {
      const next = `0x${(1_000 + created++).toString(16).padStart(64, '0')}` as const
      const { isFirst, pairedToken = weth, hook = zeroAddress } = choice
      const make = (salt: Hex) => actions.create(from, { ...choice, value: 0n, salt })
      const other = pairedToken === zeroAddress ? weth : pairedToken
      const salt = choice.salt ?? (isFirst === undefined ? next : await findSalt(node, make, other, isFirst))
      const [receipt] = await node.run(actions.create(from, { ...choice, salt }))
      const [event] = parseEventLogs({ abi: clankerV4Events, logs: asLogs(receipt!) })
      const token = event!.args.tokenAddress.toLowerCase() as Address
      const key = makeKey(token, pairedToken, hook)
      return { token, key, pool: toPoolId(key), receipt: receipt! }
    },
  }
}

const makeCreate =
  (to: Address, weth: Address) =>
  (from: Address, { value = 0n, salt, tick = CLANKER_STARTING_TICK, ...choice }: ClankerV4Choice): Action => {
    const config = {
      ...{ name: 'Dory', symbol: 'DORY', image: 'ipfs://dory', metadata: '{"description":"A dory"}', context: '{}' },
      ...{ pairedToken: weth, tokenAdmin: from, hook: zeroAddress, extensionBps: 0n },
      ...choice,
      ...{ tick, salt: salt!, sqrtPrices: [sqrtPriceAtTick(tick), sqrtPriceAtTick(-tick)] as const },
    }
    const data = encodeFunctionData({ abi: clankerV4Abi, functionName: 'deployToken', args: [config] })
    return { from, to, value, gas: CREATING_GAS, data }
  }
