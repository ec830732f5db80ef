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
import { useRef } from 'react'
import { waitForTransactionReceipt } from 'viem/actions'
import { useConfig as useWagmiConfig, type Config as WagmiConfig } from 'wagmi'
import { getClient, getConnectorClient } from 'wagmi/actions'
import { useSession } from '../wallet/session.tsx'

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

/** Waits by the node of the service. A whole public client of viem would make the page a fifth larger. */
function createWaiter(wagmi: WagmiConfig): Waiter | undefined {
  const node = getClient(wagmi)
  return node && { waitForTransactionReceipt: (parameters) => waitForTransactionReceipt(node, parameters) }
}

interface Started<Variables, Result> {
  variables: Variables
  onDone: ((result: Result) => void) | undefined
}

/** A flow of the SDK that the connected wallet signs. Without a wallet, `start` opens the dialog that connects one. */
export function useAction<Variables, Result>(run: (variables: Variables, context: ActionContext) => Promise<Result>) {
  const wagmi = useWagmiConfig()
  const queryClient = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const last = useRef<Started<Variables, Result>>(undefined)
  const flow = useFlow(async ({ variables, sent }: { variables: Variables; sent?: string }, { client, onStep }) => {
    const attempt = async () => {
      await ensure()
      const publicClient = createWaiter(wagmi)
      const options = { onStep, ...(publicClient && { publicClient }), ...(sent && { sent, timeoutMs: LOOK_MS }) }
      return run(variables, { client, wallet: await getConnectorClient(wagmi), flow: options })
    }
    return attempt().catch((error: unknown) => {
      throw sent && isUndecided(error) ? new NotMinedError(sent, error) : error
    })
  })
  const readBalancesAgain = () => void queryClient.invalidateQueries({ queryKey: ['balance'] })
  const onSuccess = (result: Result) => {
    readBalancesAgain()
    last.current?.onDone?.(result)
  }
  const start = (variables: Variables, onDone?: (result: Result) => void, onSent?: () => void) => {
    if (!wallet) return setConnecting(true)
    last.current = { variables, onDone }
    flow.mutate(
      { variables },
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
    if (sent !== null && last.current) flow.mutate({ variables: last.current.variables, sent }, { onSuccess })
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
    reset: flow.reset,
  }
}
