import { type Schema, toUserMessage } from '@slipway/sdk'
import { findTextProblem } from '@slipway/sdk/texts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Notice } from '../../components/states.tsx'
import { reloadProfiles } from '../../data/profiles.ts'
import { useImageChange } from '../../data/use-image-change.ts'
import { api } from '../../lib/api.ts'
import { useSession } from '../../wallet/session.tsx'
import { ImageField } from '../launch/image-field.tsx'

interface Props {
  profile: Schema<'Profile'>
  onDone(): void
}

export function ProfileForm({ profile, onDone }: Props) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ensure } = useSession()
  const [username, setUsername] = useState(profile.username ?? '')
  const [bio, setBio] = useState(profile.bio ?? '')
  const image = useImageChange(profile.avatarUrl)
  const save = useMutation({
    mutationFn: async () => {
      await ensure()
      const avatarUrl = await image.upload()
      await api.profiles.patch({
        username: username.trim() || null,
        bio: bio.trim() || null,
        ...(avatarUrl !== undefined && { avatarUrl }),
      })
      // The page may have been opened by the former username.
      await navigate({ to: '/profile/$wallet', params: { wallet: profile.wallet }, replace: true })
      await reloadProfiles(client)
    },
    onSuccess: onDone,
  })
  const texts = { username: username.trim(), bio: bio.trim() }
  const problemOf = (field: keyof typeof texts) => (texts[field] === '' ? null : findTextProblem(field, texts[field]))
  const problems = { username: problemOf('username'), bio: problemOf('bio') }
  return (
    <form
      className="panel enter grid gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (problems.username === null && problems.bio === null) save.mutate()
      }}
    >
      <div className="grid gap-4 sm:grid-cols-[10rem_minmax(0,1fr)]">
        <ImageField label="Image of your profile" {...image.field} />
        <div className="grid content-start gap-4">
          <FormField
            label="Username"
            value={username}
            error={problems.username}
            autoComplete="off"
            hint="Shown instead of your address: 3 to 20 letters a to z, digits and underscores"
            onChange={(event) => setUsername(event.target.value)}
          />
          <FormField
            label="About you"
            multiline
            error={problems.bio}
            value={bio}
            onChange={(event) => setBio(event.target.value)}
          />
        </div>
      </div>
      {save.error && <Notice tone="bad">{toUserMessage(save.error)}</Notice>}
      <Button type="submit" kind="primary" disabled={save.isPending} className="justify-self-start">
        {save.isPending ? 'Saving…' : 'Save'}
      </Button>
    </form>
  )
}
