import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, getStatistics } from '../sdk/src/index.ts'

export interface DemoService {
  url: string
  stop(): Promise<void>
}

/** Starts the service with the embedded market in a folder of its own, and waits until its history is indexed. */
export async function startDemoService(env: Record<string, string> = {}): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-demo-'))
  const child = spawn(process.execPath, ['server.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn', RATE_LIMITS: 'off', ...env },
  })
  const url = await readUrl(child)
  const client = createClient({ baseUrl: url })
  for (;;) {
    const { tokens, indexer } = await getStatistics(client)
    if (tokens.graduated > 0 && indexer.lagBlocks === 0) break
    await sleep(250)
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'close')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function readUrl(child: ChildProcess): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      const [, url] = /API\s+(http:\S+)/.exec(output) ?? []
      if (url) resolve(url)
    })
    child.once('close', (code) => reject(new Error(`The service ended with ${code}`)))
  })
}
