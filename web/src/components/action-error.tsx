import { ChainReference } from './explorer-link.tsx'

interface Props {
  error: string
  /** Hash of a transaction in the sentence, which becomes a link to it. */
  sent: string | null
}

/** Why an action failed. A transaction that was sent all the same can be looked up. */
export function ActionError({ error, sent }: Props) {
  if (sent === null || !error.includes(sent)) return error
  const [before, after] = error.split(sent)
  return (
    <>
      {before}
      <ChainReference kind="tx" value={sent} label="Copy the hash of the transaction" />
      {after}
    </>
  )
}
