import type { Chain } from '../chain/rpc/client.ts'
import type { Config } from '../config/config.ts'
import type { OpenDatabase } from '../db/client.ts'
import type { Trouble } from '../lib/cache/indexer-trouble.ts'
import type { Applied } from './engine/apply.ts'
import type { Difference } from './engine/compare-blocks.ts'
import type { Contracts } from './engine/contracts.ts'
import type { AroundStep } from './engine/follow.ts'

interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface IndexerServices {
  database: OpenDatabase
  chain: Chain
  config: Config
  log: Logger
  getContracts: () => Promise<Contracts>
  onApplied?: (applied: Applied) => void
  /** Called for each indexed block that differs from the chain. */
  onDifference?: (difference: Difference) => void
  /** Called after each failure with its public reason and the time of the last success, and with null after the next success. */
  onTrouble?: (trouble: Trouble | null) => void
  aroundStep?: AroundStep
}
