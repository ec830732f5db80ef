// The events of launchpads that exist, as their own documents and ABIs state them.
import { parseAbi } from 'viem'

export const nadFunEvents = parseAbi([
  'event CurveCreate(address indexed creator, address indexed token, address indexed pool, string name, string symbol, string tokenURI, uint256 virtualMon, uint256 virtualToken, uint256 targetTokenAmount)',
  'event CurveBuy(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut)',
  'event CurveSell(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut)',
  'event CurveSync(address indexed token, uint256 realMonReserve, uint256 realTokenReserve, uint256 virtualMonReserve, uint256 virtualTokenReserve)',
  'event CurveTokenLocked(address indexed token)',
  'event CurveGraduate(address indexed token, address indexed pool)',
])

export const clankerV31Events = parseAbi([
  'event TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256 positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address msgSender)',
])

export const clankerV4Events = parseAbi([
  'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
])

export const fourMemeV2Events = parseAbi([
  'event TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply, uint256 launchTime, uint256 launchFee)',
  'event TokenPurchase(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds)',
  'event TokenSale(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds)',
  'event TradeStop(address token)',
  'event LiquidityAdded(address base, uint256 offers, address quote, uint256 funds)',
])

export const flapEvents = parseAbi([
  'event TokenCreated(uint256 ts, address creator, uint256 nonce, address token, string name, string symbol, string meta)',
  'event TokenQuoteSet(address token, address quoteToken)',
  'event TokenCurveSet(address token, address curve, uint256 curveParameter)',
  'event TokenCurveSetV2(address token, uint256 r, uint256 h, uint256 k)',
  'event TokenDexSupplyThreshSet(address token, uint256 dexSupplyThresh)',
  'event TokenBought(uint256 ts, address token, address buyer, uint256 amount, uint256 eth, uint256 fee, uint256 postPrice)',
  'event TokenSold(uint256 ts, address token, address seller, uint256 amount, uint256 eth, uint256 fee, uint256 postPrice)',
  'event FlapTokenCirculatingSupplyChanged(address token, uint256 newSupply)',
  'event LaunchedToDEX(address token, address pool, uint256 amount, uint256 eth)',
  'event FlapTokenCLPoolCreated(address token, bytes32 poolId, uint160 sqrtPriceX96)',
])

/** What a Uniswap V3 factory, its pools, the wrapped native coin and tokens emit. */
export const venueEvents = parseAbi([
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event Deposit(address indexed dst, uint256 wad)',
])

/** What the PoolManager of Uniswap V4 emits about its pools. */
export const poolManagerEvents = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
])
