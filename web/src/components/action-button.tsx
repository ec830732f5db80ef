import { useKeptFocus } from '../lib/use-kept-focus.ts'
import { ActionError } from './action-error.tsx'
import { Button } from './button.tsx'
import { Notice } from './states.tsx'

/** What the button and the outcome need of `useAction`. */
interface ActionLike {
  isPending: boolean
  progress: string | null
  error: string | null
  sent: string | null
  lookAgain: (() => void) | null
  result: unknown
}

/** Whether an action failed, and why, or that it is done. */
export function Outcome({ action, done }: { action: ActionLike; done: string }) {
  if (action.error)
    return (
      <Notice tone="bad">
        <ActionError error={action.error} action={action} />
      </Notice>
    )
  return action.result !== undefined && !action.isPending ? <Notice tone="good">{done}</Notice> : null
}

interface ActionButtonProps {
  action: ActionLike & { start(variables: undefined): void }
  label: string
  done: string
  /** Of actions that concern others. */
  isSecondary?: boolean
  isDisabled?: boolean
}

/** Lets a label that names amounts break into lines: no other button has one as long. */
const WRAPPED = 'h-auto! min-h-9 whitespace-normal! py-1 wrap-anywhere'

/** A button that starts an action, says what it waits for, and shows its outcome. */
export function ActionButton({ action, label, done, isSecondary, isDisabled }: ActionButtonProps) {
  const group = useKeptFocus<HTMLDivElement>(action.isPending)
  return (
    <div ref={group} tabIndex={-1} className="grid gap-2 outline-none">
      <Button
        kind={isSecondary ? 'plain' : 'primary'}
        className={WRAPPED}
        disabled={action.isPending || isDisabled}
        onClick={() => action.start(undefined)}
      >
        {action.progress ?? label}
      </Button>
      <Outcome action={action} done={done} />
    </div>
  )
}
