const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 15_000

/**
 * Asks a node over a WebSocket to tell of new blocks, and calls `onHead` for each until the signal aborts. It is a hint, not a
 * source: connections break and messages are lost, so whoever needs every block has to look for himself as well.
 * Connects again by itself, and says nothing when it cannot.
 */
export function watchHeads(url: string, onHead: () => void, signal: AbortSignal): void {
  let failures = 0
  const connect = () => {
    if (signal.aborted) return
    const socket = new WebSocket(url)
    const close = () => socket.close()
    signal.addEventListener('abort', close, { once: true })
    socket.addEventListener('open', () => {
      failures = 0
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
      // What was mined while nobody listened.
      onHead()
    })
    socket.addEventListener('message', onHead)
    // An error is followed by a close, which is the end of the connection either way.
    socket.addEventListener('error', () => {})
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', close)
      const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures++, 10))
      if (!signal.aborted) setTimeout(connect, delay).unref()
    })
  }
  connect()
}
