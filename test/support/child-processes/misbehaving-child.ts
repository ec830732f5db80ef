import { readFileSync } from 'node:fs'
import { serveJobs } from '../../../lib/child-pool/serve-jobs.ts'

export type Misbehaviour = 'echo' | 'abort' | 'spin' | 'hang' | 'grow' | 'throw' | 'look'

const kept: Buffer[] = []

serveJobs<{ do: Misbehaviour; bytes?: Uint8Array }, unknown>(async (job) => {
  if (job.do === 'abort') process.abort()
  if (job.do === 'throw') throw new Error('no such picture')
  if (job.do === 'hang') await new Promise(() => {})
  while (job.do === 'spin');
  while (job.do === 'grow') {
    kept.push(Buffer.alloc(16 * 1024 * 1024, 1))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  if (job.do === 'look') return lookAround()
  return { pid: process.pid, bytes: job.bytes }
})

/** What a child can access: environment, files, processes. */
async function lookAround() {
  const attempt = async (work: () => unknown) => {
    try {
      await work()
      return 'allowed'
    } catch (error) {
      return (error as { code?: string }).code
    }
  }
  return {
    environment: Object.keys(process.env).filter((name) => !name.startsWith('NODE_CHANNEL')),
    read: await attempt(() => readFileSync('/etc/passwd')),
    spawn: await attempt(async () => (await import('node:child_process')).spawnSync('/bin/true')),
  }
}
