// Generated from openapi.yaml by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk
import { defineOperation, type Operation } from './operation.ts'
import type { Data, Options, RawData } from './types.ts'

/** Follow another contract: POST /admin/deployments */
export const addDeployment: Operation<
  [options: Options<'addDeployment'>],
  Data<'addDeployment'>
> = /* @__PURE__ */ defineOperation('/admin/deployments', 'POST auth body')

/** Apply to become an ambassador: POST /ambassador-applications */
export const applyAsAmbassador: Operation<
  [options: Options<'applyAsAmbassador'>],
  Data<'applyAsAmbassador'>
> = /* @__PURE__ */ defineOperation('/ambassador-applications', 'POST body')

/** Ban a wallet: POST /admin/wallets/{wallet}/ban */
export const banWallet: Operation<
  [options: Options<'banWallet'>],
  Data<'banWallet'>
> = /* @__PURE__ */ defineOperation('/admin/wallets/{wallet}/ban', 'POST auth body')

/** Call the node by JSON-RPC: POST /rpc */
export const callNode: Operation<
  [options: Options<'callNode'>],
  RawData<'callNode'> | undefined
> = /* @__PURE__ */ defineOperation('/rpc', 'POST json body')

/** List trades of a market for CoinGecko: GET /integrations/coingecko/historical_trades */
export const coingeckoHistoricalTrades: Operation<
  [options: Options<'coingeckoHistoricalTrades'>],
  RawData<'coingeckoHistoricalTrades'>
> = /* @__PURE__ */ defineOperation('/integrations/coingecko/historical_trades', 'GET json query')

/** List tickers of all markets for CoinGecko: GET /integrations/coingecko/tickers */
export const coingeckoTickers: Operation<
  [options?: Options<'coingeckoTickers'>],
  RawData<'coingeckoTickers'>
> = /* @__PURE__ */ defineOperation('/integrations/coingecko/tickers', 'GET json query')

/** Create an alert: POST /alerts */
export const createAlert: Operation<
  [options: Options<'createAlert'>],
  Data<'createAlert'>
> = /* @__PURE__ */ defineOperation('/alerts', 'POST auth body')

/** Sync the creation of a raise: POST /raises */
export const createRaise: Operation<
  [options: Options<'createRaise'>],
  Data<'createRaise'>
> = /* @__PURE__ */ defineOperation('/raises', 'POST auth slow body')

/** Sync the launch of a token: POST /tokens/create */
export const createToken: Operation<
  [options: Options<'createToken'>],
  Data<'createToken'>
> = /* @__PURE__ */ defineOperation('/tokens/create', 'POST auth slow body')

/** Delete your alert: DELETE /alerts/{id} */
export const deleteAlert: Operation<
  [options: Options<'deleteAlert'>],
  Data<'deleteAlert'>
> = /* @__PURE__ */ defineOperation('/alerts/{id}', 'DELETE auth')

/** Delete your comment: DELETE /comments/{id} */
export const deleteComment: Operation<
  [options: Options<'deleteComment'>],
  Data<'deleteComment'>
> = /* @__PURE__ */ defineOperation('/comments/{id}', 'DELETE auth')

/** Get an asset for DEX Screener: GET /integrations/dexscreener/asset */
export const dexScreenerAsset: Operation<
  [options: Options<'dexScreenerAsset'>],
  RawData<'dexScreenerAsset'>
> = /* @__PURE__ */ defineOperation('/integrations/dexscreener/asset', 'GET json query')

/** List events by block for DEX Screener: GET /integrations/dexscreener/events */
export const dexScreenerEvents: Operation<
  [options: Options<'dexScreenerEvents'>],
  RawData<'dexScreenerEvents'>
> = /* @__PURE__ */ defineOperation('/integrations/dexscreener/events', 'GET json query')

/** Get the latest block for DEX Screener: GET /integrations/dexscreener/latest-block */
export const dexScreenerLatestBlock: Operation<
  [options?: Options<'dexScreenerLatestBlock'>],
  RawData<'dexScreenerLatestBlock'>
> = /* @__PURE__ */ defineOperation('/integrations/dexscreener/latest-block', 'GET json')

/** Get a pair for DEX Screener: GET /integrations/dexscreener/pair */
export const dexScreenerPair: Operation<
  [options: Options<'dexScreenerPair'>],
  RawData<'dexScreenerPair'>
> = /* @__PURE__ */ defineOperation('/integrations/dexscreener/pair', 'GET json query')

