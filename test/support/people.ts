import { createHmac } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import type { KyselyPlugin } from 'kysely'
import type { Test } from 'tap'
import type { Comment } from '../../schemas/comments.ts'
import { createTestApp, TEST_JWT_KEY, testConfig } from './app.ts'
import type { Answer } from './client.ts'
import { ADMIN, createMarketApp, type MarketApp } from './market-app.ts'
import { walletAddress } from './market-simulation.ts'

/** Wallets without launches or trades in the simulated market. */
export const [ann, bob, eve, dan] = [11, 12, 13, 14].map(walletAddress) as [string, string, string, string]
export const LABS = `0x1ab5${'0'.repeat(36)}`
export { ADMIN }

/** An error response. */
export const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

/** The simulated market with an operator and a labs member. */
export const createPeopleApp = (t: Test): Promise<MarketApp> => createMarketApp(t, { LABS_WALLETS: LABS })

/** A token of a wallet, signed by the service itself, that expired a minute ago. */
export function expiredToken(wallet: string): string {
  const [kid, secret] = TEST_JWT_KEY.split(':') as [string, string]
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const { issuer: iss, audience: aud } = testConfig().jwt
  const exp = Math.floor(Date.now() / 1000) - 60
  const claims = { sub: wallet, jti: 'expired', iat: exp - 60, exp, iss, aud }
  const head = `${encode({ alg: 'HS256', typ: 'JWT', kid })}.${encode(claims)}`
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`
}

/** Posts a comment, and rejects unless it is taken. */
export async function say(
  { send }: Pick<MarketApp, 'send'>,
  wallet: string,
  token: string,
  text: string,
  parentId?: string,
): Promise<Static<typeof Comment>> {
  const answer: Answer<Static<typeof Comment>> = await send(
    'POST',
    `/tokens/${token}/comments`,
    { text, ...(parentId !== undefined && { parentId }) },
    wallet,
  )
  if (answer.status !== 200) throw new Error(`The comment was refused: ${answer.body.error}`)
  return answer.body.data
}

/** Every item of a list, read page after page by its cursor. */
export async function readAll<Item>(
  { read }: Pick<MarketApp, 'read'>,
  url: string,
  headers?: Record<string, string>,
): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const next: string = cursor ? `${url.includes('?') ? '&' : '?'}cursor=${cursor}` : ''
    const { body }: Answer<{ items: Item[]; nextCursor: string | null }> = await read(`${url}${next}`, headers)
    items.push(...body.data.items)
    cursor = body.data.nextCursor
  } while (cursor !== null)
  return items
}

/** Counts the statements that a GET of this application runs on the database. */
export async function createQueryCounter(t: Test, { db }: Pick<MarketApp, 'db'>) {
  let count = 0
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      count++
      return result
    },
  }
  const { app } = await createTestApp({
    // What a list requests in the background is no part of it.
    config: testConfig({ RATE_LIMITS: 'off', ADMIN_WALLETS: ADMIN, FETCH_METADATA: 'off' }),
    services: { db: db.withPlugin(counter) },
  })
  t.teardown(() => app.close())
  return async (url: string, wallet?: string): Promise<{ items: number; queries: number }> => {
    const token = wallet === undefined ? null : app.issueToken(wallet)
    // One request before the count: the database is queried once for each new token.
    if (token !== null) await app.readToken(token)
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    const before = count
    const response = await app.inject({ url, headers })
    if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`)
    return { items: response.json().data.items.length, queries: count - before }
  }
}
