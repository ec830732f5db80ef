import { type RefObject, useEffect, useState } from 'react'

/** Whether this share of the element, by default any part, is on the screen; undefined until that is known. */
export function useInView(element: RefObject<Element | null>, threshold = 0): boolean | undefined {
  const [isInView, setInView] = useState<boolean>()
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver(([entry]) => setInView(entry?.isIntersecting), { threshold })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, threshold])
  return isInView
}
