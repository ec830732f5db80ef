import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

/** The first byte of a startup message, which has no type. */
const STARTUP = 0

/**
 * The socket of a pg client whose server is PGlite. Each write is one run of the server, which answers before it
 * returns. PGlite's own adapter for pg runs it for every message and parses the responses once more, which takes four
 * times as long for large results.
 */
export class EmbeddedStream extends Duplex {
  readonly #pglite: PGlite

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#exchange(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  async #exchange(messages: Buffer): Promise<void> {
    if (messages[0] === STARTUP) {
      this.push(await this.#pglite.execProtocolRaw(messages))
      return
    }
    const parts: Buffer[] = []
    // Copied, because the parts are in the server's memory.
    await this.#pglite.execProtocolRawStream(messages, { onRawData: (part) => parts.push(Buffer.from(part)) })
    this.push(Buffer.concat(parts))
  }

  override _read(): void {}

  override _final(done: () => void): void {
    this.push(null)
    done()
  }

  // A socket's methods that pg calls.
  setNoDelay(): void {}
  ref(): void {}
  unref(): void {}
}
