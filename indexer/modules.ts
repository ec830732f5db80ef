import type { IndexerModule } from './engine/module.ts'
import { market } from './market/module.ts'
import { raises } from './raises/module.ts'
import { staking } from './staking/module.ts'

/** Every kind of contract that is indexed. The engine applies and undoes them in this order. */
export const modules: readonly IndexerModule[] = [market, staking, raises]