/** Dismiss a report: POST /admin/reports/{id}/dismiss */
export const dismissReport: Operation<
  [options: Options<'dismissReport'>],
  Data<'dismissReport'>
> = /* @__PURE__ */ defineOperation('/admin/reports/{id}/dismiss', 'POST auth body')

/** Erase an ambassador application: DELETE /admin/ambassador-applications/{id} */
export const eraseAmbassadorApplication: Operation<
  [options: Options<'eraseAmbassadorApplication'>],
  Data<'eraseAmbassadorApplication'>
> = /* @__PURE__ */ defineOperation('/admin/ambassador-applications/{id}', 'DELETE auth')

/** Feature a raise: POST /labs/raises/{id}/feature */
export const featureRaise: Operation<
  [options: Options<'featureRaise'>],
  Data<'featureRaise'>
> = /* @__PURE__ */ defineOperation('/labs/raises/{id}/feature', 'POST auth body')

/** Feature a token: POST /labs/tokens/{address}/feature */
export const featureToken: Operation<
  [options: Options<'featureToken'>],
  Data<'featureToken'>
> = /* @__PURE__ */ defineOperation('/labs/tokens/{address}/feature', 'POST auth body')

/** Follow a wallet: POST /follows/{wallet} */
export const followWallet: Operation<
  [options: Options<'followWallet'>],
  Data<'followWallet'>
> = /* @__PURE__ */ defineOperation('/follows/{wallet}', 'POST auth')

/** Get an asset for GeckoTerminal: GET /integrations/geckoterminal/asset */
export const geckoTerminalAsset: Operation<
  [options: Options<'geckoTerminalAsset'>],
  RawData<'geckoTerminalAsset'>
> = /* @__PURE__ */ defineOperation('/integrations/geckoterminal/asset', 'GET json query')

/** List events by block for GeckoTerminal: GET /integrations/geckoterminal/events */
export const geckoTerminalEvents: Operation<
  [options: Options<'geckoTerminalEvents'>],
  RawData<'geckoTerminalEvents'>
> = /* @__PURE__ */ defineOperation('/integrations/geckoterminal/events', 'GET json query')

/** Get the latest block for GeckoTerminal: GET /integrations/geckoterminal/latest-block */
export const geckoTerminalLatestBlock: Operation<
  [options?: Options<'geckoTerminalLatestBlock'>],
  RawData<'geckoTerminalLatestBlock'>
> = /* @__PURE__ */ defineOperation('/integrations/geckoterminal/latest-block', 'GET json')

/** Get a pair for GeckoTerminal: GET /integrations/geckoterminal/pair */
export const geckoTerminalPair: Operation<
  [options: Options<'geckoTerminalPair'>],
  RawData<'geckoTerminalPair'>
> = /* @__PURE__ */ defineOperation('/integrations/geckoterminal/pair', 'GET json query')

/** Get the ABI of a contract: GET /config/abis/{name} */
export const getAbi: Operation<
  [options: Options<'getAbi'>],
  Data<'getAbi'>
> = /* @__PURE__ */ defineOperation('/config/abis/{name}', 'GET')

/** Get the configuration for web clients: GET /config */
export const getConfig: Operation<
  [options?: Options<'getConfig'>],
  Data<'getConfig'>
> = /* @__PURE__ */ defineOperation('/config', 'GET')

/** List candles of an external token: GET /market/external/{address}/chart */
export const getExternalChart: Operation<
  [options: Options<'getExternalChart'>],
  Data<'getExternalChart'>
> = /* @__PURE__ */ defineOperation('/market/external/{address}/chart', 'GET query')

/** Get market data of an external token: GET /market/external/{address} */
export const getExternalMarket: Operation<
  [options: Options<'getExternalMarket'>],
  Data<'getExternalMarket'>
> = /* @__PURE__ */ defineOperation('/market/external/{address}', 'GET')

/** Check the health of all dependencies: GET /health */
export const getHealth: Operation<
  [options?: Options<'getHealth'>],
  Data<'getHealth'>
> = /* @__PURE__ */ defineOperation('/health', 'GET')

/** Get a wallet’s holding of a token: GET /portfolio/holdings/{token} */
export const getHolding: Operation<
  [options: Options<'getHolding'>],
  Data<'getHolding'>
> = /* @__PURE__ */ defineOperation('/portfolio/holdings/{token}', 'GET auth query')

/** Get the authenticated wallet: GET /auth/me */
export const getIdentity: Operation<
  [options?: Options<'getIdentity'>],
  Data<'getIdentity'>
