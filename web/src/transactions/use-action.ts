import { type Client, type Step, toUserMessage, type Wallet } from '@slipway/sdk'
import { useFlow } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { useConfig as useWagmiConfig } from 'wagmi'
import { getConnectorClient } from 'wagmi/actions'
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
  onStep: (step: Step) => void
}

/** A flow of the SDK that the connected wallet signs. Without a wallet, `start` opens the dialog that connects one. */
export function useAction<Variables, Result>(run: (variables: Variables, context: ActionContext) => Promise<Result>) {
  const wagmi = useWagmiConfig()
  const queryClient = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const flow = useFlow(async (variables: Variables, { client, onStep }) => {
    await ensure()
    return run(variables, { client, wallet: await getConnectorClient(wagmi), onStep })
  })
  const start = (variables: Variables, onDone?: (result: Result) => void) => {
    if (!wallet) return setConnecting(true)
    flow.mutate(variables, {
      onSuccess: (result) => {
        void queryClient.invalidateQueries({ queryKey: ['balance'] })
        onDone?.(result)
      },
    })
  }
  return {
    start,
    isBusy: flow.isPending,
    /** What is being waited for; null unless busy. */
    progress: flow.isPending ? (flow.step ? stepTexts[flow.step.name] : 'Starting…') : null,
    error: flow.error ? toUserMessage(flow.error) : null,
    result: flow.data,
    reset: flow.reset,
  }
}
