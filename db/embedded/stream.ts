import { Duplex } from 'node:stream'
import { concatBytes, type EmbeddedServer } from './server.ts'

/**
 * The socket of a pg client whose server is PGlite. Each write is one run of the server. PGlite's own adapter for pg runs
 * it for every message and parses the responses once more, which takes four times as long for large results.
 */
export class EmbeddedStream extends Duplex {
  readonly #server: EmbeddedServer

  constructor(server: EmbeddedServer) {
    super()
    this.#server = server
    server.onEnd?.((error) => this.destroy(error))
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#exchange(concatBytes(chunks.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  async #exchange(messages: Uint8Array<ArrayBuffer>): Promise<void> {
    const { buffer, byteOffset, length } = await this.#server.exchange(messages)
    this.push(Buffer.from(buffer, byteOffset, length))
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
