import { useEffect } from 'react'
import { useConfig } from '../data/config.tsx'

/** The title of the browser's tab. */
export function useTitle(title: string | undefined): void {
  const { brand } = useConfig()
  useEffect(() => {
    document.title = title ? `${title} · ${brand.name}` : brand.name
  }, [title, brand.name])
}
