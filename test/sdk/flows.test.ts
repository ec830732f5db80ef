import sharp from 'sharp'
import t from 'tap'
import { createWalletClient, type Hex, http, parseEther, zeroAddress } from 'viem'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { launchTokenAbi } from '../../sdk/src/abi/index.ts'
import * as sdk from '../../sdk/src/index.ts'
import { account, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService, until } from '../acceptance/support/service.ts'
import { TERMS } from '../contracts/fixtures/launches.ts'

const [owner, creator, trader, voter] = [account(0), account(1), account(2), account(3)]
const HOUR = 3_600
const DAY = 86_400

const [chain, databaseUrl] = await Promise.all([startChain(t), createDatabase(t)])
const service = await startService(t, {
  env: { ...chain.env, MAX_LAG_BLOCKS: '100000' },
  ...(databaseUrl && { databaseUrl }),
})
const client = sdk.createClient({ baseUrl: service.url })
const config = await sdk.getConfig(client)
const walletOf = (of: typeof creator) => createWalletClient({ account: of, transport: http(chain.url) })
const [creatorWallet, traderWallet, voterWallet] = [walletOf(creator), walletOf(trader), walletOf(voter)]

/** A wallet that speaks EIP-1193: the node signs with the key of its unlocked account. */
const providerOf = (of: typeof creator): sdk.Provider => ({
  request: ({ method, params = [] }) =>
    method === 'eth_requestAccounts' ? Promise.resolve([of.address]) : chain.rpc(method, ...(params as unknown[])),
})
const pass = async (seconds: number) => {
  await chain.rpc('evm_increaseTime', seconds)
  await chain.rpc('evm_mine')
}
const now = async () => Number((await chain.client.getBlock()).timestamp)
const stepsOf = () => {
  const steps: string[] = []
  return { steps, onStep: ({ name }: sdk.Step) => void steps.push(name) }
}

const png = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()
const launched = await sdk.launch(client, creatorWallet, {
  name: 'Harbour Cat',
  symbol: 'HCAT',
  description: 'The cat that sleeps on the slipway.',
  image: new Blob([new Uint8Array(png)], { type: 'image/png' }),
  links: { website: 'https://hcat.example.org' },
  initialBuy: parseEther('0.1'),
})
const { address } = launched.token

t.test('a launch uploads image and metadata, buys, and returns the synced records', async (t) => {
  t.match(launched, {
    token: {
      name: 'Harbour Cat',
      symbol: 'HCAT',
      creator: creator.address.toLowerCase(),
      description: 'The cat that sleeps on the slipway.',
      links: { website: 'https://hcat.example.org' },
      txHash: launched.txHash,
    },
    trades: [{ side: 'buy', quoteAmount: parseEther('0.1').toString(), txHash: launched.txHash }],
  })
  t.match(launched.token.imageUrl, /\/uploads\/[0-9a-f]{64}\.webp$/)
  const path = launched.token.metadataUri.replace(/^.*(?=\/uploads\/)/, '')
  const metadata = (await (await fetch(service.url + path)).json()) as { image: string }
  t.match(metadata, { name: 'Harbour Cat', symbol: 'HCAT', external_link: 'https://hcat.example.org' })
  t.match(metadata.image, /\/uploads\/[0-9a-f]{64}\.webp$/)

  const { steps, onStep } = stepsOf()
  const plain = await sdk.launch(client, providerOf(voter), { name: 'Plain', symbol: 'PLAIN', onStep })
  t.match(plain, { token: { symbol: 'PLAIN', creator: voter.address.toLowerCase() }, trades: [] })
  t.same(steps, ['sign', 'wait', 'sync'])
})

t.test('a launch can buy its whole curve, and graduate at once', async (t) => {
  const names = { name: 'Whole Curve', symbol: 'WHOLE' }
  const { token, trades } = await sdk.launch(client, creatorWallet, { ...names, initialBuy: parseEther('7') })
  t.equal(trades.length, 1)
  t.match(await sdk.getToken(client, { path: { address: token.address } }), { status: 'graduated' })
})

