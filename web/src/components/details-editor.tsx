import { readFieldProblem, toUserMessage } from '@slipway/sdk'
import { findTextProblem } from '@slipway/sdk/texts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useImageChange } from '../data/use-image-change.ts'
import { completeLink, findLinkProblem, type LinkName, linkNames } from '../data/written-links.ts'
import { toSafeLink } from '../lib/links.ts'
import { ImageField } from '../screens/launch/image-field.tsx'
import { useSession } from '../wallet/session.tsx'
import { Button } from './button.tsx'
import { FormField } from './form-field.tsx'
import { Notice } from './states.tsx'

type Links = Partial<Record<LinkName, string | null>>

export interface DetailsChange {
  description?: string | null
  imageUrl?: string | null
  links?: Links
}

interface EditorProps {
  creator: string
  known: { description: string | null; imageUrl: string | null; links: Links }
  imageLabel: string
  save(change: DetailsChange): Promise<unknown>
}

const LABELS = { website: 'Website', twitter: 'X', telegram: 'Telegram', discord: 'Discord' } as const

/** A button that opens the form of the description, the picture and the links of a token or a raise, for its creator. */
export function DetailsEditor({ creator, ...form }: EditorProps) {
  const { wallet } = useSession()
  const [isEditing, setEditing] = useState(false)
  if (wallet !== creator) return null
  if (isEditing) return <DetailsForm {...form} onDone={() => setEditing(false)} />
  return (
    <Button size="sm" className="justify-self-start" onClick={() => setEditing(true)}>
      Edit the details
    </Button>
  )
}

/** What was not changed is not sent. */
function DetailsForm({ known, imageLabel, save, onDone }: Omit<EditorProps, 'creator'> & { onDone(): void }) {
  const { ensure } = useSession()
  const [description, setDescription] = useState(known.description ?? '')
  const [links, setLinks] = useState(
    () => Object.fromEntries(linkNames.map((name) => [name, known.links[name] ?? ''])) as Record<LinkName, string>,
  )
  const image = useImageChange(known.imageUrl)
  const text = description.trim() || null
  const changed = linkNames.filter((name) => links[name].trim() !== (known.links[name] ?? ''))
  const saving = useMutation({
    mutationFn: async () => {
      await ensure()
      const imageUrl = await image.upload()
      const change: DetailsChange = {
        ...(text !== known.description && { description: text }),
        ...(imageUrl !== undefined && { imageUrl }),
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
  const rejected = readFieldProblem(saving.error)
  const rejectionOf = (field: string) => (rejected?.field === field ? rejected.problem : null)
  const isAtField = rejected && ['description', ...linkNames.map((name) => `links.${name}`)].includes(rejected.field)
  return (
    <form
      noValidate
      className="enter grid gap-3 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (textProblem === null && problems.every((problem) => problem === null)) saving.mutate()
      }}
    >
      <ImageField label={imageLabel} {...image.field} />
      <FormField
        label="Description"
        multiline
        error={textProblem ?? rejectionOf('description')}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      {linkNames.map((name) => (
        <FormField
          key={name}
          label={LABELS[name]}
          type="url"
          autoComplete="off"
          error={(changed.includes(name) && findLinkProblem(name, links[name])) || rejectionOf(`links.${name}`)}
          value={links[name]}
          onChange={(event) => setLinks({ ...links, [name]: event.target.value })}
          onBlur={() => setLinks({ ...links, [name]: completeLink(name, links[name]) })}
        />
      ))}
      {saving.error && !isAtField && <Notice tone="bad">{toUserMessage(saving.error)}</Notice>}
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
