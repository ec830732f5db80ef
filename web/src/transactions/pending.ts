import type { Body } from '@slipway/sdk'
import { useSyncExternalStore } from 'react'
import { readJson, tabStorage } from '../lib/storage.ts'

/** Texts that the service gets from the sender of a transaction alone: they are not on the chain. */
export type Creation =
  | { kind: 'launch'; texts: Omit<Body<'createToken'>, 'txHash'> }
  | { kind: 'raise'; texts: Omit<Body<'createRaise'>, 'txHash'> }

/** What a transaction created: the address of a token, or the id of a raise. */
export interface Created {
  kind: Creation['kind']
  id: string
}

interface Outcome {
  /** Why it failed; null if it succeeded. */
  failure: string | null
  created: Created | null
  /** When and on which page it ended. */
  at: number
  path: string
}

export interface PendingTransaction {
  id: string
  /** A noun, such as “Launch of Harbor Cat”. */
  label: string
  wallet: string
  /** null until the wallet has sent it. */
  hash: string | null
  /** Whether the hash is that of the approval before it. */
  isApproval: boolean
  creation: Creation | null
  /** What it waits for; null after a reload. */
  progress: string | null
  isAsking: boolean
  /** Whether a flow of this page follows it. */
  isRunning: boolean
  /** Whether the form that sent it shows it. */
  isInForm: boolean
  /** Why it cannot be followed now. */
  problem: string | null
  outcome: Outcome | null
}

const STORED = 'slipway.pending'
/** How long after its end a transaction whose form is removed has not been read there. */
const UNREAD_MS = 5_000

/** Transactions of this tab that a reload interrupted. Storage can have anything. */
function readStored(): PendingTransaction[] {
  const { items } = readJson(tabStorage, STORED)
  return (Array.isArray(items) ? items : []).flatMap((item: unknown): PendingTransaction[] => {
    const { id, label, wallet, hash, isApproval, creation } = Object(item)
    const isValid =
      [id, label, wallet].every((text) => typeof text === 'string') && /^0x[0-9a-f]{64}$/i.test(String(hash))
    const isCreation = /^(launch|raise)$/.test(String(creation?.kind)) && creation.texts === Object(creation.texts)
    if (!isValid) return []
    const kept = { id, label, wallet, hash, isApproval: isApproval === true, creation: isCreation ? creation : null }
    return [
      {
        ...kept,
        ...{ progress: null, isAsking: false, isRunning: false, isInForm: false, problem: null, outcome: null },
      },
    ]
  })
}

let items: readonly PendingTransaction[] = readStored()
const listeners = new Set<() => void>()

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

function change(next: readonly PendingTransaction[]): void {
  items = next
  const stored = items
    .filter(({ hash, outcome }) => hash !== null && outcome === null)
    .map(({ id, label, wallet, hash, isApproval, creation }) => ({ id, label, wallet, hash, isApproval, creation }))
  if (stored.length > 0) tabStorage.setItem(STORED, JSON.stringify({ items: stored }))
  else tabStorage.removeItem(STORED)
  // What the wallet sends after the page is left would be lost.
  if (items.some(({ isAsking }) => isAsking)) addEventListener('beforeunload', askBeforeLeaving)
  else removeEventListener('beforeunload', askBeforeLeaving)
  for (const listen of listeners) listen()
}

const find = (id: string) => items.find((one) => one.id === id)

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

export const usePending = (): readonly PendingTransaction[] => useSyncExternalStore(subscribe, () => items)

/** Creations of the wallet that an earlier form sent, before a reload or a navigation. */
export const useEarlierCreation = (kind: Creation['kind'], wallet: string | null): PendingTransaction | undefined =>
  usePending().find((one) => one.creation?.kind === kind && one.wallet === wallet && !one.isInForm)

/** Begins to follow what a form sends. Returns its id. */
export function begin(given: Pick<PendingTransaction, 'label' | 'wallet'>): string {
  const id = `${Date.now()}-${Math.random()}`
  const none = { hash: null, isApproval: false, creation: null, progress: null, isAsking: false, problem: null }
  change([...items, { id, ...given, ...none, isRunning: true, isInForm: true, outcome: null }])
  return id
}

/** Does nothing to one that was dismissed. */
export const update = (id: string, changes: Partial<PendingTransaction>): void =>
  change(items.map((one) => (one.id === id ? { ...one, ...changes } : one)))

export const dismiss = (id: string): void => change(items.filter((one) => one.id !== id))

/** Ends a transaction. A failure that its form shows is shown once. */
export function settle(id: string, { failure = null, created = null }: Partial<Pick<Outcome, 'failure' | 'created'>>) {
  if (failure !== null && find(id)?.isInForm) return dismiss(id)
  const outcome = { failure, created, at: Date.now(), path: location.pathname }
  update(id, { isRunning: false, isAsking: false, progress: null, problem: null, outcome })
}

/** Its form goes on without it. */
export const release = (id: string): void => (find(id)?.outcome ? dismiss(id) : update(id, { isInForm: false }))

/** Its form is removed, perhaps by the success itself, which is then shown elsewhere. */
export function leaveForm(id: string): void {
  const outcome = find(id)?.outcome
  const isUnread = outcome?.path === location.pathname && Date.now() - outcome.at < UNREAD_MS
  if (outcome && isUnread) update(id, { isInForm: false })
  else release(id)
}
