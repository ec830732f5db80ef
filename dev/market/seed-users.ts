import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Db } from '../../db/client.ts'
import { addApplication, reviewApplication } from '../../db/queries/ambassador-applications.ts'
import { createComment } from '../../db/queries/comments.ts'
import { follow } from '../../db/queries/follows.ts'
import { likeComment, likeToken } from '../../db/queries/likes.ts'
import { enterAsWriter, updateProfile } from '../../db/queries/profiles.ts'
import { upsertProposalTexts } from '../../db/queries/raises/raise-proposals.ts'
import { upsertRaiseTexts } from '../../db/queries/raises/raises.ts'
import type { Database } from '../../db/schema.ts'
import { toSkeleton } from '../../db/username-skeleton.ts'
import type { Logger } from '../market.ts'

const POLL_MS = 250
/** All tokens of the history but the two newest; the twelfth launches after the last raise is created. */
const MIN_TOKENS = 12

/** Profiles, by account index. */
const users: readonly { wallet: number; username: string; bio: string }[] = [
  { wallet: 1, username: 'harbormaster', bio: 'I launched the cat. The cat disagrees.' },
  { wallet: 2, username: 'tortoise_fan', bio: 'Slow money.' },
  { wallet: 3, username: 'kiteflyer', bio: 'Up in a good wind.' },
  { wallet: 5, username: 'night_pilot', bio: 'Ferries, mostly after dark.' },
  { wallet: 7, username: 'mossy', bio: 'Growing things that do not grow.' },
]

/** The names that demo wallets are offered under: usernames, else the number of the account. */
export const nameAccounts = (wallets: readonly string[]) =>
  wallets.map((address, index) => ({
    index,
    address,
    name: users.find(({ wallet }) => wallet === index)?.username ?? `Account ${index}`,
  }))

/** Comments by token name, with their replies. */
const commentThreads: readonly { token: string; by: number; text: string; answers?: readonly [number, string][] }[] = [
  {
    token: 'Harbor Cat',
    by: 3,
    text: 'Bought on the curve, still holding. The cat has not moved since.',
    answers: [
      [1, 'She never does before noon.'],
      [5, 'Saw her on the ferry.'],
    ],
  },
  { token: 'Harbor Cat', by: 7, text: 'Liquidity is burnt, I checked the pair: nobody can pull it.' },
  { token: 'Paper Kite', by: 2, text: 'Too fast for me.', answers: [[3, 'You said that at the launch, too.']] },
  { token: 'Slow Tortoise', by: 1, text: 'Is the workshop still going to get its roof?' },
  { token: 'Night Ferry', by: 3, text: 'Graduated while I slept. As one does, with a night ferry.' },
  { token: 'Signal Fire', by: 5, text: 'The curve is complete: anybody can graduate it now.' },
  { token: '北極星', by: 7, text: '今夜も北に。' },
  { token: 'Café Comète', by: 1, text: 'Early. Very early.' },
]

const follows: readonly [number, number][] = [
  [2, 1],
  [3, 1],
  [5, 1],
  [7, 1],
  [1, 3],
  [2, 3],
  [5, 3],
  [3, 5],
  [1, 7],
]
const likes: readonly [wallet: number, token: string][] = [
  [2, 'Harbor Cat'],
  [3, 'Harbor Cat'],
  [5, 'Harbor Cat'],
  [1, 'Paper Kite'],
  [7, 'Night Ferry'],
  [1, 'Slow Tortoise'],
]

/** Descriptions of raises and of proposals, by title. */
const raiseDescriptions = new Map([
  ['A workshop', 'Four walls and a roof, so that a slow tortoise has somewhere to be slow in when it rains.'],
  ['A regatta', 'Kites against boats, once around the harbor. The kites need somebody to hold the strings.'],
  ['A second ferry', 'One ferry at night is romantic. Two are a timetable.'],
  ['A cellar for turnips', 'A turnip keeps until spring, if it is dark and cool. We have found a place that is both.'],
  ['A club house', 'Called off: the owner of the house wants to live in it after all.'],
  ['A garden on the quay', 'Moss first, then whatever comes by itself. Register, so that we know for whom to dig.'],
  ['A taller lighthouse', 'Twelve steps more, and the signal is seen from the other shore.'],
])
const proposalDescriptions = new Map([
  ['Pay for the roof', 'Slates, and two days of a roofer. The invoice is with the harbormaster.'],
  ['Pay for the tools', 'A lathe, a vice, and a stove for the winter.'],
])