> = /* @__PURE__ */ defineOperation('/auth/me', 'GET auth')

/** Check that the process runs: GET /live */
export const getLiveness: Operation<
  [options?: Options<'getLiveness'>],
  Data<'getLiveness'>
> = /* @__PURE__ */ defineOperation('/live', 'GET')

/** Get the metrics for Prometheus: GET /metrics */
export const getMetrics: Operation<
  [options?: Options<'getMetrics'>],
  string
> = /* @__PURE__ */ defineOperation('/metrics', 'GET text')

/** Get the profile with a username: GET /profiles/named/{username} */
export const getNamedProfile: Operation<
  [options: Options<'getNamedProfile'>],
  Data<'getNamedProfile'>
> = /* @__PURE__ */ defineOperation('/profiles/named/{username}', 'GET auth')

/** Get a wallet’s portfolio: GET /portfolio */
export const getPortfolio: Operation<
  [options?: Options<'getPortfolio'>],
  Data<'getPortfolio'>
> = /* @__PURE__ */ defineOperation('/portfolio', 'GET auth query')

/** Get a wallet’s profile: GET /profiles/{wallet} */
export const getProfile: Operation<
  [options: Options<'getProfile'>],
  Data<'getProfile'>
> = /* @__PURE__ */ defineOperation('/profiles/{wallet}', 'GET auth')

/** Get the image of a wallet’s profit on a token: GET /og/pnl/{token}/{wallet} */
export const getProfitCard: Operation<
  [options: Options<'getProfitCard'>],
  Blob
> = /* @__PURE__ */ defineOperation('/og/pnl/{token}/{wallet}', 'GET blob query')

/** Get a proposal: GET /proposals/{id} */
export const getProposal: Operation<
  [options: Options<'getProposal'>],
  Data<'getProposal'>
> = /* @__PURE__ */ defineOperation('/proposals/{id}', 'GET auth')

/** Get a raise: GET /raises/{id} */
export const getRaise: Operation<
  [options: Options<'getRaise'>],
  Data<'getRaise'>
> = /* @__PURE__ */ defineOperation('/raises/{id}', 'GET auth')

/** Check that this replica can serve requests: GET /ready */
export const getReadiness: Operation<
  [options?: Options<'getReadiness'>],
  Data<'getReadiness'>
> = /* @__PURE__ */ defineOperation('/ready', 'GET')

/** Get a staking pool: GET /staking/pools/{id} */
export const getStakingPool: Operation<
  [options: Options<'getStakingPool'>],
  Data<'getStakingPool'>
> = /* @__PURE__ */ defineOperation('/staking/pools/{id}', 'GET')

/** Get platform statistics: GET /stats */
export const getStatistics: Operation<
  [options?: Options<'getStatistics'>],
  Data<'getStatistics'>
> = /* @__PURE__ */ defineOperation('/stats', 'GET')

/** Get a token: GET /tokens/{address} */
export const getToken: Operation<
  [options: Options<'getToken'>],
  Data<'getToken'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}', 'GET auth')

/** Get a token’s link preview image: GET /og/token/{address} */
export const getTokenCard: Operation<
  [options: Options<'getTokenCard'>],
  Blob
> = /* @__PURE__ */ defineOperation('/og/token/{address}', 'GET blob query')

/** List the candles of a token: GET /tokens/{address}/chart */
export const getTokenChart: Operation<
  [options: Options<'getTokenChart'>],
  Data<'getTokenChart'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/chart', 'GET query')

/** Get the history of a token’s creator: GET /tokens/{address}/creator */
export const getTokenCreator: Operation<
  [options: Options<'getTokenCreator'>],
  Data<'getTokenCreator'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/creator', 'GET')

/** Get the token list: GET /integrations/tokenlist */
export const getTokenList: Operation<
  [options?: Options<'getTokenList'>],
  RawData<'getTokenList'>
> = /* @__PURE__ */ defineOperation('/integrations/tokenlist', 'GET json query')

/** Get the token list by a .json path: GET /integrations/tokenlist.json */
export const getTokenListFile: Operation<
  [options?: Options<'getTokenListFile'>],
  RawData<'getTokenListFile'>
> = /* @__PURE__ */ defineOperation('/integrations/tokenlist.json', 'GET json query')

/** Get the creator fees of a token: GET /tokens/{address}/revenue */
export const getTokenRevenue: Operation<
  [options: Options<'getTokenRevenue'>],
  Data<'getTokenRevenue'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/revenue', 'GET query')

