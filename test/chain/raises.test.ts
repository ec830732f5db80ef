import fc from 'fast-check'
import t from 'tap'
import type { Address, Hex } from 'viem'
import {
  escrowOf,
  escrowShare,
  proposalStateAt,
  proposalStateOf,
  proposalStates,
  raiseStatusAt,
  raiseStatuses,
  raiseStatusOf,
  releasedBy,
  tokenShare,
} from '../../chain/raises.ts'
import { never } from '../contracts/fixtures/chain.ts'
import { gas, startRaises } from '../contracts/fixtures/raises.ts'

const seed = 20_261_121
type Motion = {
  who: number
  percent: bigint
  dissolves: boolean
  votes: (number | undefined)[]
  exits: boolean[]
  outcome: 'execute' | 'cancel' | 'expire'
}

const who = fc.integer({ min: 0, max: 2 })
const motion: fc.Arbitrary<Motion> = fc.record({
  who,
  percent: fc.bigInt(1n, 100n),
  dissolves: fc.integer({ min: 0, max: 2 }).map((n) => n === 0),
  votes: fc.array(fc.constantFrom(1, 1, 1, 1, 2, 0, undefined), { minLength: 3, maxLength: 3 }),
  exits: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  outcome: fc.constantFrom('execute', 'execute', 'execute', 'execute', 'execute', 'cancel', 'expire'),
})
const scenario = fc.record({
  goalMin: fc.bigInt(1n, 500n),
  extra: fc.bigInt(0n, 1_000n),
  tokenAmount: fc.bigInt(1n, 100_000n),
  quorumBps: fc.integer({ min: 1_000, max: 7_000 }),
  votingDelay: fc.constantFrom(0, 100),
  registration: fc.boolean(),
  cancelled: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
  commits: fc.array(fc.record({ who, amount: fc.bigInt(1n, 400n) }), { minLength: 1, maxLength: 5 }),
  rounds: fc.array(fc.record({ motions: fc.array(motion, { minLength: 1, maxLength: 2 }), claimer: who }), {
    minLength: 2,
    maxLength: 3,
  }),
})

