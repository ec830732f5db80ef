import { Type } from '@sinclair/typebox'
import { Amount } from './common.ts'

const contract = '0x0165878a594ca255338adfa4d48449f69242eb8f'
const creator = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const wallet = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const token = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const txHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'

/** Values of the examples, which are all of one raise. */
export const raiseExample = {
  contract,
  creator,
  wallet,
  token,
  txHash,
  mined: { blockNumber: 22_410_004, txHash, logIndex: 17, confirmed: true },
}

const idOf = (what: string) =>
  Type.String({
    pattern: '^0x[0-9a-fA-F]{40}-(0|[1-9][0-9]{0,77})$',
    description: `Id of a ${what}: its contract address and its number there.`,
    examples: [`${contract}-1`],
    'x-lowercase': true,
    'x-expects': `must be the id of a ${what}: an address, a dash and a number`,
  })

export const RaiseId = idOf('raise')
export const ProposalId = idOf('proposal')

/** An amount of the native coin. */
export const Native = (description: string) => Type.String({ ...Amount, description: `Native coin: ${description}` })
