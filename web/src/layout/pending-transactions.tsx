import { isTransient, NotMinedError, NotSyncedError, toUserMessage, waitForReceipt } from '@slipway/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useConfig as useWagmiConfig } from 'wagmi'
import { Button } from '../components/button.tsx'
import { ChainReference } from '../components/explorer-link.tsx'
import { Icon } from '../components/icon.tsx'
import { api } from '../lib/api.ts'
import { shorten } from '../lib/links.ts'
import { dropDraft } from '../screens/launch/draft.ts'
import { dropRaiseDraft } from '../screens/raises/raise-draft.ts'
import { finishCreation } from '../transactions/finish-creation.ts'
import { type Created, dismiss, type PendingTransaction, settle, update, usePending } from '../transactions/pending.ts'
import { createWaiter } from '../transactions/use-action.ts'
import { useSession } from '../wallet/session.tsx'

const dropDrafts = { launch: dropDraft, raise: dropRaiseDraft }
const SHOWN_MS = 8_000
const PAUSE_MS = 15_000

/** Transactions whose form is gone, by a reload, a navigation or their own success: follows them, and says how each ended. */
export function PendingTransactions() {
  const shown = usePending().filter(({ isInForm }) => !isInForm)
  return (
    <section aria-label="Your transactions" aria-live="polite" className="contents">
      {shown.map((pending) => (
        <Item key={pending.id} pending={pending} />
      ))}
    </section>
  )
}

function Item({ pending }: { pending: PendingTransaction }) {
  const { id, hash, outcome, problem } = pending
  const needsWallet = useFollow(pending)
  const isDone = outcome !== null && outcome.failure === null
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => dismiss(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isDone, id])
  // Its form has a button that discards it, and says what that means.
  const isLocking = pending.creation !== null && outcome === null
  const label = pending.isApproval ? `Approval for: ${pending.label}` : pending.label
  const text = outcome
    ? outcome.failure === null
      ? 'succeeded.'
      : `failed. ${outcome.failure}`
    : needsWallet
      ? `was sent. Connect ${shorten(pending.wallet)} to add its description, image and links.`
      : (problem ?? pending.progress ?? 'was sent. Waiting for its result…')
  return (
    <div
      {...(outcome?.failure && { role: 'alert' })}
      className="panel enter pointer-events-auto flex w-full items-start gap-3 p-3 shadow-(--shadow) sm:w-88"
    >
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p>
          <strong className="font-semibold">{label}</strong> {text}
        </p>
        <p className="mt-1 flex flex-wrap items-center gap-3 text-xs text-muted empty:hidden">
          {hash && <ChainReference kind="tx" value={hash} label="Copy the hash of the transaction" />}
          {outcome?.created && <CreatedLink created={outcome.created} />}
          {problem !== null && (
            <Button size="sm" onClick={() => update(id, { problem: null })}>
              Try again
            </Button>
          )}
        </p>
      </div>
      {(!isLocking || needsWallet || problem !== null) && (
        <button
          type="button"
          aria-label={`Dismiss: ${label}`}
          onClick={() => dismiss(id)}
          className="p-1 text-faint hover:text-ink"
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  )
}

function CreatedLink({ created: { kind, id } }: { created: Created }) {
  const className = 'font-semibold text-accent-ink hover:underline'
  if (kind === 'launch')
    return (
      <Link to="/token/$address" params={{ address: id }} className={className}>
        Open the token
      </Link>
    )
  return (
    <Link to="/raises/$id" params={{ id }} className={className}>
      Open the raise
    </Link>
  )
}

/** Follows a transaction that no flow follows. Returns whether that takes another wallet than the connected one. */
function useFollow(pending: PendingTransaction): boolean {
  const wagmi = useWagmiConfig()
  const queryClient = useQueryClient()
  const { wallet, ensure } = useSession()
  const { id, hash, isRunning, isApproval, outcome, problem } = pending
  const creation = isApproval ? null : pending.creation
  const isOpen = hash !== null && !isRunning && outcome === null && problem === null
  const needsWallet = isOpen && creation !== null && wallet !== pending.wallet
  // biome-ignore lint/correctness/useExhaustiveDependencies: what else it reads of the transaction does not change meanwhile
  useEffect(() => {
    if (!isOpen || needsWallet) return
    const stop = new AbortController()
    const { signal } = stop
    const follow = async () => {
      const publicClient = createWaiter(wagmi)
      const receipt = await waitForReceipt(api, hash as `0x${string}`, {
        signal,
        ...(publicClient && { publicClient }),
      })
      if (receipt.isReverted) return settle(id, { failure: 'The contract rejected it.' })
      if (creation) await ensure()
      const created = creation && (await finishCreation(creation, pending.wallet, receipt.txHash))
      if (signal.aborted) return
      if (creation) dropDrafts[creation.kind]()
      settle(id, { created })
      await queryClient.invalidateQueries()
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const attempt = () =>
      follow().catch((error: unknown) => {
        if (signal.aborted) return
        const isUnknown = error instanceof NotMinedError || error instanceof NotSyncedError || isTransient(error)
        if (isUnknown) timer = setTimeout(attempt, PAUSE_MS)
        else update(id, { problem: toUserMessage(error) })
      })
    void attempt()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [id, isOpen, needsWallet])
  return needsWallet
}