t.test('status and state equal the contract’s at any time, and the escrow stays solvent', async (t) => {
  const chain = await startRaises(t)
  const { raises, token, clock, publicClient } = chain
  const [, creator, ...others] = chain.accounts
  const actors = others.slice(0, 3)
  for (const account of actors) await chain.mine(token.write.approve([raises.address, never], { account, gas }))
  await clock.reach((await publicClient.getBlock()).timestamp + 1n)
  const seen = new Map<string, number>()
  const count = (word: string) => seen.set(word, (seen.get(word) ?? 0) + 1)
  let held = { coins: 0n, tokens: 0n }

  /** One raise, the proposals made so far, and what its events say has come in and gone out. */
  class Walk {
    readonly id: bigint
    readonly proposals: bigint[] = []
    readonly sums = { in: 0n, out: 0n, tokens: 0n, setAside: 0n }

    constructor(id: bigint) {
      this.id = id
    }

    /** Holds the model against the views, as of `time`; of the proposals, the latest two unless told otherwise. */
    async look(time: bigint, proposals = this.proposals.slice(-2)) {
      await clock.reach(time)
      const [raise, code] = await Promise.all([raises.read.raise([this.id]), raises.read.status([this.id])])
      const status = raiseStatusAt({ ...raise, finalized: raise.finalizedAt > 0n }, time)
      if (status !== raiseStatusOf(code))
        throw new Error(`the raise is ${raiseStatusOf(code)}, the model says ${status}`)
      count(status)
      const dissolvedAt = raise.dissolvedAt === 0n ? null : raise.dissolvedAt
      for (const id of proposals) {
        const [proposal, actual] = await Promise.all([raises.read.proposal([id]), chain.stateOf(id)])
        const state = proposalStateAt(proposal, dissolvedAt, time)
        if (state !== proposalStateOf(actual)) throw new Error(`a proposal is ${proposalStateOf(actual)}, not ${state}`)
        count(`proposal ${state}`)
      }
      return { raise, status, dissolvedAt }
    }

    /** Sends what may revert: then nothing has happened, and there is no event. */
    async try(write: () => Promise<Hex>) {
      await clock.set(clock.now + 1n)
      const receipt = await chain.mine(write()).catch(() => undefined)
      for (const { eventName, args } of receipt ? chain.logs(receipt) : []) {
        count(eventName)
        if (eventName === 'Committed') this.sums.in += args.amount
        if (eventName === 'Exited') this.sums.setAside += args.amount
        if (eventName === 'Refunded' || eventName === 'ProposalExecuted') this.sums.out += args.amount
        if (eventName === 'Claimed') this.sums.tokens += args.tokenAmount
        if (eventName === 'ProposalCreated') this.proposals.push(args.proposalId)
      }
    }

    async claim(account: Address) {
      const before = this.sums.tokens
      await this.try(() => raises.write.claim([this.id], { account, gas }))
      return this.sums.tokens - before
    }

    async refund(account: Address) {
      const before = this.sums.out
      await this.try(() => raises.write.refund([this.id], { account, gas }))
      return this.sums.out - before
    }

    /** Leaves, if the wallet may: then the share is what the model says. */
    async exit(id: bigint, account: Address) {
      const { raise } = await this.look(clock.now + 1n)
      const { amount, exited } = await raises.read.commitment([this.id, account])
      const before = this.sums.setAside
      await this.try(() => raises.write.exit([id], { account, gas }))
      const setAside = this.sums.setAside - before
      if (setAside === 0n) return
      const share = escrowShare(raise, amount).amount
      if (exited || setAside !== share) throw new Error(`an exit with ${setAside}, the model says ${share}`)
    }

    async execute(id: bigint) {
      const [{ raise }, proposal] = [await this.look(clock.now + 1n), await raises.read.proposal([id])]
      const before = this.sums.out
      await this.try(() => raises.write.execute([id], { account: creator, gas }))
      const paid = this.sums.out - before
      const share = releasedBy(proposal.amount, proposal.totalWeight, raise)
      if (paid !== 0n && paid !== share) throw new Error(`a release of ${paid}, the model says ${share}`)
    }

    async decide(motions: Motion[]) {
      const { raise } = await this.look(clock.now + 1n)
      const first = this.proposals.length
      for (const { who, percent, dissolves } of motions) {
        const amount = (escrowOf(raise) * percent) / 100n
        const as = { account: actors[who]!, gas }
        if (dissolves) await this.try(() => raises.write.proposeDissolution([this.id, 'Back', ''], as))
        else await this.try(() => raises.write.propose([this.id, amount, others[5]!, 'Pay', ''], as))
      }
      const made = this.proposals.slice(first)
      if (made.length === 0) return
      const last = await raises.read.proposal([made.at(-1)!])
      if (last.voteStart - 1n > clock.now) await this.look(last.voteStart - 1n)
      await this.look(last.voteStart > clock.now ? last.voteStart : clock.now + 1n)
      for (const [index, id] of made.entries()) {
        for (const [voter, support] of motions[index]!.votes.entries()) {
          if (support === undefined) continue
          await this.try(() => raises.write.vote([id, support], { account: actors[voter]!, gas }))
        }
      }
      await this.look(last.voteEnd - 1n)
      await this.look(last.voteEnd)
      for (const [index, id] of made.entries()) {
        for (const [at, exits] of motions[index]!.exits.entries()) if (exits) await this.exit(id, actors[at]!)
      }
      await this.look(last.executableAt > clock.now ? last.executableAt : clock.now + 1n)
      for (const [index, id] of made.entries()) {
        const { who, outcome } = motions[index]!
        const as = { account: actors[who]!, gas }
        if (outcome === 'cancel') await this.try(() => raises.write.cancelProposal([id], as))
        else if (outcome === 'execute') await this.execute(id)
      }
      await this.look(clock.now + 1n)
      if (!motions.some(({ outcome }) => outcome === 'expire')) return
      await this.look(last.expiresAt - 1n)
      await this.look(last.expiresAt)
    }

    /** Everyone takes what the model says is due to them; then the contract holds what is left, to the unit. */
    async settle() {
      const { raise, status, dissolvedAt } = await this.look(clock.now + 1n, this.proposals)
      for (const account of actors) {
        const own = await raises.read.commitment([this.id, account])
        const { amount, claimed, refunded, exited } = own
        const due = { coins: 0n, tokens: 0n }
        const share = exited ? { amount: own.refundDue, tokensGivenUp: 0n } : escrowShare(raise, amount)
        if (amount > 0n && status === 'finalized') {
          if (!claimed) due.tokens = tokenShare(raise, amount) - own.tokensGivenUp
          if ((dissolvedAt !== null || exited) && !refunded) due.coins = share.amount
        } else if (status === 'failed' || status === 'cancelled') due.coins = amount
        // Before or after the refund: it must come to the same.
        const claimsFirst = amount % 2n === 0n
        if (!claimsFirst && due.coins > 0n && status === 'finalized') {
          due.tokens -= share.tokensGivenUp * (claimed ? 0n : 1n)
        }
        const tokens = claimsFirst ? await this.claim(account) : 0n
        const coins = await this.refund(account)
        if (coins !== due.coins) throw new Error(`a refund of ${coins}, the model says ${due.coins}`)
        const later = claimsFirst ? tokens : await this.claim(account)
        if (later !== due.tokens) throw new Error(`a claim of ${later}, the model says ${due.tokens}`)
      }
      const left = { coins: this.sums.in - this.sums.out, tokens: 0n }
      await this.try(() => raises.write.reclaimTokens([this.id], { account: creator, gas }))
      const coins = await chain.balance(raises.address)
      const tokens = await token.read.balanceOf([raises.address])
      if (coins - held.coins !== left.coins || left.coins < 0n) throw new Error('the coins are not all there')
      if (tokens < held.tokens) throw new Error('the tokens of another raise were paid out')
      if (status === 'finalized' && dissolvedAt === null && tokens - held.tokens > 2n) throw new Error('unsold tokens')
      if ((status === 'failed' || status === 'cancelled') && tokens !== held.tokens) throw new Error('tokens stayed')
      if (dissolvedAt !== null && left.coins > 2n) throw new Error('coins stayed in a dissolved raise')
      held = { coins, tokens }
    }
  }

  const property = fc.asyncProperty(scenario, async (terms) => {
    const startAt = clock.now + 1_000n
    const registrationStart = terms.registration ? startAt - 500n : 0n
    const { id, endAt } = await chain.create({
      goalMin: terms.goalMin,
      goalMax: terms.goalMin + terms.extra,
      tokenAmount: terms.tokenAmount,
      quorumBps: terms.quorumBps,
      votingDelay: terms.votingDelay,
      votingPeriod: 3_600,
      registrationRequired: terms.registration,
      registrationStart,
      startAt,
      endAt: startAt + 5_000n,
    })
    const walk = new Walk(id)
    await walk.look(startAt - 501n)
    await walk.look(startAt - 500n)
    for (const account of actors) await walk.try(() => raises.write.register([id], { account, gas }))
    await walk.look(startAt - 1n)
    await walk.look(startAt)
    for (const { who, amount } of terms.commits) {
      await walk.try(() => raises.write.commit([id], { account: actors[who]!, value: amount, gas }))
    }
    if (terms.cancelled) await walk.try(() => raises.write.cancel([id], { account: creator, gas }))
    await walk.look(endAt - 1n)
    await walk.look(endAt)
    await walk.try(() => raises.write.finalize([id], { account: creator, gas }))
    for (const { motions, claimer } of terms.rounds) {
      await walk.decide(motions)
      await walk.claim(actors[claimer]!)
    }
    await walk.settle()
  })
  await fc.assert(property, { seed, numRuns: 12, endOnFailure: true })
  const proposals = proposalStates.map((state) => `proposal ${state}`)
  for (const word of [
    ...raiseStatuses,
    ...proposals,
    'Dissolved',
    'Claimed',
    'Refunded',
    'Exited',
    'ProposalExecuted',
  ]) {
    t.ok((seen.get(word) ?? 0) > 1, `${word}: ${seen.get(word)}`)
  }
})

