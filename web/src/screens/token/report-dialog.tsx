import { toUserMessage } from '@slipway/sdk'
import { findTextProblem } from '@slipway/sdk/texts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/states.tsx'
import { api } from '../../lib/api.ts'
import { useSession } from '../../wallet/session.tsx'

const REASONS = ['spam', 'scam', 'abuse', 'illegal', 'other'] as const

interface Props {
  comment: string
  isOpen: boolean
  onClose(): void
}

export function ReportDialog({ comment, isOpen, onClose }: Props) {
  const { ensure } = useSession()
  const [reason, setReason] = useState<(typeof REASONS)[number]>('spam')
  const [note, setNote] = useState('')
  const problem = note.trim() === '' ? null : findTextProblem('note', note.trim())
  const report = useMutation({
    mutationFn: async () => {
      await ensure()
      const body = { reason, ...(note.trim() && { note: note.trim() }) }
      return api.comments.report(comment, body)
    },
  })
  return (
    <Dialog title="Report this comment" isOpen={isOpen} onClose={onClose}>
      {report.isSuccess ? (
        <Notice tone="good">Thank you. An operator will look at it.</Notice>
      ) : (
        <form
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            if (problem === null) report.mutate()
          }}
        >
          <label className="grid gap-1">
            <span className="text-xs text-muted">Reason</span>
            <select
              value={reason}
              onChange={(event) => setReason(event.target.value as typeof reason)}
              className="field capitalize"
            >
              {REASONS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <label className="grid gap-1">
            <span className="text-xs text-muted">Note (optional)</span>
            <textarea
              dir="auto"
              rows={3}
              value={note}
              onChange={(event) => setNote(event.target.value)}
              className="field"
            />
          </label>
          {problem !== null && <p className="text-2xs font-semibold text-down">{problem}</p>}
          {report.error && <Notice tone="bad">{toUserMessage(report.error)}</Notice>}
          <Button type="submit" kind="primary" disabled={report.isPending || problem !== null}>
            Send
          </Button>
        </form>
      )}
    </Dialog>
  )
}
