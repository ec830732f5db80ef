import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

/** Of this process alone: a process that is started again has another one. */
const PROCESS_ID = randomBytes(4).toString('hex')

const toWord = (text: string, length: number) => text.replace(/[^\w.-]/g, '-').slice(0, length)

/** The machine and the process, for operators and for pg_stat_activity: ASCII, at most 41 characters. */
export const PROCESS_NAME = `${toWord(hostname(), 24)}:${process.pid}:${PROCESS_ID}`

/** What pg_stat_activity shows of a pool's connections. PostgreSQL cuts names off after 63 bytes. */
export const nameSession = (pool: string, prefix = 'slipway'): string => `${toWord(prefix, 12)} ${pool} ${PROCESS_NAME}`
