import { useEffect } from 'react'
import { useNow } from '../lib/time.ts'

const STEP_MS = 5_000

/**
 * Time alone changes the state of some records, without an event. Reads again from a record's next time on, until the record
 * is of a later block than that.
 */
export function useRefetchWhenDue(
  records: readonly { asOf: string; times: readonly (string | null)[] }[],
  refetch: () => unknown,
): void {
  const now = useNow(STEP_MS)
  const isDue = records.some(({ asOf, times }) =>
    times.some((time) => time !== null && Date.parse(time) > Date.parse(asOf) && Date.parse(time) <= now),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: again with each step of the clock
  useEffect(() => {
    if (isDue) void refetch()
  }, [isDue, now])
}
