/** Below the service's default limit of 30 messages in 10 s per socket. */
const MESSAGES = 25
const WINDOW_MS = 10_500

/** Builds a message when it is sent; undefined if it is not needed any more. */
type Build = () => object | undefined

export interface Pacer {
  send(build: Build): void
  /** Drops queued messages of a closed socket. */
  clear(): void
}

/** Sends messages in order, and queues those above the service's message limit. */
export function createPacer(write: (message: object) => void): Pacer {
  let waiting: Build[] = []
  let times: number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    times = times.filter((time) => time > Date.now() - WINDOW_MS)
    while (waiting.length > 0 && times.length < MESSAGES) {
      const message = waiting.shift()?.()
      if (!message) continue
      times.push(Date.now())
      write(message)
    }
    if (waiting.length > 0 && times[0] !== undefined) timer = setTimeout(flush, times[0] + WINDOW_MS - Date.now())
  }
  return {
    send(build) {
      waiting.push(build)
      if (timer === undefined) flush()
    },
    clear() {
      clearTimeout(timer)
      timer = undefined
      waiting = []
      times = []
    },
  }
}