t.test('a curve that was completed with too little gas is graduated by another wallet', async (t) => {
  const { token } = await sdk.launch(client, creatorWallet, { name: 'Low Gas', symbol: 'LOWGAS' })
  const path = { address: token.address }
  const query = { side: 'buy', amount: parseEther('10'), recipient: trader.address.toLowerCase() } as const
  const quote = await sdk.quoteTrade(client, { path, query })
  const hash = await traderWallet.sendTransaction({
    ...sdk.buildTrade(config, quote, { recipient: trader.address }),
    chain: null,
    gas: 400_000n,
  })
  await sdk.waitForReceipt(client, hash)
  await until(
    () => sdk.getToken(client, { path }),
    ({ status }) => status === 'completed',
    'it is indexed',
  )
  const closed = sdk.trade(client, voterWallet, { token: token.address, side: 'buy', amount: parseEther('1') })
  await t.rejects(closed, { name: 'SlipwayError', reason: 'TOKEN_NOT_TRADABLE' })
  const { txHash } = await sdk.transact(client, voterWallet, sdk.buildGraduation(config, { token: token.address }))
  await until(
    () => sdk.getToken(client, { path }),
    ({ status }) => status === 'graduated',
    `the graduation in ${txHash} is indexed`,
  )
})

t.test('a trade quotes, sends, waits and syncs, with a wallet client and with a provider', async (t) => {
  const buying = stepsOf()
  const bought = await sdk.trade(client, traderWallet, {
    ...{ token: address, side: 'buy', amount: parseEther('0.2'), publicClient: chain.client, ...buying },
  })
  t.same(buying.steps, ['quote', 'sign', 'wait', 'sync'])
  t.match(bought.trades, [{ side: 'buy', trader: trader.address.toLowerCase(), txHash: bought.txHash }])
  t.equal(bought.trades[0]?.tokenAmount, bought.quote.amountOut, 'exactly what was quoted')

  const half = sdk.toBigInt(bought.quote.amountOut) / 2n
  const selling = stepsOf()
  const wallet = providerOf(trader)
  const sold = await sdk.trade(client, wallet, { token: address, side: 'sell', amount: half, ...selling })
  t.same(selling.steps, ['quote', 'sign', 'wait', 'sync'], 'a sell on the curve needs no approval')
  t.match(sold.trades, [{ side: 'sell', tokenAmount: half.toString(), txHash: sold.txHash }])
})

t.test('a trade whose first sync response was lost returns its records', async (t) => {
  await sdk.signIn(client, trader)
  let isLost = true
  const losing = sdk.createClient({
    baseUrl: service.url,
    ...(client.token && { token: client.token }),
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (!isLost || !String(input).endsWith('/buy')) return response
      isLost = false
      return new Response('{"success":false,"error":"Transaction is not mined yet"}', { status: 425 })
    },
  })
  const { trades, txHash } = await sdk.trade(losing, traderWallet, { token: address, side: 'buy', amount: 10n ** 16n })
  t.notOk(isLost)
  t.match(trades, [{ side: 'buy', txHash }])
})

/** A client of the trader to whose syncs of buys the service first answers like this. */
async function openTroubled(troubles: (() => Response)[]): Promise<sdk.Client> {
  await sdk.signIn(client, trader)
  return sdk.createClient({
    baseUrl: service.url,
    ...(client.token && { token: client.token }),
    fetch: async (input, init) => {
      const trouble = String(input).endsWith('/buy') ? troubles.shift() : undefined
      return trouble ? trouble() : fetch(input, init)
    },
  })
}
const refuse =
  (status: number, retryAfter = 0) =>
  () =>
    new Response('{"success":false,"error":"Busy"}', { status, headers: { 'retry-after': String(retryAfter) } })

t.test('the sync of a mined trade is retried while the service is busy or unreachable', async (t) => {
  const unreachable = () => {
    throw new TypeError('fetch failed')
  }
  const troubles = [refuse(429), refuse(503), refuse(502), unreachable]
  const troubled = await openTroubled(troubles)
  const { steps, onStep } = stepsOf()
  const bought = await sdk.trade(troubled, traderWallet, { token: address, side: 'buy', amount: 10n ** 16n, onStep })
  t.equal(troubles.length, 0)
  t.match(bought.trades, [{ side: 'buy', txHash: bought.txHash }])
  t.same(steps, ['quote', 'sign', 'wait', 'sync'], 'it is sent once')
})

t.test('a mined trade that cannot be synced fails with NotSyncedError, which warns not to send again', async (t) => {
  for (const [status, timeoutMs] of [
    [401, undefined],
    [503, 30_000],
  ] as const) {
    // A retry after 60 s would be later than the flow waits.
    const troubled = await openTroubled([refuse(status, 60)])
    let sent = ''
    const onStep = (step: sdk.Step) => {
      if (step.name === 'sync') sent = step.txHash
    }
    const options = { token: address, side: 'buy', amount: 10n ** 16n, onStep, publicClient: chain.client } as const
    const error = await sdk
      .trade(troubled, traderWallet, { ...options, ...(timeoutMs !== undefined && { timeoutMs }) })
      .catch((error: unknown) => error as sdk.NotSyncedError)
    t.match(error, { name: 'NotSyncedError', txHash: sent, cause: { status } })
    t.match(sdk.describeError(error), new RegExp(`the transaction ${sent} yet. Do not send it again`))
  }
})