/** Get many tokens: POST /tokens/batch */
export const getTokens: Operation<
  [options: Options<'getTokens'>],
  Data<'getTokens'>
> = /* @__PURE__ */ defineOperation('/tokens/batch', 'POST auth body')

/** Download an uploaded file: GET /uploads/{name} */
export const getUpload: Operation<
  [options: Options<'getUpload'>],
  Blob
> = /* @__PURE__ */ defineOperation('/uploads/{name}', 'GET blob')

/** Get how a wallet traded: GET /wallets/{wallet}/stats */
export const getWalletStats: Operation<
  [options: Options<'getWalletStats'>],
  Data<'getWalletStats'>
> = /* @__PURE__ */ defineOperation('/wallets/{wallet}/stats', 'GET query')

/** Hide a comment: POST /admin/comments/{id}/hide */
export const hideComment: Operation<
  [options: Options<'hideComment'>],
  Data<'hideComment'>
> = /* @__PURE__ */ defineOperation('/admin/comments/{id}/hide', 'POST auth body')

/** Hide a token from all lists: POST /admin/tokens/{address}/hide */
export const hideToken: Operation<
  [options: Options<'hideToken'>],
  Data<'hideToken'>
> = /* @__PURE__ */ defineOperation('/admin/tokens/{address}/hide', 'POST auth body')

/** Request a message to sign: POST /auth/nonce */
export const issueNonce: Operation<
  [options: Options<'issueNonce'>],
  Data<'issueNonce'>
> = /* @__PURE__ */ defineOperation('/auth/nonce', 'POST body')

/** Like a comment: POST /comments/{id}/like */
export const likeComment: Operation<
  [options: Options<'likeComment'>],
  Data<'likeComment'>
> = /* @__PURE__ */ defineOperation('/comments/{id}/like', 'POST auth')

/** Like a token: POST /tokens/{address}/like */
export const likeToken: Operation<
  [options: Options<'likeToken'>],
  Data<'likeToken'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/like', 'POST auth')

/** List your alerts: GET /alerts */
export const listAlerts: Operation<
  [options?: Options<'listAlerts'>],
  Data<'listAlerts'>
> = /* @__PURE__ */ defineOperation('/alerts', 'GET auth query')

/** List ambassador applications: GET /admin/ambassador-applications */
export const listAmbassadorApplications: Operation<
  [options?: Options<'listAmbassadorApplications'>],
  Data<'listAmbassadorApplications'>
> = /* @__PURE__ */ defineOperation('/admin/ambassador-applications', 'GET auth query')

/** List the audit log: GET /admin/audit-log */
export const listAuditLog: Operation<
  [options?: Options<'listAuditLog'>],
  Data<'listAuditLog'>
> = /* @__PURE__ */ defineOperation('/admin/audit-log', 'GET auth query')

/** Get the names and avatars of many wallets: POST /profiles/batch */
export const listAuthors: Operation<
  [options: Options<'listAuthors'>],
  Data<'listAuthors'>
> = /* @__PURE__ */ defineOperation('/profiles/batch', 'POST body')

/** List banned wallets: GET /admin/bans */
export const listBans: Operation<
  [options?: Options<'listBans'>],
  Data<'listBans'>
> = /* @__PURE__ */ defineOperation('/admin/bans', 'GET auth query')

/** List the commitments to a raise: GET /raises/{id}/commitments */
export const listCommitments: Operation<
  [options: Options<'listCommitments'>],
  Data<'listCommitments'>
> = /* @__PURE__ */ defineOperation('/raises/{id}/commitments', 'GET query')

/** List tokens launched by a wallet: GET /profiles/{wallet}/created */
export const listCreatedTokens: Operation<
  [options: Options<'listCreatedTokens'>],
  Data<'listCreatedTokens'>
> = /* @__PURE__ */ defineOperation('/profiles/{wallet}/created', 'GET auth query')

/** List volume and fees by day: GET /stats/daily */
export const listDailyStatistics: Operation<
  [options?: Options<'listDailyStatistics'>],
  Data<'listDailyStatistics'>
> = /* @__PURE__ */ defineOperation('/stats/daily', 'GET query')

/** List the followed contracts: GET /admin/deployments */
export const listDeployments: Operation<
  [options?: Options<'listDeployments'>],
  Data<'listDeployments'>
> = /* @__PURE__ */ defineOperation('/admin/deployments', 'GET auth')

