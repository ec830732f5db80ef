import { Button } from './button.tsx'
import { ChainReference } from './explorer-link.tsx'

interface Props {
  error: string
  action: {
    /** Hash of a transaction in the sentence, which becomes a link to it. */
    sent: string | null
    lookAgain: (() => void) | null
  }
}

/** Why an action failed. A transaction that was sent all the same can be looked up, here or in an explorer. */
export function ActionError({ error, action: { sent, lookAgain } }: Props) {
  if (sent === null || !error.includes(sent)) return error
  const [before, after] = error.split(sent)
  return (
    <>
      {before}
      <ChainReference kind="tx" value={sent} label="Copy the hash of the transaction" />
      {after}
      {lookAgain && (
        <span className="mt-2 block">
          <Button size="sm" onClick={lookAgain}>
            Look again
          </Button>
        </span>
      )}
    </>
  )
}
