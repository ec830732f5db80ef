import t, { type Test } from 'tap'
import { type Hex, parseEther } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { account, type Call, calls, createdToken, startChain } from './support/chain.ts'
import { createDatabase, startService, until } from './support/service.ts'
import { signIn } from './support/sign-in.ts'

const people = { ann: account(1), bob: account(2), eve: account(3) }
type Person = keyof typeof people
const HOUR = 3_600
const [AGAINST, FOR] = [0, 1]
const walletOf = (person: Person) => people[person].address.toLowerCase()

/** The service on a chain with a token of Ann's, all three of them signed in. */
async function start(t: Test) {
  const chain = await startChain(t)
  const { contracts } = chain
  const databaseUrl = await createDatabase(t)
  const service = await startService(t, { env: chain.env, ...(databaseUrl && { databaseUrl }) })
  const tokenOf = async (person: Person) =>
    signIn(service, '', { wallet: people[person].address, account: people[person] })
  const tokens = { ann: await tokenOf('ann'), bob: await tokenOf('bob'), eve: await tokenOf('eve') }
  const launch = await chain.send(people.ann, calls.create(contracts, 'One', 'ONE', parseEther('1')))
  const token = createdToken(launch)
  await chain.send(people.ann, calls.approve(token, contracts.raises))
  const onRaises = (functionName: string, args: unknown[], value = 0n): Call => ({
    ...{ to: contracts.raises as Hex, abi: raisesAbi, functionName, args, value },
  })
  const read = async (path: string, person: Person = 'bob') =>
    (await service.request('GET', path, { token: tokens[person] })).body.data
  const sync = (person: Person, path: string, txHash: Hex, more: object = {}) =>
    service.request('POST', path, { token: tokens[person], body: { txHash, ...more } })
  return {
    ...{ chain, service, token, tokens, read, sync },
    /** Sends a call to the contract, and its receipt to the service. */
    do: async (person: Person, path: string, call: Call) => {
      const { transactionHash } = await chain.send(people[person], call)
      const { status, body } = await sync(person, path, transactionHash)
      if (status !== 200) throw new Error(`POST ${path} was answered ${status}: ${body.error}`)
      return { ...body.data, txHash: transactionHash as Hex }
    },
    onRaises,
    now: async () => Number((await chain.client.getBlock()).timestamp),
    pass: async (seconds: number) => {
      await chain.rpc('evm_increaseTime', seconds)
      await chain.rpc('evm_mine')
    },
    idOf: (number: number) => `${contracts.raises.toLowerCase()}-${number}`,
    terms: (more: object) => ({
      ...{
        token,
        tokenAmount: 1_000n,
        goalMin: parseEther('4'),
        goalMax: parseEther('10'),
        walletMin: 0n,
        walletMax: 0n,
      },
      ...{ registrationRequired: false, registrationStart: 0, startAt: 0, quorumBps: 4_000 },
      ...{ votingDelay: 600, votingPeriod: HOUR, title: 'A harbour for cats', metadataURI: 'ipfs://harbour' },
      ...more,
    }),
  }
}

const { chain, service, tokens, read, sync, do: act, onRaises, now, pass, idOf, terms } = await start(t)

