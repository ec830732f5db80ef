import {
  type Client,
  NotMinedError,
  NotSyncedError,
  type Step,
  toUserMessage,
  type Waiter,
  type Wallet,
} from '@slipway/sdk'
import { useFlow } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
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
  /** Options of the flow. The public client follows a transaction that is sped up in the wallet. */
  flow: { onStep: (step: Step) => void; publicClient?: Waiter }
}

const findSent = (error: Error | null): string | null =>
  error instanceof NotMinedError || error instanceof NotSyncedError ? error.txHash : null

/** Waits by the node of the service. A whole public client of viem would make the page a fifth larger. */
function createWaiter(wagmi: WagmiConfig): Waiter | undefined {
  const node = getClient(wagmi)
  return node && { waitForTransactionReceipt: (parameters) => waitForTransactionReceipt(node, parameters) }
}

/** A flow of the SDK that the connected wallet signs. Without a wallet, `start` opens the dialog that connects one. */
export function useAction<Variables, Result>(run: (variables: Variables, context: ActionContext) => Promise<Result>) {
  const wagmi = useWagmiConfig()
  const queryClient = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const flow = useFlow(async (variables: Variables, { client, onStep }) => {
    await ensure()
    const publicClient = createWaiter(wagmi)
    const options = { onStep, ...(publicClient && { publicClient }) }
    return run(variables, { client, wallet: await getConnectorClient(wagmi), flow: options })
  })
  const readBalancesAgain = () => void queryClient.invalidateQueries({ queryKey: ['balance'] })
  const start = (variables: Variables, onDone?: (result: Result) => void, onSent?: () => void) => {
    if (!wallet) return setConnecting(true)
    flow.mutate(variables, {
      onSuccess: (result) => {
        readBalancesAgain()
        onDone?.(result)
      },
      onError: (error) => {
        if (findSent(error) === null) return
        readBalancesAgain()
        onSent?.()
      },
    })
  }
  const sent = findSent(flow.error)
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
    result: flow.data,
    reset: flow.reset,
  }
}
