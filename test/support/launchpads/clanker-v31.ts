// A stand-in for Clanker v3.1: contracts/src/test/ClankerV31.sol.
import { type Address, encodeDeployData, encodeFunctionData, type Hex, parseEventLogs } from 'viem'
import { clankerV31Abi } from '../../../contracts/artifacts/abi/clanker-v31.ts'
import artifact from '../../../contracts/artifacts/ClankerV31.json' with { type: 'json' }
import type { Action } from '../chain-fixture.ts'
import { clankerV31Events } from './abi.ts'
import { asLogs } from './logs.ts'
import { sqrtPriceAtTick } from './sqrt-price.ts'
import { CREATING_GAS, deploy, findSalt, type Host, type Venue } from './venue.ts'

/** About 10 wrapped coins for all tokens. */
export const CLANKER_STARTING_TICK = -230_400

export interface ClankerChoice {
  name?: string
  symbol?: string
  metadata?: string
  /** Of the pool, if the token is its first. A multiple of 200. */
  tick?: number
  /** Buys the first tokens for the creator. */
  value?: bigint
  /** Whether the token comes before the paired one in its pool. Default: as it happens. */
  isFirst?: boolean
  salt?: Hex
  /** Default: the wrapped native coin. */
  pairedToken?: Address
  /** Default: the sender, for all four. */
  creatorAdmin?: Address
  creatorRewardRecipient?: Address
  interfaceAdmin?: Address
  interfaceRewardRecipient?: Address
  /** Of the supply, which then is not in the pool. At most 30. */
  vaultPercentage?: number
  vaultDuration?: bigint
}

export async function deployClankerV31(host: Host, venue: Venue, vault = host.accounts[8]!) {
  const { node } = host
  const args = [venue.factory, venue.weth, vault] as const
  const data = encodeDeployData({ abi: clankerV31Abi, bytecode: artifact.bytecode as Hex, args })
  const address = await deploy(host, data)
  const actions = { create: makeCreate(address, venue.weth) }
  let created = 0
  return {
    address,
    vault,
    actions,
    createToken: async (from: Address, choice: ClankerChoice = {}) => {
      const next = `0x${(1_000 + created++).toString(16).padStart(64, '0')}` as const
      const { isFirst, pairedToken = venue.weth } = choice
      const make = (salt: Hex) => actions.create(from, { ...choice, value: 0n, salt })
      const salt = choice.salt ?? (isFirst === undefined ? next : await findSalt(node, make, pairedToken, isFirst))
      const [receipt] = await node.run(actions.create(from, { ...choice, salt }))
      const [event] = parseEventLogs({ abi: clankerV31Events, logs: asLogs(receipt!) })
      const token = event!.args.tokenAddress.toLowerCase() as Address
      return { token, pool: await venue.getPool(token, pairedToken), receipt: receipt! }
    },
  }
}

const makeCreate =
  (to: Address, weth: Address) =>
  (from: Address, { value = 0n, salt, tick = CLANKER_STARTING_TICK, ...choice }: ClankerChoice): Action => {
    const config = {
      ...{ name: 'Ketch', symbol: 'KTCH', metadata: '{"description":"A ketch"}', pairedToken: weth },
      ...{ creatorAdmin: from, creatorRewardRecipient: from, interfaceAdmin: from, interfaceRewardRecipient: from },
      ...{ vaultPercentage: 0, vaultDuration: 0n },
      ...choice,
      ...{ tick, salt: salt!, sqrtPrices: [sqrtPriceAtTick(tick), sqrtPriceAtTick(-tick)] as const },
    }
    const data = encodeFunctionData({ abi: clankerV31Abi, functionName: 'deployToken', args: [config] })
    return { from, to, value, gas: CREATING_GAS, data }
  }