/** List the feed: GET /feed */
export const listFeed: Operation<
  [options?: Options<'listFeed'>],
  Data<'listFeed'>
> = /* @__PURE__ */ defineOperation('/feed', 'GET auth query')

/** List the first buyers of a token: GET /tokens/{address}/first-buyers */
export const listFirstBuyers: Operation<
  [options: Options<'listFirstBuyers'>],
  Data<'listFirstBuyers'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/first-buyers', 'GET')

/** List the followers of a wallet: GET /profiles/{wallet}/followers */
export const listFollowers: Operation<
  [options: Options<'listFollowers'>],
  Data<'listFollowers'>
> = /* @__PURE__ */ defineOperation('/profiles/{wallet}/followers', 'GET query')

/** List wallets that a wallet follows: GET /profiles/{wallet}/following */
export const listFollowing: Operation<
  [options: Options<'listFollowing'>],
  Data<'listFollowing'>
> = /* @__PURE__ */ defineOperation('/profiles/{wallet}/following', 'GET query')

/** List all token holdings of a wallet: GET /portfolio/holdings */
export const listHoldings: Operation<
  [options?: Options<'listHoldings'>],
  Data<'listHoldings'>
> = /* @__PURE__ */ defineOperation('/portfolio/holdings', 'GET auth query')

/** Get statistics by launchpad: GET /stats/launchpads */
export const listLaunchpadStatistics: Operation<
  [options?: Options<'listLaunchpadStatistics'>],
  Data<'listLaunchpadStatistics'>
> = /* @__PURE__ */ defineOperation('/stats/launchpads', 'GET')

/** Rank wallets by volume or profit: GET /leaderboard */
export const listLeaderboard: Operation<
  [options?: Options<'listLeaderboard'>],
  Data<'listLeaderboard'>
> = /* @__PURE__ */ defineOperation('/leaderboard', 'GET query')

/** List new tokens: GET /tokens/new */
export const listNewTokens: Operation<
  [options?: Options<'listNewTokens'>],
  Data<'listNewTokens'>
> = /* @__PURE__ */ defineOperation('/tokens/new', 'GET auth query')

/** List your notifications: GET /notifications */
export const listNotifications: Operation<
  [options?: Options<'listNotifications'>],
  Data<'listNotifications'>
> = /* @__PURE__ */ defineOperation('/notifications', 'GET auth query')

/** List the proposals of a raise: GET /raises/{id}/proposals */
export const listProposals: Operation<
  [options: Options<'listProposals'>],
  Data<'listProposals'>
> = /* @__PURE__ */ defineOperation('/raises/{id}/proposals', 'GET auth query')

/** List raises: GET /raises */
export const listRaises: Operation<
  [options?: Options<'listRaises'>],
  Data<'listRaises'>
> = /* @__PURE__ */ defineOperation('/raises', 'GET auth query')

/** List reports of comments: GET /admin/reports */
export const listReports: Operation<
  [options?: Options<'listReports'>],
  Data<'listReports'>
> = /* @__PURE__ */ defineOperation('/admin/reports', 'GET auth query')

/** List the staking pools: GET /staking/pools */
export const listStakingPools: Operation<
  [options?: Options<'listStakingPools'>],
  Data<'listStakingPools'>
> = /* @__PURE__ */ defineOperation('/staking/pools', 'GET query')

/** List the staking positions of a wallet: GET /staking/positions */
export const listStakingPositions: Operation<
  [options?: Options<'listStakingPositions'>],
  Data<'listStakingPositions'>
> = /* @__PURE__ */ defineOperation('/staking/positions', 'GET auth query')

/** List the comments on a token: GET /tokens/{address}/comments */
export const listTokenComments: Operation<
  [options: Options<'listTokenComments'>],
  Data<'listTokenComments'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/comments', 'GET auth query')

/** List the holders of a token: GET /tokens/{address}/holders */
export const listTokenHolders: Operation<
  [options: Options<'listTokenHolders'>],
  Data<'listTokenHolders'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/holders', 'GET query')

/** List the trades of a token: GET /tokens/{address}/trades */
export const listTokenTrades: Operation<
  [options: Options<'listTokenTrades'>],
  Data<'listTokenTrades'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/trades', 'GET query')

/** List tokens: GET /tokens */
export const listTokens: Operation<
  [options?: Options<'listTokens'>],
  Data<'listTokens'>
> = /* @__PURE__ */ defineOperation('/tokens', 'GET auth query')

