import { useState } from 'react'
import { api } from '../lib/api.ts'
import { toOwnImage } from '../lib/links.ts'
import { useConfig } from './config.tsx'

/** A picture that is chosen, replaced or removed. `present`: its URL as the API has it. */
export function useImageChange(present: string | null) {
  const { publicUrl } = useConfig()
  const [image, setImage] = useState<File | null>(null)
  const [isRemoved, setRemoved] = useState(false)
  return {
    /** For ImageField. */
    field: {
      image,
      present: isRemoved ? null : toOwnImage(present, publicUrl),
      onChange(chosen: File | null) {
        setImage(chosen)
        setRemoved(chosen === null)
      },
    },
    /** Uploads a chosen picture. Its URL; null if the present one is removed, undefined if nothing changes. */
    async upload(): Promise<string | null | undefined> {
      if (image) return (await api.uploads.image({ file: image })).url
      return isRemoved && present !== null ? null : undefined
    },
  }
}
