import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { callNode, callNodeAll } from './json-rpc.ts'
import type { Logger } from './market.ts'
import { saveChain } from './saved-chain.ts'

const INTERVAL_MS = 1_000
/** Saving takes at most 1 / SAVE_SHARE of the time: a long chain is saved less often. */
const SAVE_SHARE = 20

export interface ChainKeeper {
  /** Saves the chain once more. */
  stop(): Promise<void>
}

/**
 * Saves the chain a second after each change, so that a killed process loses little, and mines pending transactions
 * that anvil's automining occasionally misses.
 */
export function keepChain({ url, folder, log }: { url: string; folder: string; log: Logger }): ChainKeeper {
  const stopping = new AbortController()
  let savedHash: Hex | undefined
  let wait = INTERVAL_MS
  let isWaiting = false
  let isLost = false

  const save = async () => {
    const { hash } = await callNode<{ hash: Hex }>(url, 'eth_getBlockByNumber', ['latest', false])
    if (hash === savedHash) return
    const started = performance.now()
    await saveChain(url, folder)
    wait = Math.max(INTERVAL_MS, (performance.now() - started) * SAVE_SHARE)
    // A block mined during the save has another hash: the next iteration saves it.
    savedHash = hash
  }

  const mineWaiting = async () => {
    const [status] = await callNodeAll<{ pending: Hex }>(url, [['txpool_status', []]])
    const wasWaiting = isWaiting
    isWaiting = Number(status?.pending) > 0
    if (wasWaiting && isWaiting) await callNode(url, 'evm_mine')
  }

  const run = async () => {
    while (!stopping.signal.aborted) {
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      try {
        await mineWaiting()
        await save()
        isLost = false
      } catch (error) {
        if (!isLost)
          log.warn(
            { err: error },
            'The embedded chain does not answer or cannot be saved; if it has died, start the service again',
          )
        isLost = true
      }
    }
  }

  const ended = run()
  return {
    stop: async () => {
      stopping.abort()
      await ended
      await save()
    },
  }
}
