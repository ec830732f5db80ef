import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Db } from '../../../db/client.ts'
import type { Client, Received } from '../sockets.ts'
import { waitUntil } from '../waits/wait-until.ts'
import { ViewList, type ViewMessage } from './view-list.ts'

/** Waits until an app has evaluated its views at the last commit, of whatever process. */
export async function reachLastCommit(app: FastifyInstance, db: Db): Promise<void> {
  const { rows } = await sql<{ last: number | null }>`select max(seq) as last from outbox`.execute(db)
  const last = Number(rows[0]?.last ?? 0)
  app.live.notifyCommitted()
  await waitUntil('views are at the last commit', () => app.views.seq >= last * 256 + 255, { pauseMs: 2 })
}

/** A socket's subscription to a view. */
export class ViewClient {
  readonly list = new ViewList()
  /** Messages about the view, in the order in which they came. */
  readonly messages: Received[] = []
  readonly #client: Client
  room = ''

  constructor(client: Client) {
    this.#client = client
  }

  /** Returns the response. */
  async subscribe(message: object): Promise<Received> {
    const answer = await this.#client.ask({ type: 'subscribe', ...message })
    if (answer.type === 'subscribed') this.room = answer.room!
    this.#receive(answer)
    return answer
  }

  /** Everything that the service has sent. */
  async read(): Promise<void> {
    for (const message of await this.#client.untilPong()) this.#receive(message)
  }

  #receive(message: Received): void {
    this.messages.push(message)
    if (message.type !== 'error') this.list.receive(message as ViewMessage)
  }
}
