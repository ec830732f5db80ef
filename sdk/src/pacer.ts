/** The service takes 30 messages in 10 s from a socket unless it is set otherwise; this stays below. */
const MESSAGES = 25
const WINDOW_MS = 10_500

export interface Pacer {
  send(message: object): void
  /** Forgets what waits: it was for a socket that is gone. */
  clear(): void
}

/** Hands messages on in order, no more than the service takes: the rest waits its turn. */
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
