import { useStatistics } from '@slipway/sdk/react'
import { useEffect } from 'react'
import { useNow } from '../lib/time.ts'

/** Interval at which the last final block is read while a record waits for it: a quiet market has no events. */
const STEP_MS = 5_000

interface ChainRecord {
  confirmed: boolean
  blockNumber: number
}

/** Whether a record is final by now. Its own `confirmed` is of the time at which it was read. */
export function useIsFinal(records: readonly ChainRecord[]): (record: ChainRecord) => boolean {
  const now = useNow(STEP_MS)
  const { data, dataUpdatedAt, refetch } = useStatistics()
  const finalized = data?.indexer.finalizedBlock ?? -1
  const isFinal = ({ confirmed, blockNumber }: ChainRecord) => confirmed || blockNumber <= finalized
  const isWaiting = !records.every(isFinal)
  // biome-ignore lint/correctness/useExhaustiveDependencies: again with each step of the clock
  useEffect(() => {
    // Several hooks wait for the same statistics, which events may have brought meanwhile.
    if (isWaiting && Date.now() - dataUpdatedAt > STEP_MS / 2) void refetch({ cancelRefetch: false })
  }, [isWaiting, now])
  return isFinal
}
