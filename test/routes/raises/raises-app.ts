import type { Static } from '@sinclair/typebox'
import type { Test } from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import type { Commitment, Raise } from '../../../schemas/raises.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchForRaises } from '../../indexer/fixtures/raises.ts'
import { createChainApp } from '../../support/chain-app.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { readTime } from '../../support/raises.ts'

export type RaiseData = Static<typeof Raise>
export type CommitmentData = Static<typeof Commitment>

/** The app on a chain with a token that can be sold in raises. `before`: responses from before the contract existed. */
export async function createRaisesApp(t: Test) {
  const service = await createChainApp(t)
  const { node, read, db, test } = service
  const before = await Promise.all(['/raises', '/stats'].map((url) => read<object>(url)))
  const fixture = await launchForRaises(test)
  const { token, raise, ann } = fixture
  const index = () => indexToHead(db, test)
  await index()
  const idOf = (number: bigint | number) => `${raise.contract}-${number}`
  const run = async (action: Action): Promise<Hex> => (await node.run(action))[0]!.transactionHash
  const readRaise = async (number: bigint, wallet?: string) =>
    (await read<RaiseData>(`/raises/${idOf(number)}`, wallet)).body.data
  const commit = (number: bigint, wallet: Address, coins: string) =>
    run(raise.commit(wallet, number, parseEther(coins)))
  let raises = 0n
  /** Creates a raise of ann, which starts immediately unless `startAt` is given. */
  const open = async (choice: Partial<Parameters<typeof raise.create>[1]> = {}) => {
    const endAt = choice.endAt ?? (await readTime(node)) + 1_000n
    const hash = await run(raise.create(ann, { token, ...choice, endAt }))
    return { number: ++raises, hash, endAt }
  }
  return { ...service, ...fixture, before, index, idOf, run, readRaise, commit, open, countRaises: () => raises }
}
