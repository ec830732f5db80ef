import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, getStatistics } from '../sdk/src/index.ts'
import { startService } from './start-service.ts'

export interface DemoService {
  url: string
  stop(): Promise<void>
}

/** Starts the service with the embedded market in a folder of its own, and waits until its history is indexed. */
export async function startDemoService(env: Record<string, string> = {}): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-demo-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const { url, stop } = await startService({ DATA_DIR: folder, LOG_LEVEL: 'warn', RATE_LIMITS: 'off', ...env })
    const client = createClient({ baseUrl: url })
    for (;;) {
      const { tokens, indexer } = await getStatistics(client)
      if (tokens.graduated > 0 && indexer.lagBlocks === 0) break
      await sleep(250)
    }
    return { url, stop: () => stop().then(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}