const applications = [
  {
    name: 'Ines',
    email: 'ines@example.org',
    country: 'PT',
    audience: 'A newsletter of 4,000 readers about small boats.',
  },
  { name: 'Marek', email: 'marek@example.org', country: 'PL', audience: 'Two meetups a month, forty people each.' },
]

interface SeedOptions {
  db: Db
  /** The node's accounts, lower-case, by index. */
  wallets: readonly string[]
  /** Reviewer of applications; without one they stay pending. */
  operator: string | undefined
  log: Logger
  signal: AbortSignal
}

/**
 * Creates the demonstration market's users once its tokens are indexed: profiles, comments, follows, likes,
 * descriptions of raises, and applications. Uses the queries of the API. Does nothing if a profile exists.
 */
export async function seedUsers(stage: SeedOptions): Promise<void> {
  const { db, signal, log } = stage
  try {
    const tokens = await waitForTokens(db, signal)
    if (!tokens) return
    await db.transaction().execute(async (trx) => {
      if (await trx.selectFrom('profiles').select('wallet').limit(1).executeTakeFirst()) return
      await seedProfiles(trx, stage)
      await seedComments(trx, stage, tokens)
      await seedDescriptions(trx)
      await seedApplications(trx, stage)
    })
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'The users of the demonstration market could not be created')
  }
}

/** Token addresses by name; undefined if aborted. */
async function waitForTokens(db: Db, signal: AbortSignal): Promise<Map<string, string> | undefined> {
  for (;;) {
    const rows = await db.selectFrom('tokens').select(['name', 'address']).execute()
    if (rows.length >= MIN_TOKENS) return new Map(rows.map(({ name, address }) => [name, address]))
    await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return undefined
  }
}

async function seedProfiles(trx: Transaction<Database>, { wallets }: SeedOptions): Promise<void> {
  for (const { wallet: index, username, bio } of users) {
    const wallet = wallets[index] as string
    await enterAsWriter(trx, wallet, 'update')
    await updateProfile(trx, { wallet, change: { username, username_skeleton: toSkeleton(username), bio } })
  }
  for (const [from, to] of follows) {
    await follow(trx, { follower: wallets[from] as string, followee: wallets[to] as string })
  }
}

async function seedComments(
  trx: Transaction<Database>,
  { wallets }: SeedOptions,
  tokens: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { token: name, by, text, answers = [] } of commentThreads) {
    const token = tokens.get(name)
    if (!token) continue
    const { comment } = await createComment(trx, { token, author: wallets[by] as string, text, parentId: null })
    for (const [index, answer] of answers) {
      const author = wallets[index] as string
      await createComment(trx, { token, author, text: answer, parentId: comment.id })
      await likeComment(trx, { id: comment.id, wallet: author })
    }
  }
  for (const [index, name] of likes) {
    const token = tokens.get(name)
    if (token) await likeToken(trx, { token, wallet: wallets[index] as string })
  }
}

async function seedDescriptions(trx: Transaction<Database>): Promise<void> {
  for (const { id, creator, title } of await trx.selectFrom('raises').select(['id', 'creator', 'title']).execute()) {
    const description = raiseDescriptions.get(title ?? '')
    if (creator && description)
      await upsertRaiseTexts(trx, { raises: [id], creator, text: { description }, wallet: creator })
  }
  const made = await trx.selectFrom('raise_proposals').select(['id', 'proposer', 'title']).execute()
  for (const { id, proposer, title } of made) {
    const description = proposalDescriptions.get(title ?? '')
    if (proposer && description) await upsertProposalTexts(trx, { proposals: [id], proposer, description })
  }
}

async function seedApplications(trx: Transaction<Database>, { operator }: SeedOptions): Promise<void> {
  const ids: string[] = []
  for (const application of applications) {
    const motivation = 'I use it every day, and would like others to.'
    ids.push((await addApplication(trx, { ...application, wallet: null, socials: {}, motivation })).id)
  }
  const [id] = ids
  if (id && operator) await reviewApplication(trx, { id, status: 'approved', note: 'Welcome.', reviewer: operator })
}