/** List the top traders of a token: GET /tokens/{address}/top-traders */
export const listTopTraders: Operation<
  [options: Options<'listTopTraders'>],
  Data<'listTopTraders'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/top-traders', 'GET query')

/** List on-chain actions of wallets: GET /transactions */
export const listTransactions: Operation<
  [options?: Options<'listTransactions'>],
  Data<'listTransactions'>
> = /* @__PURE__ */ defineOperation('/transactions', 'GET query')

/** List trending tokens: GET /tokens/trending */
export const listTrendingTokens: Operation<
  [options?: Options<'listTrendingTokens'>],
  Data<'listTrendingTokens'>
> = /* @__PURE__ */ defineOperation('/tokens/trending', 'GET auth query')

/** List the tokens on your watchlist: GET /watchlists/me */
export const listWatchedTokens: Operation<
  [options?: Options<'listWatchedTokens'>],
  Data<'listWatchedTokens'>
> = /* @__PURE__ */ defineOperation('/watchlists/me', 'GET auth query')

/** Exchange a signed message for a token: POST /auth/login */
export const login: Operation<
  [options: Options<'login'>],
  Data<'login'>
> = /* @__PURE__ */ defineOperation('/auth/login', 'POST body')

/** Revoke the token: POST /auth/logout */
export const logout: Operation<
  [options?: Options<'logout'>],
  Data<'logout'>
> = /* @__PURE__ */ defineOperation('/auth/logout', 'POST auth')

/** Update your profile: PATCH /profiles/me */
export const patchProfile: Operation<
  [options: Options<'patchProfile'>],
  Data<'patchProfile'>
> = /* @__PURE__ */ defineOperation('/profiles/me', 'PATCH auth body')

/** Update the texts of a raise: PATCH /raises/{id} */
export const patchRaise: Operation<
  [options: Options<'patchRaise'>],
  Data<'patchRaise'>
> = /* @__PURE__ */ defineOperation('/raises/{id}', 'PATCH auth body')

/** Update the metadata of a token: PATCH /tokens/{address} */
export const patchToken: Operation<
  [options: Options<'patchToken'>],
  Data<'patchToken'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}', 'PATCH auth body')

/** Comment on a token: POST /tokens/{address}/comments */
export const postTokenComment: Operation<
  [options: Options<'postTokenComment'>],
  Data<'postTokenComment'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/comments', 'POST auth body')

/** Quote a trade and prepare its call: GET /tokens/{address}/quote */
export const quoteTrade: Operation<
  [options: Options<'quoteTrade'>],
  Data<'quoteTrade'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/quote', 'GET auth query')

/** Mark notifications as read: POST /notifications/read */
export const readNotifications: Operation<
  [options: Options<'readNotifications'>],
  Data<'readNotifications'>
> = /* @__PURE__ */ defineOperation('/notifications/read', 'POST auth body')

/** Get a token for the session of this browser: POST /auth/refresh */
export const refreshToken: Operation<
  [options?: Options<'refreshToken'>],
  Data<'refreshToken'>
> = /* @__PURE__ */ defineOperation('/auth/refresh', 'POST')

/** Remove a contract: DELETE /admin/deployments/{address} */
export const removeDeployment: Operation<
  [options: Options<'removeDeployment'>],
  Data<'removeDeployment'>
> = /* @__PURE__ */ defineOperation('/admin/deployments/{address}', 'DELETE auth')

/** Report a comment to the operators: POST /comments/{id}/report */
export const reportComment: Operation<
  [options: Options<'reportComment'>],
  Data<'reportComment'>
> = /* @__PURE__ */ defineOperation('/comments/{id}/report', 'POST auth body')

/** Approve or reject an ambassador application: PATCH /admin/ambassador-applications/{id} */
export const reviewAmbassadorApplication: Operation<
  [options: Options<'reviewAmbassadorApplication'>],
  Data<'reviewAmbassadorApplication'>
> = /* @__PURE__ */ defineOperation('/admin/ambassador-applications/{id}', 'PATCH auth body')

/** Search tokens and wallets: GET /search */
export const search: Operation<
  [options: Options<'search'>],
  Data<'search'>
> = /* @__PURE__ */ defineOperation('/search', 'GET auth query')

/** Sync a buy: POST /buy */
export const syncBuy: Operation<
  [options: Options<'syncBuy'>],
  Data<'syncBuy'>
> = /* @__PURE__ */ defineOperation('/buy', 'POST auth slow body')

/** Sync a commitment: POST /raises/{id}/commit */
export const syncCommitment: Operation<
  [options: Options<'syncCommitment'>],
  Data<'syncCommitment'>