/** Calls that the contracts revert, with the name of their error. */
const reverted = (later: number): [string, sdk.UnsignedTransaction][] => {
  const trade = { token: address, amount: parseEther('1'), minimumOut: 0n, recipient: trader.address }
  const raise = { token: address, tokenAmount: 1n, goalMin: 2n, goalMax: 1n, endAt: later, title: 'Pier' }
  const [raiseId, poolId] = [`${chain.contracts.raises}-99`, `${chain.contracts.feeStaking}-99`]
  return [
    ['SymbolLength', sdk.buildLaunch(config, { name: 'Long', symbol: 'SEVENTEEN LETTERS', terms: TERMS })],
    ['NameLength', sdk.buildLaunch(config, { name: '', symbol: 'EMPTY', terms: TERMS })],
    ['Slippage', sdk.buildBuy(config, { ...trade, minimumOut: 10n ** 27n })],
    ['Expired', sdk.buildBuy(config, { ...trade, deadline: 1 })],
    ['UnknownToken', sdk.buildBuy(config, { ...trade, token: zeroAddress })],
    ['ExceedsSold', sdk.buildSell(config, { ...trade, amount: 10n ** 28n })],
    ['CurveNotCompleted', sdk.buildGraduation(config, { token: address })],
    ['OnlyFeeOwner', sdk.buildFeeRightTransfer(config, { token: address, to: trader.address })],
    ['OnlyCreator', sdk.buildMetadataChange({ token: address, metadataUri: '' })],
    ['InvalidGoals', sdk.buildRaise(config, raise)],
    ['UnknownRaise', sdk.buildCommitment(raiseId, 1n)],
    ['UnknownProposal', sdk.buildVote(raiseId, 'for')],
    ['UnknownPool', sdk.buildStake(poolId, 1n)],
    ['ERC20InsufficientBalance', sdk.buildStake(`${chain.contracts.feeStaking}-1`, 10n ** 30n)],
  ]
}

t.test('an expected revert is reported as a sentence before the wallet signs', async (t) => {
  await chain.send(owner, {
    ...{ to: chain.contracts.feeStaking, abi: feeStakingAbi, functionName: 'createPool' },
    args: [address, zeroAddress, 600n, BigInt(DAY)],
  })
  const spender = chain.contracts.feeStaking
  const approve = (spender: Hex, amount: bigint) =>
    sdk.transact(client, traderWallet, sdk.buildApproval({ token: address, spender, amount }))
  await approve(spender, 10n ** 30n)
  for (const [name, transaction] of reverted((await now()) + DAY)) {
    const error = await sdk.transact(client, traderWallet, transaction).catch((error: unknown) => error)
    t.ok(error instanceof sdk.RevertError, name)
    t.match(error, { revert: { name }, message: /^[A-Z].*\.$/, txHash: undefined })
    const ofViem = await traderWallet.sendTransaction({ ...transaction, chain: null }).catch((error: unknown) => error)
    t.equal(sdk.describeRevert(ofViem)?.name, name, 'viem’s error is decoded, too')
  }
  const [, late] = reverted(0)[3] as [string, sdk.UnsignedTransaction]
  const ofNode = await chain.rpc('eth_call', { ...late, value: '0x0' }).catch((error: unknown) => error)
  t.equal(sdk.describeError(ofNode), 'The deadline has passed.')
  const hash = await traderWallet.sendTransaction({ ...late, chain: null, gas: 200_000n })
  t.same(await sdk.waitForReceipt(client, hash), { txHash: hash, isReverted: true }, 'one that was mined all the same')
  const poor = walletOf(account(50))
  const buy = sdk.buildBuy(config, { token: address, amount: 1n, minimumOut: 0n, recipient: trader.address })
  const unpaid = await sdk.transact(client, poor, buy).catch((error: unknown) => error)
  t.match(sdk.describeError(unpaid), /too little native coin/)
})

