import t from 'tap'
import { type Hex, parseEther, zeroAddress } from 'viem'
import { feeSplitterAbi } from '../../chain/abi/fee-splitter.ts'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { account, type Call, calls, createdToken, startChain } from './support/chain.ts'
import { createDatabase, startService, until } from './support/service.ts'
import { signIn } from './support/sign-in.ts'

const [owner, ann, bob] = [account(0), account(1), account(2)]
const DAY = 86_400

t.test('trading fees become staking rewards, which stakers see and claim', async (t) => {
  const chain = await startChain(t)
  const { contracts } = chain
  const databaseUrl = await createDatabase(t)
  const service = await startService(t, { env: chain.env, ...(databaseUrl && { databaseUrl }) })
  const wallet = ann.address.toLowerCase()
  const token = await signIn(service, '', { wallet: ann.address, account: ann })
  const read = async (path: string) => (await service.request('GET', path, { token })).body.data
  const sync = (path: string, txHash: Hex) => service.request('POST', path, { token, body: { txHash } })
  const onStaking = (functionName: string, ...args: unknown[]): Call => ({
    ...{ to: contracts.feeStaking, abi: feeStakingAbi, functionName, args },
  })

  const launched = createdToken(await chain.send(ann, calls.create(contracts, 'One', 'ONE', parseEther('1'))))
  await chain.send(owner, onStaking('createPool', launched, zeroAddress, 3_600n, BigInt(DAY)))
  const setTerms = { to: contracts.feeSplitter, abi: feeSplitterAbi, functionName: 'setTerms' }
  await chain.send(owner, { ...setTerms, args: [owner.address, 1n, 10_000n] })
  await chain.send(ann, calls.approve(launched, contracts.feeStaking))
  const id = `${contracts.feeStaking}-1`

  const stake = await chain.send(ann, onStaking('stake', 1n, parseEther('1000')))
  const staked = await sync('/staking/stake', stake.transactionHash)
  t.equal(staked.status, 200)
  t.match(staked.body.data, {
    events: [{ type: 'stake', poolId: id, wallet, amount: String(parseEther('1000')) }],
    pools: [{ id, stakingToken: launched, totalStaked: String(parseEther('1000')), stakerCount: 1 }],
    positions: [{ poolId: id, wallet, staked: String(parseEther('1000')), earned: '0' }],
  })
  t.equal((await sync('/api/staking/stake', stake.transactionHash)).status, 409, 'the other mount knows of it')
  const stranger = await signIn(service, '/api', { wallet: bob.address, account: bob })
  const foreign = await service.request('POST', '/staking/stake', {
    token: stranger,
    body: { txHash: stake.transactionHash },
  })
  t.equal(foreign.status, 403)

  await chain.send(bob, calls.buy(contracts, launched, bob.address, parseEther('2')))
  await chain.send(bob, { to: contracts.feeSplitter, abi: feeSplitterAbi, functionName: 'distribute', args: [] })
  const funded = await until(
    () => read(`/api/staking/pools/${id}`),
    ({ totalFunded }) => totalFunded !== '0',
    'the pool is funded by the fees',
  )
  t.ok(funded.aprPct > 0)
  await until(
    () => read('/notifications'),
    ({ items }) =>
      items.some(({ type, subject }: { type: string; subject: string }) => type === 'reward_funded' && subject === id),
    'the staker is notified',
  )

  await chain.rpc('evm_increaseTime', DAY + 60)
  await chain.rpc('evm_mine')
  const { items } = await until(
    () => read('/staking/positions'),
    (data) => BigInt(data.items[0].earned) * 1_000n > BigInt(funded.totalFunded) * 999n,
    'all of it is earned after the period',
  )
  t.ok(BigInt(items[0].earned) <= BigInt(funded.totalFunded))
  const claim = await chain.send(ann, onStaking('claim', 1n))
  const claimed = await sync('/api/staking/claim', claim.transactionHash)
  t.equal(claimed.status, 200)
  t.match(claimed.body.data, {
    events: [{ type: 'claim', amount: items[0].earned }],
    positions: [{ earned: '0', claimed: items[0].earned }],
    pools: [{ totalPaid: items[0].earned, rewardPerDay: '0', aprPct: 0 }],
  })
  t.match(await read(`/transactions?wallet=${wallet}&type=claim`), {
    items: [{ pool: id, amounts: { amount: items[0].earned } }],
  })
})
