export { type Slipway, SlipwayProvider, type SlipwayProviderProps, useSlipway } from './provider.ts'
export { type AnyOperation, type FlatOperation, keyOf, type OptionsOf } from './query-key.ts'
export {
  type NotificationsResult,
  type SignInState,
  useConfig,
  useNotifications,
  usePortfolio,
  useSignIn,
} from './use-account.ts'
export { useDebounced } from './use-debounced.ts'
export type { LiveSettings } from './use-events.ts'
export { type FlowContext, type FlowResult, useFlow, useLaunch, useTrade } from './use-flow.ts'
export { useLive } from './use-live.ts'
export { type ListResult, type OperationResult, useList, useOperation } from './use-operation.ts'
export {
  useCommitments,
  useProposals,
  useRaise,
  useRaises,
  useStakingPools,
  useStakingPositions,
} from './use-raises.ts'
export {
  type ChartOptions,
  type LiveTrade,
  type QuoteOptions,
  useChart,
  useComments,
  useFeed,
  useHolders,
  useQuote,
  useStatistics,
  useToken,
  useTokens,
  useTrades,
} from './use-tokens.ts'
