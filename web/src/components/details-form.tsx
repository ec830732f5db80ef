import { toUserMessage } from '@slipway/sdk'
import { findTextProblem } from '@slipway/sdk/texts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { completeLink, findLinkProblem, type LinkName, linkNames } from '../data/written-links.ts'
import { api } from '../lib/api.ts'
import { toSafeLink } from '../lib/links.ts'
import { ImageField } from '../screens/launch/image-field.tsx'
import { useSession } from '../wallet/session.tsx'
import { Button } from './button.tsx'
import { FormField } from './form-field.tsx'
import { Notice } from './states.tsx'

type Links = Partial<Record<LinkName, string | null>>

export interface DetailsChange {
  description?: string | null
  imageUrl?: string
  links?: Links
}

interface Props {
  known: { description: string | null; links: Links }
  save(change: DetailsChange): Promise<unknown>
  onDone(): void
}

const LABELS = { website: 'Website', twitter: 'X', telegram: 'Telegram', discord: 'Discord' } as const

/** The description, the picture and the links of a token or a raise, for its creator. What was not changed is not sent. */
export function DetailsForm({ known, save, onDone }: Props) {
  const { ensure } = useSession()
  const [description, setDescription] = useState(known.description ?? '')
  const [links, setLinks] = useState(
    () => Object.fromEntries(linkNames.map((name) => [name, known.links[name] ?? ''])) as Record<LinkName, string>,
  )
  const [image, setImage] = useState<File | null>(null)
  const text = description.trim() || null
  const changed = linkNames.filter((name) => links[name].trim() !== (known.links[name] ?? ''))
  const saving = useMutation({
    mutationFn: async () => {
      await ensure()
      const picture = image && (await api.uploads.image({ file: image }))
      const change: DetailsChange = {
        ...(text !== known.description && { description: text }),
        ...(picture && { imageUrl: picture.url }),
        ...(changed.length > 0 && {
          links: Object.fromEntries(changed.map((name) => [name, toSafeLink(links[name].trim())?.href ?? null])),
        }),
      }
      if (Object.keys(change).length > 0) await save(change)
    },
    onSuccess: onDone,
  })
  const textProblem = text === null ? null : findTextProblem('description', text)
  const problems = changed.map((name) => findLinkProblem(name, links[name]))
  return (
    <form
      noValidate
      className="enter grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (textProblem === null && problems.every((problem) => problem === null)) saving.mutate()
      }}
    >
      <ImageField image={image} onChange={setImage} />
      <FormField
        label="Description"
        multiline
        error={textProblem}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      {linkNames.map((name) => (
        <FormField
          key={name}
          label={LABELS[name]}
          type="url"
          autoComplete="off"
          error={changed.includes(name) ? findLinkProblem(name, links[name]) : null}
          value={links[name]}
          onChange={(event) => setLinks({ ...links, [name]: event.target.value })}
          onBlur={() => setLinks({ ...links, [name]: completeLink(name, links[name]) })}
        />
      ))}
      {saving.error && <Notice tone="bad">{toUserMessage(saving.error)}</Notice>}
      <span className="flex gap-2">
        <Button type="submit" kind="primary" disabled={saving.isPending}>
          {saving.isPending ? 'Saving…' : 'Save'}
        </Button>
        <Button kind="ghost" onClick={onDone}>
          Cancel
        </Button>
      </span>
    </form>
  )
}
