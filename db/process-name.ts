import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

/** Unique to this process: a restarted process has another id. */
const PROCESS_ID = randomBytes(4).toString('hex')

const toWord = (text: string, length: number) => text.replace(/[^\w.-]/g, '-').slice(0, length)

/** Host, process and id, for operators and pg_stat_activity: ASCII, at most 41 characters. */
export const PROCESS_NAME = `${toWord(hostname(), 24)}:${process.pid}:${PROCESS_ID}`

/** The application_name of a pool's connections. PostgreSQL truncates names after 63 bytes. */
export const nameSession = (pool: string, prefix = 'slipway'): string => `${toWord(prefix, 12)} ${pool} ${PROCESS_NAME}`
