import { type DragEvent, useEffect, useId, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { IMAGE_BYTES, IMAGE_TYPES, isImage } from './draft.ts'

interface Props {
  image: File | null
  /** URL of the image that it replaces. */
  present?: string | null
  label?: string
  onChange(image: File | null): void
}

/** The URL of a local preview of the file. */
export function usePreview(image: File | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!image) return setUrl(null)
    const made = URL.createObjectURL(image)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [image])
  return url
}

/** A picture, chosen or dropped. */
export function ImageField({ image, present = null, label = 'Image of the token', onChange }: Props) {
  const id = useId()
  const preview = usePreview(image) ?? present
  const [refused, setRefused] = useState<string | null>(null)
  const take = async (file: File | undefined) => {
    if (!file) return
    const reason = !(await isImage(file))
      ? `${file.name} is no PNG, JPEG, WebP or GIF image.`
      : file.size > IMAGE_BYTES
        ? `${file.name} is larger than 5\u00a0MB.`
        : null
    setRefused(reason)
    if (reason === null) onChange(file)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    void take(event.dataTransfer.files[0])
  }
  return (
    <div className="grid content-start gap-1">
      <span className="text-xs font-semibold text-muted">Image</span>
      <label
        htmlFor={id}
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
        className="relative grid aspect-square w-full max-w-40 cursor-pointer place-items-center overflow-hidden rounded-xl border border-dashed border-line-strong bg-sunken text-center text-xs text-muted hover:border-accent-ink focus-within:outline-2 focus-within:outline-(--focus)"
      >
        {preview ? (
          <img src={preview} alt="Preview" className="size-full object-cover" />
        ) : (
          <span className="grid justify-items-center gap-1.5 p-3">
            <Icon name="image" className="size-6" />
            Choose or drop an image
          </span>
        )}
        <input
          id={id}
          type="file"
          accept={IMAGE_TYPES.join(',')}
          className="sr-only"
          aria-label={label}
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </label>
      <p
        {...(refused && { role: 'alert' })}
        className={`wrap-anywhere text-2xs ${refused ? 'font-semibold text-down' : 'text-faint'}`}
      >
        {refused ?? 'PNG, JPEG, WebP or GIF, 5\u00a0MB'}
      </p>
      {preview && (
        <button
          type="button"
          className="justify-self-start text-xs text-muted underline"
          onClick={() => onChange(null)}
        >
          Remove the image
        </button>
      )}
    </div>
  )
}
