import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Client } from '../client.ts'
import { type LaunchFlowOptions, type LaunchResult, launch } from '../flows/launch.ts'
import type { Step } from '../flows/send.ts'
import { type TradeOptions, type TradeResult, trade } from '../flows/trade.ts'
import type { Wallet } from '../wallet.ts'
import { useSlipway } from './provider.ts'
import { ROOT_KEY } from './query-key.ts'

export interface FlowContext {
  client: Client
  /** Pass it to a flow, so that `step` follows it. */
  onStep: (step: Step) => void
}

export type FlowResult<Result, Variables> = UseMutationResult<Result, Error, Variables> & {
  /** What the flow is doing; undefined before it starts and after it has ended. */
  step: Step | undefined
}

/**
 * A mutation that reports the step of its flow:
 * `useFlow((id: string, { client, onStep }) => transact(client, wallet, buildVote(id, 'for'), syncVote, { path: { id }, onStep }))`.
 */
export function useFlow<Variables, Result>(
  run: (variables: Variables, context: FlowContext) => Promise<Result>,
): FlowResult<Result, Variables> {
  const { client } = useSlipway()
  const queryClient = useQueryClient()
  const [step, setStep] = useState<Step>()
  const mutation = useMutation({
    mutationFn: (variables: Variables) => run(variables, { client, onStep: setStep }),
    onSettled: () => {
      setStep(undefined)
      // Records that no event reaches, and all of them while the socket is down.
      void queryClient.invalidateQueries({ queryKey: [ROOT_KEY] })
    },
  })
  return { ...mutation, step }
}

/** The flow `trade` as a mutation: `mutate({ wallet, token, side, amount })`. */
export function useTrade(): FlowResult<TradeResult, TradeOptions & { wallet: Wallet }> {
  return useFlow(({ wallet, ...options }: TradeOptions & { wallet: Wallet }, { client, onStep }) =>
    trade(client, wallet, { ...options, onStep: both(options.onStep, onStep) }),
  )
}

/** The flow `launch` as a mutation: `mutate({ wallet, name, symbol, image })`. */
export function useLaunch(): FlowResult<LaunchResult, LaunchFlowOptions & { wallet: Wallet }> {
  return useFlow(({ wallet, ...options }: LaunchFlowOptions & { wallet: Wallet }, { client, onStep }) =>
    launch(client, wallet, { ...options, onStep: both(options.onStep, onStep) }),
  )
}

type Listen = (step: Step) => void
const both =
  (first: Listen | undefined, second: Listen): Listen =>
  (step) => {
    first?.(step)
    second(step)
  }
