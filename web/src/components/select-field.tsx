import { type ComponentProps, useId } from 'react'

interface Props extends ComponentProps<'select'> {
  label: string
  error?: string | null
}

/** A labelled choice from a list. */
export function SelectField({ label, error, children, ...select }: Props) {
  const id = useId()
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-xs font-semibold text-muted">
        {label}
      </label>
      <select
        {...select}
        id={id}
        aria-invalid={Boolean(error)}
        aria-describedby={error ? `${id}-error` : undefined}
        className="field"
      >
        {children}
      </select>
      {error && (
        <p id={`${id}-error`} className="text-2xs font-semibold text-down">
          {error}
        </p>
      )}
    </div>
  )
}