> = /* @__PURE__ */ defineOperation('/raises/{id}/commit', 'POST auth slow body')

/** Sync the execution of a proposal: POST /proposals/{id}/execute */
export const syncExecution: Operation<
  [options: Options<'syncExecution'>],
  Data<'syncExecution'>
> = /* @__PURE__ */ defineOperation('/proposals/{id}/execute', 'POST auth slow body')

/** Sync an exit from a raise: POST /proposals/{id}/exit */
export const syncExit: Operation<
  [options: Options<'syncExit'>],
  Data<'syncExit'>
> = /* @__PURE__ */ defineOperation('/proposals/{id}/exit', 'POST auth slow body')

/** Sync a finalization: POST /raises/{id}/finalize */
export const syncFinalization: Operation<
  [options: Options<'syncFinalization'>],
  Data<'syncFinalization'>
> = /* @__PURE__ */ defineOperation('/raises/{id}/finalize', 'POST auth slow body')

/** Sync a funding: POST /staking/fund */
export const syncFunding: Operation<
  [options: Options<'syncFunding'>],
  Data<'syncFunding'>
> = /* @__PURE__ */ defineOperation('/staking/fund', 'POST auth slow body')

/** Sync a proposal: POST /raises/{id}/propose */
export const syncProposal: Operation<
  [options: Options<'syncProposal'>],
  Data<'syncProposal'>
> = /* @__PURE__ */ defineOperation('/raises/{id}/propose', 'POST auth slow body')

/** Sync a refund: POST /raises/{id}/refund */
export const syncRefund: Operation<
  [options: Options<'syncRefund'>],
  Data<'syncRefund'>
> = /* @__PURE__ */ defineOperation('/raises/{id}/refund', 'POST auth slow body')

/** Sync a registration: POST /raises/{id}/register */
export const syncRegistration: Operation<
  [options: Options<'syncRegistration'>],
  Data<'syncRegistration'>
> = /* @__PURE__ */ defineOperation('/raises/{id}/register', 'POST auth slow body')

/** Sync a claim of rewards: POST /staking/claim */
export const syncRewardClaim: Operation<
  [options: Options<'syncRewardClaim'>],
  Data<'syncRewardClaim'>
> = /* @__PURE__ */ defineOperation('/staking/claim', 'POST auth slow body')

/** Sync a sell: POST /sell */
export const syncSell: Operation<
  [options: Options<'syncSell'>],
  Data<'syncSell'>
> = /* @__PURE__ */ defineOperation('/sell', 'POST auth slow body')

/** Sync a stake: POST /staking/stake */
export const syncStake: Operation<
  [options: Options<'syncStake'>],
  Data<'syncStake'>
> = /* @__PURE__ */ defineOperation('/staking/stake', 'POST auth slow body')

/** Sync a claim of tokens: POST /raises/{id}/claim */
export const syncTokenClaim: Operation<
  [options: Options<'syncTokenClaim'>],
  Data<'syncTokenClaim'>
> = /* @__PURE__ */ defineOperation('/raises/{id}/claim', 'POST auth slow body')

/** Sync a request to unstake: POST /staking/unstake */
export const syncUnstake: Operation<
  [options: Options<'syncUnstake'>],
  Data<'syncUnstake'>
> = /* @__PURE__ */ defineOperation('/staking/unstake', 'POST auth slow body')

/** Sync a vote: POST /proposals/{id}/vote */
export const syncVote: Operation<
  [options: Options<'syncVote'>],
  Data<'syncVote'>
> = /* @__PURE__ */ defineOperation('/proposals/{id}/vote', 'POST auth slow body')

/** Sync a withdrawal: POST /staking/withdraw */
export const syncWithdrawal: Operation<
  [options: Options<'syncWithdrawal'>],
  Data<'syncWithdrawal'>
> = /* @__PURE__ */ defineOperation('/staking/withdraw', 'POST auth slow body')

/** Get the chart feed’s configuration: GET /integrations/udf/config */
export const udfConfig: Operation<
  [options?: Options<'udfConfig'>],
  RawData<'udfConfig'>
> = /* @__PURE__ */ defineOperation('/integrations/udf/config', 'GET json')

/** List the bars of a chart: GET /integrations/udf/history */
export const udfHistory: Operation<
  [options: Options<'udfHistory'>],
  RawData<'udfHistory'>
> = /* @__PURE__ */ defineOperation('/integrations/udf/history', 'GET json query')