t.test('a stake is made, withdrawn after its delay and rewarded from a funded pool', async (t) => {
  const { items } = await until(
    () => sdk.listStakingPools(client),
    ({ items }) => items.length === 1,
    'the pool is indexed',
  )
  const { id = '', stakingToken, rewardToken } = items[0] as sdk.Schema<'StakingPool'>
  const amount = parseEther('1000')
  await sdk.trade(client, voterWallet, { token: address, side: 'buy', amount: parseEther('0.1') })
  const stake = await sdk.transact(client, voterWallet, sdk.buildStake(id, amount), sdk.syncStake, {
    approval: { token: stakingToken, amount },
  })
  t.match(stake.positions, [{ poolId: id, staked: amount.toString() }])
  const fund = sdk.buildFunding(id, parseEther('1'), { rewardToken })
  t.match(await sdk.transact(client, traderWallet, fund, sdk.syncFunding), { events: [{ type: 'fund' }] })
  const unstake = sdk.buildUnstake(id, amount / 2n)
  t.match(await sdk.transact(client, voterWallet, unstake, sdk.syncUnstake), {
    positions: [{ pendingUnstake: (amount / 2n).toString() }],
  })
  const early = await sdk.transact(client, voterWallet, sdk.buildWithdrawal(id)).catch((error: Error) => error)
  t.match(early, { message: /^The tokens can be withdrawn from \d{4}-/ })
  await pass(HOUR)
  const withdrawn = await sdk.transact(client, voterWallet, sdk.buildWithdrawal(id), sdk.syncWithdrawal)
  t.match(withdrawn.positions, [{ pendingUnstake: '0' }])
  const claimed = await sdk.transact(client, voterWallet, sdk.buildRewardClaim(id), sdk.syncRewardClaim)
  t.not(claimed.events[0]?.amount, '0')
})

t.test('raises are opened, filled, left, paid out by a vote and dissolved', async (t) => {
  const tokenAmount = parseEther('1000')
  const terms = { token: address, tokenAmount, goalMin: parseEther('1'), goalMax: parseEther('4'), title: 'A harbour' }
  const open = async (options: Partial<sdk.RaiseOptions> = {}) => {
    const raise = sdk.buildRaise(config, {
      ...terms,
      endAt: (await now()) + 2 * HOUR,
      votingPeriod: HOUR,
      votingDelay: HOUR,
      ...options,
    })
    const approval = { token: address, amount: tokenAmount }
    const { raises } = await sdk.transact(client, creatorWallet, raise, sdk.createRaise, {
      approval,
      body: { description: 'Moorings, and fish.' },
    })
    return raises[0]?.id as string
  }
  const start = await now()
  const id = await open({ registrationStart: start, startAt: start + HOUR })
  const path = { id }
  const registered = await sdk.transact(client, traderWallet, sdk.buildRegistration(id), sdk.syncRegistration, { path })
  t.match(registered.raise, { description: 'Moorings, and fish.', myCommitment: { registered: true } })
  await sdk.transact(client, voterWallet, sdk.buildRegistration(id), sdk.syncRegistration, { path })
  await pass(HOUR)
  for (const wallet of [traderWallet, voterWallet]) {
    const commitment = sdk.buildCommitment(id, parseEther('1'))
    await sdk.transact(client, wallet, commitment, sdk.syncCommitment, { path })
  }
  await pass(HOUR)
  const final = await sdk.transact(client, voterWallet, sdk.buildFinalization(id), sdk.syncFinalization, { path })
  t.match(final.raise, { status: 'finalized', totalCommitted: parseEther('2').toString() })
  const claim = await sdk.transact(client, traderWallet, sdk.buildTokenClaim(id), sdk.syncTokenClaim, { path })
  t.match(claim.events, [{ type: 'claim_raise', amount: (tokenAmount / 2n).toString() }])

  const recipient = account(9).address
  const propose = async (transaction: sdk.UnsignedTransaction) => {
    const { proposals } = await sdk.transact(client, creatorWallet, transaction, sdk.syncProposal, { path })
    return proposals[0]?.id as string
  }
  const taken = await propose(sdk.buildProposal(id, { amount: 1n, recipient, title: 'Taken back' }))
  await sdk.transact(client, creatorWallet, sdk.buildProposalCancellation(taken))
  const paid = await propose(sdk.buildProposal(id, { amount: parseEther('0.5'), recipient, title: 'A pier' }))
  await pass(HOUR)
  await sdk.transact(client, traderWallet, sdk.buildVote(paid, 'abstain'))
  const vote = await sdk.transact(client, traderWallet, sdk.buildVote(paid, 'for'), sdk.syncVote, {
    path: { id: paid },
  })
  t.match(vote.proposal, { forVotes: parseEther('1').toString(), myVote: { support: 'for' } })
  await pass(HOUR)
  const early = await sdk.transact(client, voterWallet, sdk.buildExecution(paid)).catch((error: Error) => error)
  t.match(early, { message: /^Committers can still leave before this payment\. It can be executed from \d{4}-/ })
  const bound = await sdk.transact(client, traderWallet, sdk.buildExit(paid)).catch((error: Error) => error)
  t.match(bound, { message: 'This wallet voted for the proposal and cannot leave before it.' })
  const left = await sdk.transact(client, voterWallet, sdk.buildExit(paid), sdk.syncExit, { path: { id: paid } })
  t.match(left.events, [{ type: 'exit', amount: parseEther('1').toString() }])
  await pass(HOUR)
  const done = await sdk.transact(client, voterWallet, sdk.buildExecution(paid), sdk.syncExecution, {
    path: { id: paid },
  })
  t.match(done.proposal, { state: 'executed', payout: parseEther('0.25').toString() }, 'half of the weight has left')

  const ending = await propose(sdk.buildDissolutionProposal(id, { title: 'Enough' }))
  t.match(await sdk.getProposal(client, { path: { id: ending } }), { kind: 'dissolve' })
  await pass(181 * DAY)
  await sdk.transact(client, voterWallet, sdk.buildDissolution(id))
  const refund = await sdk.transact(client, traderWallet, sdk.buildRefund(id), sdk.syncRefund, {
    approval: { token: address, amount: tokenAmount },
    path,
  })
  t.match(refund.events, [{ type: 'refund', amount: parseEther('0.75').toString() }])
  await sdk.transact(client, voterWallet, sdk.buildTokenReclaim(id))
  const cancelled = await open()
  await sdk.transact(client, creatorWallet, sdk.buildRaiseCancellation(cancelled))
  await until(
    () => sdk.getRaise(client, { path: { id: cancelled } }),
    ({ status }) => status === 'cancelled',
    'it is cancelled',
  )
})

