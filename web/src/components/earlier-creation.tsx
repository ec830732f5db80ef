import { useEffect, useRef } from 'react'
import { dismiss, type PendingTransaction } from '../transactions/pending.ts'
import { Button } from './button.tsx'
import { Notice } from './states.tsx'

interface Props {
  earlier: PendingTransaction | undefined
  /** Leads to what it created. */
  onCreated(id: string): void
}

/** Says that a form is locked by what it sent before a reload or a navigation, and leads to the result. */
export function EarlierCreation({ earlier, onCreated }: Props) {
  const created = earlier?.outcome?.created
  const awaited = useRef<string>(undefined)
  if (earlier && !earlier.outcome) awaited.current = earlier.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onCreated` is new each time
  useEffect(() => {
    // One that had ended before the form was opened leads nowhere.
    if (!earlier || !created || awaited.current !== earlier.id) return
    dismiss(earlier.id)
    onCreated(created.id)
  }, [earlier, created])
  if (!earlier || earlier.outcome) return null
  return (
    <Notice tone="info">
      <p>
        {earlier.label} is under way:{' '}
        {earlier.hash === null
          ? 'your wallet has not sent it yet.'
          : 'it was sent, and the result opens here once it is indexed. If you discard it, it may succeed all the same.'}
      </p>
      <Button size="sm" className="mt-2" onClick={() => dismiss(earlier.id)}>
        Discard it, and change the form
      </Button>
    </Notice>
  )
}

/** Whether a form may not send what it has sent before. */
export const isUnderWay = (earlier: PendingTransaction | undefined): boolean => earlier?.outcome === null
