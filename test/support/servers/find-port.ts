import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A free port below those that systems give to connections and to servers without a port of their own (Linux from 32768, others
 * from 49152), so that no other test takes it before the server listens there, or while the server is stopped.
 */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 17_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
        return false
      },
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
