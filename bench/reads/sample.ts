import { sql } from 'kysely'
import { type Db, openDatabase } from '../../db/client.ts'
import { buildTokenList, type TokenSort } from '../../db/queries/token-list.ts'
import { encodeCursor } from '../../routes/paging.ts'

/** The requested paths. */
export interface Sample {
  hot: Record<string, string[]>
  cold: string[]
  lists: Record<string, string>
  searches: Record<string, string[]>
}

const sorts: readonly TokenSort[] = ['trending', 'newest', 'mcap', 'volume', 'curve', 'graduated']
/** The share of a list before a deep cursor. */
const DEEP = 0.9
const HOT_TOKENS = 20
/** Enough for unique requests, few enough that PostgreSQL has their pages in memory. */
const COLD_TOKENS = 5_000
const TERMS = 100

export async function takeSample(databaseUrl: string, tokens: number): Promise<Sample> {
  const { db, close } = await openDatabase({ databaseUrl, dataDir: '' })
  try {
    const top = (await buildTokenList({ sort: 'mcap', limit: HOT_TOKENS }).execute(db)).rows
    const { rows: first } = await sql<{
      address: string
    }>`select '0x' || md5('1') || left(md5('-1'), 8) as address`.execute(db)
    const charted = first[0]?.address
    return {
      hot: {
        'token list': sorts.map((sort) => `/tokens?sort=${sort}`),
        'token detail': top.map(({ address }) => `/tokens/${address}`),
        chart: [60, 300, 900, 3_600].map((step) => `/tokens/${charted}/chart?interval=${intervals[step]}`),
      },
      cold: (await draw(db, COLD_TOKENS)).map(({ address }) => `/tokens/${address}`),
      lists: Object.assign({}, ...(await Promise.all(sorts.map((sort) => describeList(db, sort, tokens))))),
      searches: await drawSearches(db),
    }
  } finally {
    await close()
  }
}

const intervals: Record<number, string> = { 60: '1m', 300: '5m', 900: '15m', 3600: '1h' }

async function describeList(db: Db, sort: TokenSort, tokens: number): Promise<Record<string, string>> {
  const size = sort === 'graduated' ? tokens / 50 : tokens * 0.97
  const { rows } = await buildTokenList({ sort, limit: 1, offset: Math.floor(size * DEEP) }).execute(db)
  const [row] = rows
  if (!row) throw new Error(`The list by ${sort} is shorter than it should be`)
  const cursor = encodeCursor(`tokens:${sort}`, [row.keyset_first, row.keyset_second])
  return {
    [`${sort}, first page`]: `/tokens?sort=${sort}`,
    [`${sort}, deep cursor`]: `/tokens?sort=${sort}&cursor=${cursor}`,
  }
}

/** Tokens across the market, the same in every run. */
async function draw(db: Db, count: number) {
  const { rows } = await sql<{ address: string; symbol: string; name: string }>`
    select address, symbol, name from tokens order by md5(address || 'drawn') limit ${count}`.execute(db)
  return rows
}

async function drawSearches(db: Db): Promise<Record<string, string[]>> {
  const drawn = await draw(db, TERMS)
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  return {
    'symbol, exactly': drawn.map(({ symbol }) => symbol),
    'prefix of a symbol': drawn.map(({ symbol }) => symbol.slice(0, 3)),
    'prefix of a name': drawn.map(({ name }) => name.slice(0, 6)),
    'inside of a name': drawn.map(({ name }) => name.slice(2, 9)),
    'inside, three letters': drawn.map(({ name }) => name.slice(1, 4)),
    'inside, rare': drawn.map(({ name }) => name.slice(-6)),
    address: drawn.map(({ address }) => address),
    'prefix of an address': drawn.map(({ address }) => address.slice(0, 8)),
    nothing: drawn.map(({ address }) => `zq${address.slice(2, 8)}`),
    'nothing, of known parts': drawn.map(({ name, address }) => `${name.slice(0, 6)}${address.slice(2, 5)}`),
    'one letter': letters,
    'two letters': drawn.map(({ name }, at) => name.slice(1, 2) + (letters[at % 26] as string)),
  }
}
