export { type Client, type ClientOptions, createClient } from './client.ts'
export { readFieldProblem } from './describe-failure.ts'
export {
  AlreadyIndexedError,
  type ErrorReason,
  hasReason,
  isTransient,
  NotMinedError,
  NotSyncedError,
  PriceChangedError,
  SlipwayError,
} from './errors.ts'
export {
  type FeeRight,
  GRADUATION_GAS,
  NodeError,
  type RaiseRules,
  RevertError,
  readAllowance,
  readFeeRight,
  readLaunchpad,
  readLaunchTerms,
  readRaiseRules,
  readTokenAddress,
} from './flows/call-node.ts'
export { type LaunchFlowOptions, type LaunchResult, launch } from './flows/launch.ts'
export { type FlowOptions, type ResumableOptions, type Step, waitForReceipt } from './flows/send.ts'
export { type TradeOptions, type TradeResult, trade } from './flows/trade.ts'
export { type TransactionOptions, type TransactOptions, transact } from './flows/transact.ts'
export { iterate } from './iterate.ts'
export type { Operation } from './operation.ts'
export * from './operations.ts'
export type { OperationReasons, ReasonOf } from './reasons.ts'
export type { EventData, EventType, Room, RoomEvents } from './rooms.ts'
export { readTime } from './service-time.ts'
export {
  type ContinueOptions,
  continueSession,
  ensureSignedIn,
  type Signer,
  type SignInOptions,
  signIn,
  signOut,
} from './sign-in.ts'
export { connect, type Live, type LiveOptions, type LiveStatus, type RoomMessage } from './socket.ts'
export { type SendOptions, type SyncOptions, sendAndSync, sync, type Waiter } from './sync.ts'
export { describeError, isRejectedByUser, toUserMessage } from './to-user-message.ts'
export { readToken } from './token-claims.ts'
export {
  buildCommitment,
  buildDissolution,
  buildDissolutionProposal,
  buildExecution,
  buildExit,
  buildFinalization,
  buildProposal,
  buildProposalCancellation,
  buildRaise,
  buildRaiseCancellation,
  buildRefund,
  buildRegistration,
  buildTokenClaim,
  buildTokenReclaim,
  buildVote,
  type ProposalOptions,
  type RaiseOptions,
} from './transactions/build-raise.ts'
export {
  buildFunding,
  buildRewardClaim,
  buildStake,
  buildUnstake,
  buildWithdrawal,
} from './transactions/build-staking.ts'
export {
  buildApproval,
  buildBuy,
  buildCreatorFeeClaim,
  buildFeeRightTransfer,
  buildFeeShares,
  buildGraduation,
  buildHeldFeeWithdrawal,
  buildLaunch,
  buildMetadataChange,
  buildSell,
  buildTrade,
  createSalt,
  type FeeShare,
  type LaunchOptions,
  type LaunchTerms,
  type TokenOptions,
  type TradeParameters,
  type TradeQuote,
} from './transactions/build-token.ts'
export { describeRevert, type Revert } from './transactions/describe-revert.ts'
export type { Deployments, UnsignedTransaction } from './transactions/unsigned-transaction.ts'
export type { Body, CallOptions, Data, OperationId, Options, Query, RawData, Schema, Schemas } from './types.ts'
export {
  type Address,
  type Amount,
  type AmountLike,
  applySlippage,
  type Decimal,
  formatUnits,
  type Hash,
  type Hex,
  isAddress,
  parseUnits,
  type SignedAmount,
  toBigInt,
} from './values.ts'
export {
  type ChainDescription,
  getAddress,
  type Provider,
  sendTransaction,
  switchChain,
  type Wallet,
  type WalletClient,
} from './wallet.ts'
