const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 15_000

/**
 * Subscribes to newHeads over WebSocket and calls `onHead` for each until the signal aborts. Best effort: connections break and
 * messages are lost, so callers must poll as well. Reconnects by itself and reports no errors.
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
      // Blocks mined while disconnected.
      onHead()
    })
    socket.addEventListener('message', onHead)
    // 'close' follows and reconnects.
    socket.addEventListener('error', () => {})
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', close)
      const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures++, 10))
      if (!signal.aborted) setTimeout(connect, delay).unref()
    })
  }
  connect()
}
