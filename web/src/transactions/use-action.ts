import {
  type Client,
  hasReason,
  isRejectedByUser,
  isTransient,
  NotMinedError,
  NotSyncedError,
  type ResumableOptions,
  type Step,
  toUserMessage,
  type Waiter,
  type Wallet,
} from '@slipway/sdk'
import { useFlow } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { waitForTransactionReceipt } from 'viem/actions'
import { useConfig as useWagmiConfig, type Config as WagmiConfig } from 'wagmi'
import { getClient, getConnectorClient } from 'wagmi/actions'
import { useSession } from '../wallet/session.tsx'
import { begin, type Created, type Creation, dismiss, leaveForm, release, settle, update } from './pending.ts'

const stepTexts: Record<Step['name'], string> = {
  upload: 'Uploading…',
  quote: 'Quoting…',
  approve: 'Approve in your wallet…',
  sign: 'Confirm in your wallet…',
  wait: 'Waiting for the block…',
  sync: 'Indexing…',
}

interface ActionContext {
  client: Client
  wallet: Wallet
  /**
   * Options of the flow. The public client follows a transaction that is sped up in the wallet. With `sent`, the action looks for that
   * transaction again, and sends nothing.
   */
  flow: Pick<ResumableOptions, 'sent' | 'timeoutMs'> & { onStep: (step: Step) => void; publicClient?: Waiter }
  /** Keeps the texts of a creation, so that they reach the service after a reload as well. */
  keep(creation: Creation): void
}

interface ActionOptions<Variables, Result> {
  /** A noun that says what is sent, such as “Buy of PIER”, for where the form is not in view. */
  label: string | ((variables: Variables) => string)
  readCreated?: (result: Result) => Created | null
}

/** How long another look for a transaction waits for it. */
export const LOOK_MS = 15_000

const findSent = (error: Error | null): string | null =>
  error instanceof NotMinedError || error instanceof NotSyncedError ? error.txHash : null

/** Whether another look has not found out what became of a transaction. */
const isUndecided = (error: unknown): boolean =>
  isTransient(error) ||
  isRejectedByUser(error) ||
  hasReason(error, 'TRANSACTION_NOT_FOUND', 'JWT_INVALID', 'JWT_MISSING')

/** What the wallet is asked to sign is not known to the page until it has been sent. */
function followStep(id: string, step: Step): void {
  const isAsking = step.name === 'sign' || step.name === 'approve'
  const sent =
    step.name === 'wait' ? { hash: step.txHash } : isAsking ? { hash: null, isApproval: step.name === 'approve' } : {}
  update(id, { progress: stepTexts[step.name], isAsking, ...sent })
}

/** Waits by the node of the service. A whole public client of viem would make the page a fifth larger. */
export function createWaiter(wagmi: WagmiConfig): Waiter | undefined {
  const node = getClient(wagmi)
  return node && { waitForTransactionReceipt: (parameters) => waitForTransactionReceipt(node, parameters) }
}

interface Started<Variables, Result> {
  id: string
  variables: Variables
  onDone: ((result: Result) => void) | undefined
}

/** A flow of the SDK that the connected wallet signs. Without a wallet, `start` opens the dialog that connects one. */
export function useAction<Variables, Result>(
  { label, readCreated }: ActionOptions<Variables, Result>,
  run: (variables: Variables, context: ActionContext) => Promise<Result>,
) {
  const wagmi = useWagmiConfig()
  const queryClient = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const last = useRef<Started<Variables, Result>>(undefined)
  useEffect(() => () => void (last.current && leaveForm(last.current.id)), [])
  interface Attempt {
    id: string
    variables: Variables
    sent?: string
  }
  const flow = useFlow(async ({ id, variables, sent }: Attempt, { client, onStep }) => {
    const attempt = async () => {
      await ensure()
      const publicClient = createWaiter(wagmi)
      const follow = (step: Step) => {
        onStep(step)
        followStep(id, step)
      }
      const options = {
        onStep: follow,
        ...(publicClient && { publicClient }),
        ...(sent && { sent, timeoutMs: LOOK_MS }),
      }
      const keep = (creation: Creation) => update(id, { creation })
      return run(variables, { client, wallet: await getConnectorClient(wagmi), flow: options, keep })
    }
    try {
      const result = await attempt()
      settle(id, { created: readCreated?.(result) ?? null })
      return result
    } catch (error) {
      const failure = sent && isUndecided(error) ? new NotMinedError(sent, error) : (error as Error)
      if (findSent(failure) !== null) update(id, { isRunning: false, isAsking: false })
      else if (isRejectedByUser(failure)) dismiss(id)
      else settle(id, { failure: toUserMessage(failure) })
      throw failure
    }
  })
  const readBalancesAgain = () => void queryClient.invalidateQueries({ queryKey: ['balance'] })
  const onSuccess = (result: Result) => {
    readBalancesAgain()
    last.current?.onDone?.(result)
  }
  const start = (variables: Variables, onDone?: (result: Result) => void, onSent?: () => void) => {
    if (!wallet) return setConnecting(true)
    if (last.current) release(last.current.id)
    const id = begin({ label: typeof label === 'string' ? label : label(variables), wallet })
    last.current = { id, variables, onDone }
    flow.mutate(
      { id, variables },
      {
        onSuccess,
        onError: (error) => {
          if (findSent(error) === null) return
          readBalancesAgain()
          onSent?.()
        },
      },
    )
  }
  const sent = findSent(flow.error)
  const lookAgain = () => {
    if (sent === null || !last.current) return
    const { id, variables } = last.current
    update(id, { isRunning: true })
    flow.mutate({ id, variables, sent }, { onSuccess })
  }
  const discard = () => {
    if (last.current) dismiss(last.current.id)
    flow.reset()
  }
  const reset = () => {
    if (last.current) release(last.current.id)
    flow.reset()
  }
  return {
    /** `onSent`: the transaction was sent, but its outcome is unknown. A form drops what it must not send twice. */
    start,
    isPending: flow.isPending,
    /** Also after a transaction was sent whose outcome is unknown, until `reset`: for a form that would send the same again. */
    isBusy: flow.isPending || sent !== null,
    /** What is being waited for; null unless pending. */
    progress: flow.isPending ? (flow.step ? stepTexts[flow.step.name] : 'Starting…') : null,
    error: flow.error ? toUserMessage(flow.error) : null,
    /** Hash of a transaction that was sent, but whose outcome is unknown. */
    sent,
    /** Looks for that transaction again, and ends the action as if it had been mined in time. null if there is none. */
    lookAgain: sent === null || (flow.error instanceof NotMinedError && flow.error.isApproval) ? null : lookAgain,
    result: flow.data,
    reset,
    /** Resets it, and no longer follows what was sent. */
    discard,
  }
}
