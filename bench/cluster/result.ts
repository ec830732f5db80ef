import type { CommandResult } from './commands.ts'
import type { LoadResult } from './load.ts'
import type { TableSize } from './sizes.ts'
import type { SocketsReport } from './sockets.ts'
import type { ComponentName, Saturation } from './verdict.ts'

/** The options of the command line. */
export interface Values {
  tokens: number
  trades: number
  seconds: number
  sockets: number
  connections: number
  rate: number
  workers: number
  'command-seconds': number
  citus: boolean
  'only-citus': boolean
  'database-url': string
  'redis-url': string
  json: string | undefined
}

export interface EngineResult {
  engine: string
  /** Seconds until the indexer had written the history, and its rows were spread over the nodes. */
  fillSeconds: number
  distributeSeconds: number | null
  trades: number
  tokens: number
  sockets: SocketsReport
  load: LoadResult
  /** Blocks that the indexer was behind after the warm-up: median and most. */
  lag: { median: number; most: number }
  /** Processors in use after the warm-up, on average. */
  cores: Record<ComponentName, number>
  /** The same of programs that are no part of the benchmark. */
  otherCores: number
  saturations: Saturation[]
  unexpected: string | null
  audit: CommandResult
  reindex: CommandResult
  sizes: TableSize[]
}
