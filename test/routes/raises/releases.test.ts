import t from 'tap'
import { type Address, type ContractFunctionRevertedError, parseEther } from 'viem'
import { raisesAbi } from '../../../chain/abi/raises.ts'
import { succeedRaise } from '../../indexer/fixtures/raises.ts'
import { EXIT_WINDOW, FOR, reachTime, readTime } from '../../support/raises.ts'
import { createRaisesApp } from './raises-app.ts'

t.setTimeout(200_000)

const RELEASE_PERIOD = 86_400n
const service = await createRaisesApp(t)
const { node, test, chain, raise, ann, bob, eve, owner, index, readRaise } = service

/** What an execution of the proposal may pay now by the contract: its error names it. undefined: the execution succeeds. */
async function simulate(proposal: bigint): Promise<bigint | undefined> {
  const call = { address: raise.contract, abi: raisesAbi, functionName: 'execute', args: [proposal] } as const
  try {
    await chain.client.simulateContract({ ...call, account: eve })
    return undefined
  } catch (error) {
    const { data } = (error as { cause: ContractFunctionRevertedError }).cause
    if (data?.errorName !== 'ExceedsReleaseLimit') throw error
    return data.args?.[0] as bigint
  }
}

t.test('a raise serves what a release can pay, as the contract limits it', async (t) => {
  await succeedRaise(test, service)
  await index()
  const proposals: [Address, string][] = [
    [ann, '1.5'],
    [bob, '1.5'],
    [eve, '0.4'],
  ]
  for (const [proposer, coins] of proposals) await node.run(raise.propose(proposer, 1n, parseEther(coins), owner))
  for (const proposal of [1n, 2n, 3n]) await node.run(raise.vote(bob, proposal, FOR))
  await node.mine(3_600 + EXIT_WINDOW)
  /** Demands that the raise serves this amount, and that the contract rejects or accepts the second proposal by it. */
  const expect = async (coins: string, what: string) => {
    await index()
    const amount = parseEther(coins)
    t.equal((await readRaise(1n)).releasable, String(amount), what)
    t.equal(await simulate(2n), amount < parseEther('1.5') ? amount : undefined, `${what}: by the contract`)
  }
  await expect('2', 'a quarter of 8')
  await node.run(raise.execute(eve, 1n))
  const first = await readTime(node)
  await expect('0.5', 'less what was released')
  t.equal((await readRaise(1n)).lastReleaseAt, new Date(Number(first) * 1_000).toISOString())
  await reachTime(node, first + RELEASE_PERIOD - 10n)
  await node.run(raise.execute(eve, 3n))
  const second = await readTime(node)
  await expect('0.1', 'less both')
  await reachTime(node, first + RELEASE_PERIOD + 10n)
  await expect('0.1', 'no pause of a period has passed')
  await reachTime(node, second + RELEASE_PERIOD - 1n)
  await expect('0.1', 'up to its last second')
  await reachTime(node, second + RELEASE_PERIOD)
  await expect('2', 'from its end on')
  await node.run(raise.execute(eve, 2n))
  await index()
  t.equal((await readRaise(1n)).releasable, String(parseEther('0.5')), 'less what was released after the pause alone')
  const { releasedInPeriod } = await chain.client.readContract({
    ...{ address: raise.contract, abi: raisesAbi, functionName: 'raise', args: [1n] },
  })
  t.equal(releasedInPeriod, parseEther('1.5'))
})

t.test('nothing can be released before a raise is finalized', async (t) => {
  const endAt = (await readTime(node)) + 1_000n
  await node.run(raise.create(ann, { token: service.token, endAt }), raise.commit(bob, 2n, parseEther('5')))
  await index()
  t.match(await readRaise(2n), { lastReleaseAt: null, releasable: '0' })
})
