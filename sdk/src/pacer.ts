/** Below the service's default limit of 30 messages in 10 s per socket. */
const MESSAGES = 25
const WINDOW_MS = 10_500

export interface Pacer {
  send(message: object): void
  /** Drops queued messages of a closed socket. */
  clear(): void
}

/** Sends messages in order, and queues those above the service's message limit. */
export function createPacer(write: (message: object) => void): Pacer {
  let waiting: object[] = []
  let times: number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    times = times.filter((time) => time > Date.now() - WINDOW_MS)
    for (const message of waiting.splice(0, MESSAGES - times.length)) {
      times.push(Date.now())
      write(message)
    }
    if (waiting.length > 0 && times[0] !== undefined) timer = setTimeout(flush, times[0] + WINDOW_MS - Date.now())
  }
  return {
    send(message) {
      waiting.push(message)
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
