import type pg from 'pg'
import { Ledger } from './ledger.ts'

interface Comment {
  token: string
  author: string
  text: string
}

/** All social writes that were answered with 2xx, and those of which it is not known. */
export class Written {
  readonly comments = new Map<string, Comment>()
  /** Of all comments that were sent. */
  readonly texts = new Set<string>()
  readonly commentLikes = new Ledger<boolean>()
  readonly tokenLikes = new Ledger<boolean>()
  readonly follows = new Ledger<boolean>()
  readonly bios = new Ledger<string | null>()
  /** Descriptions of uploaded metadata by their path. */
  readonly uploads = new Map<string, string>()
  /** Of each answer, how many. */
  readonly answers = new Map<string, number>()

  /** One line for each write that is lost, stored twice or contradicts a count. */
  async compare(client: pg.Client): Promise<string[]> {
    const read = async <T>(text: string) => (await client.query(text)).rows as T[]
    const pairs = async (text: string) =>
      new Map((await read<{ key: string }>(text)).map(({ key }) => [key, true] as const))
    const bios = await read<{ wallet: string; bio: string | null }>('select wallet, bio from profiles')
    return [
      ...(await this.#compareComments(read)),
      ...this.commentLikes.compare(
        'like of comment',
        await pairs("select comment_id || ' ' || wallet as key from comment_likes"),
        false,
      ),
      ...this.tokenLikes.compare(
        'like of token',
        await pairs(
          "select t.address || ' ' || l.wallet as key from token_likes l join token_ids t on t.id = l.token_id",
        ),
        false,
      ),
      ...this.follows.compare('follow', await pairs("select follower || ' ' || followee as key from follows"), false),
      ...this.bios.compare('bio', new Map(bios.map(({ wallet, bio }) => [wallet, bio])), null),
      ...(await findWrongCounts(read)),
    ]
  }

  /** One line for each upload that is not served. */
  async compareUploads(url: string): Promise<string[]> {
    const lines: string[] = []
    for (const [path, description] of this.uploads) {
      const response = await fetch(url + path)
      const text = await response.text()
      if (response.status !== 200 || !text.includes(description))
        lines.push(`${path} (${description}): ${response.status}`)
    }
    return lines
  }

  async #compareComments(read: <T>(text: string) => Promise<T[]>): Promise<string[]> {
    const rows = await read<Comment & { id: string; count: number }>(
      `select c.id::text, t.address as token, c.author, c.body as text, (count(*) over (partition by c.body))::integer as count
      from comments c join token_ids t on t.id = c.token_id where c.deleted_at is null`,
    )
    const stored = new Map(rows.map((row) => [row.id, row]))
    const lines: string[] = []
    for (const [id, { token, author, text }] of this.comments) {
      const row = stored.get(id)
      if (!row) lines.push(`comment ${id} (${text}) is lost`)
      else if (row.token !== token || row.author !== author || row.text !== text)
        lines.push(`comment ${id}: ${JSON.stringify(row)}, expected ${JSON.stringify({ token, author, text })}`)
    }
    for (const { id, text, count } of rows) {
      if (count > 1) lines.push(`comment ${id} (${text}) is stored ${count} times`)
      if (!this.texts.has(text)) lines.push(`comment ${id} (${text}) was written by nobody`)
    }
    return lines
  }
}

/** Each count that is stored, and the rows that it counts. They are read one by one: Citus does not join all of them. */
const COUNTS = [
  {
    what: 'likes of comment',
    stored: 'select id::text as key, like_count as count from comments',
    counted: 'select comment_id::text as key, count(*) from comment_likes group by 1',
  },
  {
    what: 'likes of token',
    stored: 'select token_id::text as key, likes as count from token_counts',
    counted: 'select token_id::text as key, count(*) from token_likes group by 1',
  },
  {
    what: 'comments of token',
    stored: 'select token_id::text as key, comments as count from token_counts',
    counted: 'select token_id::text as key, count(*) from comments where visible group by 1',
  },
  {
    what: 'followers of',
    stored: 'select wallet as key, followers as count from follow_counts',
    counted: 'select followee as key, count(*) from follows group by 1',
  },
  {
    what: 'followed by',
    stored: 'select wallet as key, following as count from follow_counts',
    counted: 'select follower as key, count(*) from follows group by 1',
  },
]

async function findWrongCounts(read: <T>(text: string) => Promise<T[]>): Promise<string[]> {
  const lines: string[] = []
  const readCounts = async (text: string) =>
    new Map((await read<{ key: string; count: unknown }>(text)).map(({ key, count }) => [key, Number(count)]))
  for (const { what, stored, counted } of COUNTS) {
    const rows = await readCounts(counted)
    for (const [key, count] of await readCounts(stored)) {
      const expected = rows.get(key) ?? 0
      if (count !== expected) lines.push(`${what} ${key}: ${count} stored, ${expected} counted`)
    }
  }
  return lines
}
