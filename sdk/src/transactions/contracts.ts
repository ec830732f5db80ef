// Generated from chain/abi by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk
import type { ContractFunction } from './abi-codec.ts'

export const LAUNCHPAD_CREATE = ['0x67115d8b', ['string', 'string', 'string', 'bytes32', ['uint128', 'uint16', 'uint16'], 'uint256', 'uint256']] as const satisfies ContractFunction
export const LAUNCHPAD_BUY = ['0xa9d424e2', 'address', 'address', 'uint256', 'uint256'] as const satisfies ContractFunction
export const LAUNCHPAD_SELL = ['0x2d28dd8d', 'address', 'uint256', 'address', 'uint256', 'uint256'] as const satisfies ContractFunction
export const LAUNCHPAD_GRADUATE = ['0xff6d8d05', 'address'] as const satisfies ContractFunction
export const LAUNCHPAD_CLAIM_CREATOR_FEE = ['0x83cd5cce', 'address'] as const satisfies ContractFunction
export const LAUNCHPAD_SET_FEE_SHARES = ['0x4332cd9c', 'address', 'address[]', 'uint16[]'] as const satisfies ContractFunction
export const LAUNCHPAD_TRANSFER_FEE_RIGHT = ['0xd290febf', 'address', 'address'] as const satisfies ContractFunction
export const LAUNCHPAD_WITHDRAW_HELD_FEES = ['0x89f06cd8', 'address'] as const satisfies ContractFunction
export const LAUNCHPAD_DEFAULTS = ['0xedb7a6fa'] as const satisfies ContractFunction
export const LAUNCHPAD_TOKEN_ADDRESS = ['0x9ba2543f', 'address', 'bytes32'] as const satisfies ContractFunction
export const LAUNCHPAD_FEE_OWNER = ['0x9c44d63b', 'address'] as const satisfies ContractFunction
export const LAUNCHPAD_FEE_SHARES = ['0xee3e7b10', 'address'] as const satisfies ContractFunction
export const LAUNCH_TOKEN_SET_CONTRACT_URI = ['0x938e3d7b', 'string'] as const satisfies ContractFunction
export const LAUNCH_TOKEN_LAUNCHPAD = ['0x02669b52'] as const satisfies ContractFunction
export const ERC20_APPROVE = ['0x095ea7b3', 'address', 'uint256'] as const satisfies ContractFunction
export const ERC20_ALLOWANCE = ['0xdd62ed3e', 'address', 'address'] as const satisfies ContractFunction
export const ERC20_BALANCE_OF = ['0x70a08231', 'address'] as const satisfies ContractFunction
export const UNISWAP_V2_ROUTER02_SWAP_EXACT_ETH_FOR_TOKENS = ['0x7ff36ab5', 'uint256', 'address[]', 'address', 'uint256'] as const satisfies ContractFunction
export const UNISWAP_V2_ROUTER02_SWAP_EXACT_TOKENS_FOR_ETH = ['0x18cbafe5', 'uint256', 'uint256', 'address[]', 'address', 'uint256'] as const satisfies ContractFunction
export const FEE_STAKING_STAKE = ['0x7b0472f0', 'uint256', 'uint256'] as const satisfies ContractFunction
export const FEE_STAKING_REQUEST_UNSTAKE = ['0x68d4341f', 'uint256', 'uint256'] as const satisfies ContractFunction
export const FEE_STAKING_WITHDRAW = ['0x2e1a7d4d', 'uint256'] as const satisfies ContractFunction
export const FEE_STAKING_CLAIM = ['0x379607f5', 'uint256'] as const satisfies ContractFunction
export const FEE_STAKING_FUND = ['0xa65e2cfd', 'uint256', 'uint256'] as const satisfies ContractFunction
export const RAISES_CREATE_RAISE = ['0x77504b2a', ['address', 'bool', 'uint16', 'uint32', 'uint32', 'uint64', 'uint64', 'uint64', 'uint128', 'uint128', 'uint128', 'uint128', 'uint128', 'string', 'string']] as const satisfies ContractFunction
export const RAISES_REGISTER = ['0xf207564e', 'uint256'] as const satisfies ContractFunction
export const RAISES_COMMIT = ['0xf4f98ad5', 'uint256'] as const satisfies ContractFunction
export const RAISES_FINALIZE = ['0x05261aea', 'uint256'] as const satisfies ContractFunction
export const RAISES_CANCEL = ['0x40e58ee5', 'uint256'] as const satisfies ContractFunction
export const RAISES_CLAIM = ['0x379607f5', 'uint256'] as const satisfies ContractFunction
export const RAISES_REFUND = ['0x278ecde1', 'uint256'] as const satisfies ContractFunction
export const RAISES_RECLAIM_TOKENS = ['0x7760da7f', 'uint256'] as const satisfies ContractFunction
export const RAISES_DISSOLVE = ['0xf90b2bfe', 'uint256'] as const satisfies ContractFunction
export const RAISES_PROPOSE = ['0x6f0caf5c', 'uint256', 'uint256', 'address', 'string', 'string'] as const satisfies ContractFunction
export const RAISES_PROPOSE_DISSOLUTION = ['0xfeaa6cf6', 'uint256', 'string', 'string'] as const satisfies ContractFunction
export const RAISES_VOTE = ['0x943e8216', 'uint256', 'uint8'] as const satisfies ContractFunction
export const RAISES_EXIT = ['0x7f8661a1', 'uint256'] as const satisfies ContractFunction
export const RAISES_EXECUTE = ['0xfe0d94c1', 'uint256'] as const satisfies ContractFunction
export const RAISES_CANCEL_PROPOSAL = ['0xe0a8f6f5', 'uint256'] as const satisfies ContractFunction
export const RAISES_RULES = ['0x52f6747a'] as const satisfies ContractFunction