t.test('a curve is completed, graduates, and its pool trades', async (t) => {
  await sdk.transact(client, creatorWallet, sdk.buildMetadataChange({ token: address, metadataUri: 'ipfs://new' }))
  const contract = { address, abi: launchTokenAbi } as const
  t.equal(await chain.client.readContract({ ...contract, functionName: 'contractURI' }), 'ipfs://new')
  const last = await sdk.trade(client, voterWallet, { token: address, side: 'buy', amount: parseEther('10') })
  t.ok(last.quote.completesCurve)
  t.not(last.quote.refund, '0', 'what exceeds the target comes back')
  t.match(
    await sdk.getToken(client, { path: { address } }),
    { status: 'graduated' },
    'the same transaction graduates it',
  )
  // Estimated in the second of the graduation, mined in a later one, in which the pair stores its price sums.
  const setTime = (time: number) => chain.rpc('evm_setNextBlockTimestamp', time)
  await setTime(await now())
  const late: sdk.Provider = {
    request: async ({ method, params }) => {
      if (method === 'eth_sendTransaction') await setTime((await now()) + 60)
      return providerOf(trader).request({ method, params: params as unknown[] })
    },
  }
  const buy = await sdk.trade(client, late, { token: address, side: 'buy', amount: parseEther('0.1') })
  t.match(buy, { quote: { venue: 'pool' }, trades: [{ venue: 'pool', side: 'buy' }] })
  await sdk.transact(client, creatorWallet, sdk.buildCreatorFeeClaim(config, { token: address }))
  const amount = sdk.toBigInt(buy.quote.amountOut) / 4n
  const selling = stepsOf()
  const order = { token: address, side: 'sell', amount } as const
  const sell = await sdk.trade(client, traderWallet, { ...order, slippageBps: 0, ...selling })
  t.match(sell, { quote: { venue: 'pool' }, trades: [{ venue: 'pool', side: 'sell' }] })
  t.same(selling.steps, ['quote', 'approve', 'wait', 'quote', 'sign', 'wait', 'sync'])

  const spender = sell.quote.approval?.spender as Hex
  await sdk.transact(client, traderWallet, sdk.buildApproval({ token: address, spender, amount: 2n * amount }))
  t.equal(await sdk.readAllowance(client, { token: address, owner: trader.address, spender }), 2n * amount)
  const again = stepsOf()
  await sdk.trade(client, traderWallet, { ...order, ...again })
  t.same(again.steps, ['quote', 'sign', 'wait', 'sync'], 'an allowance that suffices is not asked for again')
})
