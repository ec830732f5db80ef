import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { encodeFunctionData, type Hex, maxUint256, numberToHex, parseEther } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { callNode } from '../../dev/json-rpc.ts'
import { type Answer, type LoadTask, type Sent, send } from './client.ts'
import { pick, type World } from './world.ts'

interface Person {
  account: PrivateKeyAccount
  token: string
  nonce: number
}

const PEOPLE = 100
const PICTURES = 200
const KEPT_COMMENTS = 500

/** The soak's wallets: they sign in, write, trade and sync their trades. */
export class People {
  readonly #task: LoadTask
  readonly #ask: (sent: Sent) => Promise<Answer>
  readonly #world: World
  readonly #people: Person[] = []
  readonly #pictures: Buffer[] = []
  #chainId = 0

  constructor(task: LoadTask, ask: (sent: Sent) => Promise<Answer>, world: World) {
    this.#task = task
    this.#ask = ask
    this.#world = world
  }

  async signIn(): Promise<void> {
    this.#chainId = Number(await callNode<Hex>(this.#task.node, 'eth_chainId'))
    for (let left = PICTURES; left > 0; left--) {
      const raw = randomBytes(48 * 48 * 3)
      this.#pictures.push(
        await sharp(raw, { raw: { width: 48, height: 48, channels: 3 } })
          .png()
          .toBuffer(),
      )
    }
    for (let left = PEOPLE; left > 0; left--) {
      const account = privateKeyToAccount(generatePrivateKey())
      await callNode(this.#task.node, 'anvil_setBalance', [account.address, numberToHex(parseEther('1000'))])
      this.#people.push({ account, token: await this.#login(account), nonce: 0 })
    }
  }

  token = (): string => pick(this.#people).token
  wallet = (): { wallet: string; token: string } => {
    const { account, token } = pick(this.#people)
    return { wallet: account.address.toLowerCase(), token }
  }
  headers = (): Record<string, string> => ({ authorization: `Bearer ${this.token()}` })
  hex = (bytes: number): string => randomBytes(bytes).toString('hex')

  comment({ tokens, comments }: World): Sent {
    const text = `Number ${this.hex(4)} of what people write.`
    return {
      ...send('POST', `/tokens/${pick(tokens).address}/comments`, this.token(), { text }, [200]),
      read: (status, text) => {
        if (status === 200) comments.push(JSON.parse(text).data.id)
        if (comments.length > KEPT_COMMENTS) comments.shift()
      },
    }
  }

  upload({ uploads }: World): Sent {
    const boundary = `soak${this.hex(8)}`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`
    const body = Buffer.concat([Buffer.from(head), pick(this.#pictures), Buffer.from(`\r\n--${boundary}--\r\n`)])
    const headers = { ...this.headers(), 'content-type': `multipart/form-data; boundary=${boundary}` }
    const read = (status: number, text: string) => {
      const url = status === 200 ? JSON.parse(text).data.url : null
      if (url !== null && !uploads.includes(url)) uploads.push(url)
    }
    return { method: 'POST', path: '/uploads/image', headers, body, expect: [200], read }
  }

  uploadMetadata(): Sent {
    return send('POST', '/uploads/metadata', this.token(), { name: `Soak ${this.hex(1)}` }, [200])
  }

  /** A wallet buys on a curve and syncs the trade; sometimes a wallet signs out and in again. */
  async trade(): Promise<void> {
    const person = pick(this.#people)
    const open = this.#world.tokens.filter(({ status }) => status === 'curve')
    if (open.length > 0) {
      const txHash = await this.#buy(person, pick(open).address as Hex).catch(() => null)
      const body = { txHash }
      if (txHash) await this.#ask(send('POST', '/buy', person.token, body, [200]))
    }
    if (Math.random() < 0.5) return
    const { token } = person
    person.token = await this.#login(person.account).catch(() => token)
    if (person.token === token) return
    await this.#ask(send('POST', '/auth/logout', token, undefined, [200]))
  }

  async #buy(person: Person, token: Hex): Promise<Hex> {
    const { account } = person
    const args = [token, account.address, 0n, maxUint256] as const
    const transaction = await account.signTransaction({
      ...{ type: 'legacy', chainId: this.#chainId, nonce: person.nonce++, gas: 400_000n, gasPrice: 2_000_000_000n },
      ...{ to: this.#task.contracts.launchpad as Hex, value: parseEther('0.00001') },
      data: encodeFunctionData({ abi: launchpadAbi, functionName: 'buy', args }),
    })
    return callNode<Hex>(this.#task.node, 'eth_sendRawTransaction', [transaction])
  }

  async #login(account: PrivateKeyAccount): Promise<string> {
    const wallet = account.address
    const nonce = await this.#ask(send('POST', '/auth/nonce', undefined, { wallet }, [200]))
    if (nonce.status !== 200) throw new Error(`Nonce: ${nonce.text}`)
    const { message } = JSON.parse(nonce.text).data
    const signature = await account.signMessage({ message })
    const login = await this.#ask(send('POST', '/auth/login', undefined, { wallet, signature, message }, [200]))
    if (login.status !== 200) throw new Error(`Sign-in: ${login.text}`)
    return JSON.parse(login.text).data.token
  }
}
