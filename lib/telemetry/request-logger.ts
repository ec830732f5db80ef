import type { FastifyBaseLogger } from 'fastify'

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

type Bindings = Parameters<FastifyBaseLogger['child']>[0]
type Options = Parameters<FastifyBaseLogger['child']>[1]

/** A request's logger, which creates its pino child with the first line: most requests log none. */
class RequestLogger {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: Bindings
  readonly #options: Options
  #logger: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: Options) {
    this.#parent = parent
    this.#bindings = bindings
    this.#options = options
  }

  get open(): FastifyBaseLogger {
    this.#logger ??= this.#parent.child(this.#bindings, this.#options)
    return this.#logger
  }

  get level(): string {
    return this.open.level
  }

  set level(level: string) {
    this.open.level = level
  }

  child(bindings: Bindings, options?: Options): FastifyBaseLogger {
    return this.open.child(bindings, options)
  }
}

for (const method of METHODS)
  Object.defineProperty(RequestLogger.prototype, method, {
    value(this: RequestLogger, ...line: Parameters<FastifyBaseLogger['info']>) {
      this.open[method](...line)
    },
  })

/** Fastify's childLoggerFactory. */
export const createRequestLogger = (parent: FastifyBaseLogger, bindings: Bindings, options: Options) =>
  new RequestLogger(parent, bindings, options) as unknown as FastifyBaseLogger
