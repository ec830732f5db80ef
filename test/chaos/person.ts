import { setTimeout as sleep } from 'node:timers/promises'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Answer, RequestOptions } from '../acceptance/support/service.ts'
import { login } from '../acceptance/support/sign-in.ts'
import type { Random } from '../indexer/fixtures/random.ts'
import { count } from '../indexer/fixtures/random-clients.ts'
import type { Clients, Reply } from './clients.ts'
import type { Written } from './written.ts'

const PAUSE_MS = [50, 350] as const
/** The same text within a minute is the same comment: a client may send it again within that time. */
const REPEAT_WITHIN_MS = 20_000
const RECENT_COMMENTS = 30

interface PersonOptions {
  name: string
  clients: Clients
  written: Written
  random: Random
  /** Launched before the first fault, and final. */
  tokens: readonly string[]
}

/** A wallet that signs in, and writes one thing after another until it is stopped. */
export class Person {
  readonly wallet: string
  readonly #account: PrivateKeyAccount = privateKeyToAccount(generatePrivateKey())
  readonly #options: PersonOptions
  #token: string | undefined
  #isStopped = false
  #texts = 0
  readonly #comments: string[] = []

  constructor(options: PersonOptions) {
    this.#options = options
    this.wallet = this.#account.address.toLowerCase()
  }

  stop(): void {
    this.#isStopped = true
  }

  async write(others: readonly Person[]): Promise<void> {
    const { random } = this.#options
    while (!this.#isStopped) {
      if (this.#token === undefined || random.chance(0.01)) await this.#signIn()
      if (this.#token !== undefined) await this.#writeSomething(others)
      await sleep(random.between(...PAUSE_MS))
    }
  }

  async #signIn(): Promise<void> {
    const { clients, random } = this.#options
    const api = clients.pick(random)
    const request = async (method: string, path: string, options?: RequestOptions) =>
      (await clients.request(api, method, path, options)) as unknown as Answer
    const account = this.#account
    const { status, body } = await login({ request }, '', { wallet: account.address, account })
    if (status === 200) this.#token = body.data.token
  }

  async #writeSomething(others: readonly Person[]): Promise<void> {
    const { random, tokens, written } = this.#options
    const token = random.pick(tokens)
    const draw = random.next()
    const other = random.pick(others)
    if (draw < 0.4) return this.#comment(token)
    const comment = random.pick([...this.#comments, ...other.#comments, ''])
    if (draw < 0.6 && comment !== '')
      return this.#toggle(written.commentLikes, `/comments/${comment}/like`, `${comment} ${this.wallet}`)
    if (draw < 0.75) return this.#toggle(written.tokenLikes, `/tokens/${token}/like`, `${token} ${this.wallet}`)
    if (draw < 0.9 && other !== this)
      return this.#toggle(written.follows, `/follows/${other.wallet}`, `${this.wallet} ${other.wallet}`)
    return random.chance(0.5) ? this.#upload() : this.#describeOneself()
  }

  /** Sends it, and again if it is not known whether it was stored. */
  async #comment(token: string): Promise<void> {
    const { random, written, name } = this.#options
    const text = `${name} writes number ${++this.#texts}`
    const began = performance.now()
    written.texts.add(text)
    for (let attempt = 0; attempt < 3 && performance.now() - began < REPEAT_WITHIN_MS; attempt++) {
      const reply = await this.#send('POST', `/tokens/${token}/comments`, { text })
      if (isAccepted(reply)) {
        const id = String(reply.body.data.id)
        written.comments.set(id, { token, author: this.wallet, text })
        this.#comments.push(id)
        if (this.#comments.length > RECENT_COMMENTS) this.#comments.shift()
        return
      }
      await sleep(random.between(...PAUSE_MS))
    }
  }

  /** On, mostly; sometimes off. */
  async #toggle(ledger: Written['follows'], path: string, key: string): Promise<void> {
    const isOn = this.#options.random.chance(0.75)
    const reply = await this.#send(isOn ? 'POST' : 'DELETE', path)
    if (isAccepted(reply)) ledger.accept(key, isOn)
    else if (mayBeApplied(reply)) ledger.doubt(key, isOn)
  }

  async #describeOneself(): Promise<void> {
    const { written, name } = this.#options
    const bio = `${name} says ${++this.#texts}`
    const reply = await this.#send('PATCH', '/profiles/me', { bio })
    if (isAccepted(reply)) written.bios.accept(this.wallet, bio)
    else if (mayBeApplied(reply)) written.bios.doubt(this.wallet, bio)
  }

  async #upload(): Promise<void> {
    const { written, name } = this.#options
    const description = `${name} uploads ${++this.#texts}`
    const reply = await this.#send('POST', '/uploads/metadata', { name: 'Chaos', description })
    if (isAccepted(reply)) written.uploads.set(new URL(reply.body.data.uri).pathname, description)
  }

  async #send(method: string, path: string, body?: unknown): Promise<Reply> {
    const { clients, random, written } = this.#options
    const api = clients.pick(random)
    const prefix = random.chance(0.5) ? '/api' : ''
    const token = this.#token as string
    const reply = await clients.request(api, method, prefix + path, { token, ...(body !== undefined && { body }) })
    if (reply.status === 401) this.#token = undefined
    else if (reply.status !== null && reply.status >= 400 && reply.status < 500)
      clients.problems.push(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    count(
      written.answers,
      isAccepted(reply) ? 'accepted' : reply.status === null ? 'not answered' : String(reply.status),
    )
    return reply
  }
}

const isAccepted = ({ status }: Reply) => status !== null && status >= 200 && status < 300
const mayBeApplied = ({ status }: Reply) => status === null || status >= 500
