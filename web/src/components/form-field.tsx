import { type ComponentProps, type ReactNode, useId } from 'react'

interface Props extends Omit<ComponentProps<'input'>, 'children'> {
  label: string
  hint?: ReactNode
  error?: string | null
  multiline?: boolean
}

/** A labelled field with its hint and its error. */
export function FormField({ label, hint, error, multiline, className = '', ...input }: Props) {
  const id = useId()
  const describedBy = hint || error ? `${id}-hint` : undefined
  const shared = {
    id,
    'aria-invalid': Boolean(error),
    'aria-describedby': describedBy,
    className: `field ${className}`,
    // Texts of any script, each in its own direction.
    dir: 'auto',
  }
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-xs font-semibold text-muted">
        {label}
      </label>
      {multiline ? (
        <textarea rows={4} {...(input as ComponentProps<'textarea'>)} {...shared} />
      ) : (
        <input {...input} {...shared} />
      )}
      {describedBy && (
        <p id={describedBy} className={`text-2xs ${error ? 'font-semibold text-down' : 'text-faint'}`}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}
