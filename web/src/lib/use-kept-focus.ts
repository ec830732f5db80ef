import { type RefObject, useEffect, useRef } from 'react'

/** Browsers drop the focus of a control that is disabled while it waits: returns it to this element, unless it is elsewhere by then. */
export function useKeptFocus<Target extends HTMLElement>(isPending: boolean): RefObject<Target | null> {
  const target = useRef<Target>(null)
  const wasPending = useRef(false)
  useEffect(() => {
    if (wasPending.current && !isPending && document.activeElement === document.body)
      target.current?.focus({ preventScroll: true })
    wasPending.current = isPending
  }, [isPending])
  return target
}
