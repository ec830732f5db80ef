import type { ReactNode } from 'react'

interface Props {
  label: string
  className: string
  children: ReactNode
}

/** A part of the page that scrolls by itself, by keyboard too. */
export function ScrollRegion({ label, className, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, only a pointer could scroll the region
    <section tabIndex={0} aria-label={label} className={className}>
      {children}
    </section>
  )
}