/** Custom errors by selector: the name, and names and types of the parameters. */
export const contractErrors = {
  '0x06250401': ['AmountTooLarge'],
  '0x0b9d5507': ['InvalidVoting'],
  '0x0c5b20b3': ['NothingAccepted'],
  '0x0dc149f0': ['AlreadyInitialized'],
  '0x10b46fe4': ['ExceedsStaked', 'staked uint256'],
  '0x118cdaa7': ['OwnableUnauthorizedAccount', 'account address'],
  '0x14356134': ['PoolNotOpen'],
  '0x17479ac8': ['InvalidPeriod'],
  '0x1e4fbdf7': ['OwnableInvalidOwner', 'owner address'],
  '0x1f2a2005': ['ZeroAmount'],
  '0x236deb5b': ['OnlyLaunchpad'],
  '0x24971c7e': ['ContractURILength'],
  '0x2746152a': ['Slippage', 'amountOut uint256', 'minimum uint256'],
  '0x28e0cf5a': ['UnknownProposal', 'proposalId uint256'],
  '0x338557b6': ['ProposalStillOpen', 'proposalId uint256'],
  '0x359011cc': ['WrongStatus', 'status uint8'],
  '0x3a81d6fc': ['AlreadyRegistered'],
  '0x3ee5aeb5': ['ReentrancyGuardReentrantCall'],
  '0x44023105': ['NoWeight'],
  '0x475a2535': ['AlreadyFinalized'],
  '0x47bc7cc8': ['OnlyCreator'],
  '0x48b5b615': ['RefundNotOpen'],
  '0x4b800e46': ['ERC2612InvalidSigner', 'signer address', 'owner address'],
  '0x4ec0a691': ['TermsChanged'],
  '0x4fd97f14': ['UnknownPool', 'poolId uint256'],
  '0x5274afe7': ['SafeERC20FailedOperation', 'token address'],
  '0x53c5faea': ['ExceedsEscrow', 'escrow uint256'],
  '0x56ed9b6e': ['TransferToLaunchpad'],
  '0x5956764f': ['ProposedTooSoon', 'openAt uint256'],
  '0x5dd42bb6': ['TooLittleGas'],
  '0x5ed7648b': ['CurveClosed', 'token address'],
  '0x62791302': ['ERC2612ExpiredSignature', 'deadline uint256'],
  '0x64e11154': ['InvalidFeeShares'],
  '0x6ad803f8': ['OnlyFeeOwner'],
  '0x6dfcc650': ['SafeCastOverflowedUintDowncast', 'bits uint8', 'value uint256'],
  '0x71287540': ['AlreadyDissolved'],
  '0x735bfa63': ['SymbolLength'],
  '0x752d88c0': ['InvalidAccountNonce', 'account address', 'currentNonce uint256'],
  '0x7a2a029c': ['InvalidText'],
  '0x7c9a1cf9': ['AlreadyVoted'],
  '0x81a3b1be': ['UnknownToken', 'token address'],
  '0x8a8b41ec': ['NotAContract', 'account address'],
  '0x91ded42a': ['TransferFee', 'token address'],
  '0x94280d62': ['ERC20InvalidSpender', 'spender address'],
  '0x969bf728': ['NothingToClaim'],
  '0x96c6fd1e': ['ERC20InvalidSender', 'sender address'],
  '0x98d4901c': ['WrongValue'],
  '0x9c718997': ['ExceedsSold', 'tokenIn uint256', 'sold uint256'],
  '0x9c8d2cd2': ['InvalidRecipient'],
  '0x9f0574ea': ['ExitWindowOpen', 'executableAt uint256'],
  '0xa7113f17': ['TargetOutOfRange'],
  '0xa917d195': ['VotedFor'],
  '0xaba47339': ['NotRegistered'],
  '0xabd81cf6': ['CreatorCannotCommit'],
  '0xb06ebf3d': ['FailedDeployment'],
  '0xbac2de8f': ['NameLength'],
  '0xbadd2322': ['CurveNotCompleted', 'token address'],
  '0xbf1d415d': ['PairInitCodeHashMismatch'],
  '0xc118f920': ['OnlyProposer'],
  '0xcc718d14': ['ExceedsReleaseLimit', 'available uint256'],
  '0xcd4e6167': ['FeeTooHigh'],
  '0xcf479181': ['InsufficientBalance', 'balance uint256', 'needed uint256'],
  '0xd0c4dca9': ['InvalidGoals'],
  '0xd0d04f60': ['NothingToWithdraw'],
  '0xd6bda275': ['FailedCall'],
  '0xd78bce0c': ['ECDSAInvalidSignatureS', 's bytes32'],
  '0xdb00f904': ['ERC5267ExtensionsNotSupported'],
  '0xe37d4aeb': ['WrongState', 'state uint8'],
  '0xe450d38c': ['ERC20InsufficientBalance', 'sender address', 'balance uint256', 'needed uint256'],
  '0xe5e69c3f': ['UnknownRaise', 'raiseId uint256'],
  '0xe602df05': ['ERC20InvalidApprover', 'approver address'],
  '0xe618637e': ['ZeroOutput'],
  '0xec442f05': ['ERC20InvalidReceiver', 'receiver address'],
  '0xf0ae59ab': ['NotAToken', 'token address'],
  '0xf10e43d3': ['SaltUsed', 'token address'],
  '0xf645eedf': ['ECDSAInvalidSignature'],
  '0xf76aef65': ['NothingToRefund'],
  '0xf80dbaea': ['Expired', 'deadline uint256'],
  '0xfa65cadb': ['BelowWalletMinimum', 'walletMin uint256'],
  '0xfb8f41b2': ['ERC20InsufficientAllowance', 'spender address', 'allowance uint256', 'needed uint256'],
  '0xfc8986de': ['InvalidTimes'],
  '0xfce698f7': ['ECDSAInvalidSignatureLength', 'length uint256'],
  '0xfe0e5d8b': ['InvalidSupport', 'support uint8'],
  '0xff6b914a': ['NotIdle', 'idleAt uint256'],
  '0xffada05d': ['CoolingDown', 'withdrawableAt uint256'],
} as const satisfies Record<string, readonly string[]>