t.test('a raise is opened, filled and finalized, and its funds are released by a vote', async (t) => {
  const id = idOf(1)
  await service.request('POST', `/follows/${people.ann.address}`, { token: tokens.bob })
  const opened = await now()
  const times = { registrationStart: opened, startAt: opened + HOUR, endAt: opened + 2 * HOUR }
  const creation = await chain.send(
    people.ann,
    onRaises('createRaise', [terms({ registrationRequired: true, ...times })]),
  )
  const created = await sync('ann', '/api/raises', creation.transactionHash, { description: 'Moorings, and fish.' })
  t.equal(created.status, 200)
  t.match(created.body.data.raises, [
    {
      id,
      creator: walletOf('ann'),
      title: 'A harbour for cats',
      description: 'Moorings, and fish.',
      status: 'registration',
    },
  ])
  // Those of the launch may be there as well: it is indexed before or after Bob follows its creator.
  const { items } = await until(
    () => read('/notifications'),
    ({ items }) => items.some(({ type }: { type: string }) => type === 'raise_opened'),
    'followers of the creator are notified',
  )
  const [notification] = items.filter(({ type }: { type: string }) => type === 'raise_opened')
  t.match(notification, { subject: id, actor: { wallet: walletOf('ann') } })

  for (const person of ['bob', 'eve'] as const) {
    const { raise } = await act(person, `/raises/${id}/register`, onRaises('register', [1n]))
    t.match(raise.myCommitment, { wallet: walletOf(person), registered: true, amount: '0' })
  }
  await pass(HOUR)
  const commitment = await act('bob', `/raises/${id}/commit`, onRaises('commit', [1n], parseEther('6')))
  t.match(commitment.raise, { status: 'active', totalCommitted: String(parseEther('6')), progressPct: 60 })
  t.equal((await sync('bob', `/api/raises/${id}/commit`, commitment.txHash)).status, 409, 'the other mount knows of it')
  t.equal((await sync('eve', `/raises/${id}/commit`, commitment.txHash)).status, 403, 'it is Bob’s')
  await act('eve', `/api/raises/${id}/commit`, onRaises('commit', [1n], parseEther('2')))
  t.match(await read(`/raises/${id}/commitments`), {
    items: [
      { wallet: walletOf('bob'), sharePct: 75 },
      { wallet: walletOf('eve'), sharePct: 25 },
    ],
  })

  await pass(HOUR)
  const isOf = (status: string) => (data: { status: string }) => data.status === status
  await until(() => read(`/raises/${id}`), isOf('succeeded'), 'it is over, by the clock alone')
  const finalized = await act('eve', `/raises/${id}/finalize`, onRaises('finalize', [1n]))
  t.match(finalized.raise, { status: 'finalized', escrow: String(parseEther('8')), myCommitment: { claimable: '250' } })

  const recipient = account(8).address
  const before = await chain.client.getBalance({ address: recipient })
  const payment = [1n, parseEther('2'), recipient, 'Build the pier', 'ipfs://pier']
  const made = await act('ann', `/raises/${id}/propose`, onRaises('propose', payment))
  const [proposal] = made.proposals
  t.match(proposal, {
    raiseId: id,
    kind: 'release',
    state: 'pending',
    quorum: String(parseEther('3.2')),
    forVotes: '0',
  })
  const isIn = (state: string) => (data: { state: string }) => data.state === state
  const url = `/proposals/${proposal.id}`
  await pass(600)
  await until(() => read(url), isIn('active'), 'the vote has begun')
  await act('eve', `/api${url}/vote`, onRaises('vote', [1n, AGAINST]))
  const voted = await act('bob', `${url}/vote`, onRaises('vote', [1n, FOR]))
  t.match(voted.proposal, {
    ...{ forVotes: String(parseEther('6')), againstVotes: String(parseEther('2')), voterCount: 2 },
    myVote: { support: 'for', weight: String(parseEther('6')) },
  })
  await pass(HOUR)
  await until(() => read(url), isIn('succeeded'), 'the vote has passed, and its exit window is open')
  await pass(HOUR)
  const executed = await act('eve', `${url}/execute`, onRaises('execute', [1n]))
  t.match(executed.proposal, { state: 'executed', myVote: { support: 'against' } })
  t.equal((await chain.client.getBalance({ address: recipient })) - before, parseEther('2'), 'the money is there')
  t.match(await read(`/api/raises/${id}`), { released: String(parseEther('2')), escrow: String(parseEther('6')) })

  const claimed = await act('bob', `/raises/${id}/claim`, onRaises('claim', [1n]))
  t.match(claimed.events, [{ type: 'claim_raise', amount: '750' }])
  t.match(await read('/portfolio'), {
    commitments: [
      { raiseId: id, amount: String(parseEther('6')), claimed: true, tokensClaimed: '750', claimable: '0' },
    ],
  })
  const { items: deeds } = await read(`/transactions?raise=${id}`)
  t.strictSame(deeds.map(({ type }: { type: string }) => type).reverse(), [
    ...['raise_create', 'register', 'register', 'commit', 'commit', 'finalize'],
    ...['propose', 'vote', 'vote', 'execute', 'claim_raise'],
  ])
  t.match(await read('/stats'), { raises: { total: 1, open: 0, proposals: 1, released: String(parseEther('2')) } })
})

t.test('a raise that stays below its goal refunds its commitments', async (t) => {
  const id = idOf(2)
  const creation = onRaises('createRaise', [terms({ endAt: (await now()) + HOUR })])
  t.match((await act('ann', '/raises', creation)).raises, [{ id, status: 'active', description: null }])
  const patch = { token: tokens.ann, body: { description: 'Too small a harbour.' } }
  t.equal((await service.request('PATCH', `/raises/${id}`, patch)).status, 200)
  t.equal((await service.request('PATCH', `/raises/${id}`, { ...patch, token: tokens.bob })).status, 403)
  await act('bob', `/raises/${id}/commit`, onRaises('commit', [2n], parseEther('1')))
  await pass(HOUR)
  const failed = await until(
    () => read(`/raises/${id}`),
    ({ status }) => status === 'failed',
    'it has failed, by the clock alone',
  )
  t.match(failed, { description: 'Too small a harbour.', myCommitment: { refundable: String(parseEther('1')) } })
  t.match(await read('/api/raises?status=failed'), { items: [{ id }] })

  const refunded = await act('bob', `/raises/${id}/refund`, onRaises('refund', [2n]))
  t.match(refunded.events, [{ type: 'refund', amount: String(parseEther('1')) }])
  t.match(refunded.raise, { status: 'failed', refunded: String(parseEther('1')), myCommitment: { refundable: '0' } })
  t.equal((await sync('bob', `/raises/${id}/refund`, refunded.txHash)).status, 409)
  await act('eve', `/raises/${id}/finalize`, onRaises('finalize', [2n]))
  await until(
    () => read('/notifications'),
    ({ items }) =>
      items.some(({ type, subject }: { type: string; subject: string }) => type === 'raise_failed' && subject === id),
    'wallets that committed are notified',
  )
})