t.test('dissolving a raise cancels undecided and unexecuted proposals, but no defeated ones', async (t) => {
  const votes = { quorum: 4n, forVotes: 0n, againstVotes: 0n, abstainVotes: 0n, executed: false, cancelled: false }
  const proposal = { ...votes, voteStart: 100n, voteEnd: 200n, expiresAt: 300n }
  const passed = { ...proposal, forVotes: 4n }
  t.equal(proposalStateAt(proposal, 99n, 99n), 'cancelled', 'pending')
  t.equal(proposalStateAt(proposal, 199n, 500n), 'cancelled', 'under vote, for good')
  t.equal(proposalStateAt(proposal, 200n, 200n), 'defeated')
  t.equal(proposalStateAt(passed, 200n, 200n), 'cancelled')
  t.equal(proposalStateAt({ ...passed, executed: true }, 200n, 200n), 'executed')
  t.equal(proposalStateAt(passed, null, 299n), 'succeeded')
  t.equal(proposalStateAt(passed, null, 300n), 'expired')
  t.equal(proposalStateAt(passed, 299n, 500n), 'cancelled')
  t.equal(proposalStateAt(passed, 300n, 500n), 'expired', 'for good')
})

t.test('a share of the escrow rounds against its receiver, in coins and tokens', async (t) => {
  const sums = { tokenAmount: 1_000n, totalCommitted: 8n, released: 2n, exitedWeight: 0n, exitedAmount: 0n }
  t.strictSame(escrowShare(sums, 6n), { amount: 4n, tokensGivenUp: 563n }, '4.5 and 562.5')
  t.strictSame(escrowShare(sums, 2n), { amount: 1n, tokensGivenUp: 188n }, '1.5 and 187.5')
  t.strictSame(escrowShare({ ...sums, released: 0n }, 6n), { amount: 6n, tokensGivenUp: 750n }, 'all of it')
  const left = { ...sums, exitedWeight: 2n, exitedAmount: 1n }
  t.strictSame(escrowShare(left, 6n), { amount: 5n, tokensGivenUp: 625n }, 'what an exit left behind')
  t.strictSame(escrowShare({ ...sums, exitedWeight: 8n }, 6n), { amount: 0n, tokensGivenUp: 0n }, 'nobody is left')
  t.equal(releasedBy(4n, 8n, left), 3n)
  t.equal(escrowOf({ ...sums, released: 9n }), 0n)
  t.equal(tokenShare({ ...sums, totalCommitted: 7n }, 3n), 428n)
})