/** List the marks of a chart: GET /integrations/udf/marks */
export const udfMarks: Operation<
  [options: Options<'udfMarks'>],
  RawData<'udfMarks'>
> = /* @__PURE__ */ defineOperation('/integrations/udf/marks', 'GET json query')

/** Search symbols of the chart feed: GET /integrations/udf/search */
export const udfSearch: Operation<
  [options?: Options<'udfSearch'>],
  RawData<'udfSearch'>
> = /* @__PURE__ */ defineOperation('/integrations/udf/search', 'GET json query')

/** Get a symbol of the chart feed: GET /integrations/udf/symbols */
export const udfSymbol: Operation<
  [options: Options<'udfSymbol'>],
  RawData<'udfSymbol'>
> = /* @__PURE__ */ defineOperation('/integrations/udf/symbols', 'GET json query')

/** Get the server time for charts: GET /integrations/udf/time */
export const udfTime: Operation<
  [options?: Options<'udfTime'>],
  string
> = /* @__PURE__ */ defineOperation('/integrations/udf/time', 'GET text')

/** Unban a wallet: POST /admin/wallets/{wallet}/unban */
export const unbanWallet: Operation<
  [options: Options<'unbanWallet'>],
  Data<'unbanWallet'>
> = /* @__PURE__ */ defineOperation('/admin/wallets/{wallet}/unban', 'POST auth body')

/** Unfeature a raise: DELETE /labs/raises/{id}/feature */
export const unfeatureRaise: Operation<
  [options: Options<'unfeatureRaise'>],
  Data<'unfeatureRaise'>
> = /* @__PURE__ */ defineOperation('/labs/raises/{id}/feature', 'DELETE auth')

/** Unfeature a token: DELETE /labs/tokens/{address}/feature */
export const unfeatureToken: Operation<
  [options: Options<'unfeatureToken'>],
  Data<'unfeatureToken'>
> = /* @__PURE__ */ defineOperation('/labs/tokens/{address}/feature', 'DELETE auth')

/** Unfollow a wallet: DELETE /follows/{wallet} */
export const unfollowWallet: Operation<
  [options: Options<'unfollowWallet'>],
  Data<'unfollowWallet'>
> = /* @__PURE__ */ defineOperation('/follows/{wallet}', 'DELETE auth')

/** Unhide a comment: POST /admin/comments/{id}/unhide */
export const unhideComment: Operation<
  [options: Options<'unhideComment'>],
  Data<'unhideComment'>
> = /* @__PURE__ */ defineOperation('/admin/comments/{id}/unhide', 'POST auth body')

/** Unhide a token: POST /admin/tokens/{address}/unhide */
export const unhideToken: Operation<
  [options: Options<'unhideToken'>],
  Data<'unhideToken'>
> = /* @__PURE__ */ defineOperation('/admin/tokens/{address}/unhide', 'POST auth body')

/** Unlike a comment: DELETE /comments/{id}/like */
export const unlikeComment: Operation<
  [options: Options<'unlikeComment'>],
  Data<'unlikeComment'>
> = /* @__PURE__ */ defineOperation('/comments/{id}/like', 'DELETE auth')

/** Unlike a token: DELETE /tokens/{address}/like */
export const unlikeToken: Operation<
  [options: Options<'unlikeToken'>],
  Data<'unlikeToken'>
> = /* @__PURE__ */ defineOperation('/tokens/{address}/like', 'DELETE auth')

/** Take a token from your watchlist: DELETE /watchlists/{token} */
export const unwatchToken: Operation<
  [options: Options<'unwatchToken'>],
  Data<'unwatchToken'>
> = /* @__PURE__ */ defineOperation('/watchlists/{token}', 'DELETE auth')

/** Upload an image: POST /uploads/image */
export const uploadImage: Operation<
  [options: Options<'uploadImage'>],
  Data<'uploadImage'>
> = /* @__PURE__ */ defineOperation('/uploads/image', 'POST auth form slow body')

/** Upload the metadata of a token: POST /uploads/metadata */
export const uploadMetadata: Operation<
  [options: Options<'uploadMetadata'>],
  Data<'uploadMetadata'>
> = /* @__PURE__ */ defineOperation('/uploads/metadata', 'POST auth body')

/** Put a token on your watchlist: PUT /watchlists/{token} */
export const watchToken: Operation<
  [options: Options<'watchToken'>],
  Data<'watchToken'>
> = /* @__PURE__ */ defineOperation('/watchlists/{token}', 'PUT auth')
