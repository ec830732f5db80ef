// Generated from openapi.yaml by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk
import type { Client } from './client.ts'
import type { Data, Options, RawData } from './types.ts'

/** Apply to become an ambassador: POST /ambassador-applications */
export function applyAsAmbassador(
  client: Client,
  options: Options<'applyAsAmbassador'>,
): Promise<Data<'applyAsAmbassador'>> {
  return client.send({ method: 'POST', path: '/ambassador-applications' }, options)
}

/** Ban a wallet: POST /admin/wallets/{wallet}/ban */
export function banWallet(
  client: Client,
  options: Options<'banWallet'>,
): Promise<Data<'banWallet'>> {
  return client.send({ method: 'POST', path: '/admin/wallets/{wallet}/ban', auth: true }, options)
}

/** Call the node by JSON-RPC: POST /rpc */
export function callNode(
  client: Client,
  options: Options<'callNode'>,
): Promise<RawData<'callNode'> | undefined> {
  return client.send({ method: 'POST', path: '/rpc', answer: 'json' }, options)
}

/** List trades of a market for CoinGecko: GET /integrations/coingecko/historical_trades */
export function coingeckoHistoricalTrades(
  client: Client,
  options: Options<'coingeckoHistoricalTrades'>,
): Promise<RawData<'coingeckoHistoricalTrades'>> {
  return client.send({ method: 'GET', path: '/integrations/coingecko/historical_trades', answer: 'json' }, options)
}

/** List tickers of all markets for CoinGecko: GET /integrations/coingecko/tickers */
export function coingeckoTickers(
  client: Client,
  options?: Options<'coingeckoTickers'>,
): Promise<RawData<'coingeckoTickers'>> {
  return client.send({ method: 'GET', path: '/integrations/coingecko/tickers', answer: 'json' }, options)
}

/** Create an alert: POST /alerts */
export function createAlert(
  client: Client,
  options: Options<'createAlert'>,
): Promise<Data<'createAlert'>> {
  return client.send({ method: 'POST', path: '/alerts', auth: true }, options)
}

/** Sync the creation of a raise: POST /raises */
export function createRaise(
  client: Client,
  options: Options<'createRaise'>,
): Promise<Data<'createRaise'>> {
  return client.send({ method: 'POST', path: '/raises', auth: true, slow: true }, options)
}

/** Sync the launch of a token: POST /tokens/create */
export function createToken(
  client: Client,
  options: Options<'createToken'>,
): Promise<Data<'createToken'>> {
  return client.send({ method: 'POST', path: '/tokens/create', auth: true, slow: true }, options)
}

/** Delete your alert: DELETE /alerts/{id} */
export function deleteAlert(
  client: Client,
  options: Options<'deleteAlert'>,
): Promise<Data<'deleteAlert'>> {
  return client.send({ method: 'DELETE', path: '/alerts/{id}', auth: true }, options)
}

/** Delete your comment: DELETE /comments/{id} */
export function deleteComment(
  client: Client,
  options: Options<'deleteComment'>,
): Promise<Data<'deleteComment'>> {
  return client.send({ method: 'DELETE', path: '/comments/{id}', auth: true }, options)
}

/** Get an asset for DEX Screener: GET /integrations/dexscreener/asset */
export function dexScreenerAsset(
  client: Client,
  options: Options<'dexScreenerAsset'>,
): Promise<RawData<'dexScreenerAsset'>> {
  return client.send({ method: 'GET', path: '/integrations/dexscreener/asset', answer: 'json' }, options)
}

/** List events by block for DEX Screener: GET /integrations/dexscreener/events */
export function dexScreenerEvents(
  client: Client,
  options: Options<'dexScreenerEvents'>,
): Promise<RawData<'dexScreenerEvents'>> {
  return client.send({ method: 'GET', path: '/integrations/dexscreener/events', answer: 'json' }, options)
}

/** Get the latest block for DEX Screener: GET /integrations/dexscreener/latest-block */
export function dexScreenerLatestBlock(
  client: Client,
  options?: Options<'dexScreenerLatestBlock'>,
): Promise<RawData<'dexScreenerLatestBlock'>> {
  return client.send({ method: 'GET', path: '/integrations/dexscreener/latest-block', answer: 'json' }, options)
}

/** Get a pair for DEX Screener: GET /integrations/dexscreener/pair */
export function dexScreenerPair(
  client: Client,
  options: Options<'dexScreenerPair'>,
): Promise<RawData<'dexScreenerPair'>> {
  return client.send({ method: 'GET', path: '/integrations/dexscreener/pair', answer: 'json' }, options)
}

/** Dismiss a report: POST /admin/reports/{id}/dismiss */
export function dismissReport(
  client: Client,
  options: Options<'dismissReport'>,
): Promise<Data<'dismissReport'>> {
  return client.send({ method: 'POST', path: '/admin/reports/{id}/dismiss', auth: true }, options)
}

/** Erase an ambassador application: DELETE /admin/ambassador-applications/{id} */
export function eraseAmbassadorApplication(
  client: Client,
  options: Options<'eraseAmbassadorApplication'>,
): Promise<Data<'eraseAmbassadorApplication'>> {
  return client.send({ method: 'DELETE', path: '/admin/ambassador-applications/{id}', auth: true }, options)
}

/** Feature a raise: POST /labs/raises/{id}/feature */
export function featureRaise(
  client: Client,
  options: Options<'featureRaise'>,
): Promise<Data<'featureRaise'>> {
  return client.send({ method: 'POST', path: '/labs/raises/{id}/feature', auth: true }, options)
}

/** Feature a token: POST /labs/tokens/{address}/feature */
export function featureToken(
  client: Client,
  options: Options<'featureToken'>,
): Promise<Data<'featureToken'>> {
  return client.send({ method: 'POST', path: '/labs/tokens/{address}/feature', auth: true }, options)
}

/** Follow a wallet: POST /follows/{wallet} */
export function followWallet(
  client: Client,
  options: Options<'followWallet'>,
): Promise<Data<'followWallet'>> {
  return client.send({ method: 'POST', path: '/follows/{wallet}', auth: true }, options)
}

/** Get an asset for GeckoTerminal: GET /integrations/geckoterminal/asset */
export function geckoTerminalAsset(
  client: Client,
  options: Options<'geckoTerminalAsset'>,
): Promise<RawData<'geckoTerminalAsset'>> {
  return client.send({ method: 'GET', path: '/integrations/geckoterminal/asset', answer: 'json' }, options)
}

/** List events by block for GeckoTerminal: GET /integrations/geckoterminal/events */
export function geckoTerminalEvents(
  client: Client,
  options: Options<'geckoTerminalEvents'>,
): Promise<RawData<'geckoTerminalEvents'>> {
  return client.send({ method: 'GET', path: '/integrations/geckoterminal/events', answer: 'json' }, options)
}

/** Get the latest block for GeckoTerminal: GET /integrations/geckoterminal/latest-block */
export function geckoTerminalLatestBlock(
  client: Client,
  options?: Options<'geckoTerminalLatestBlock'>,
): Promise<RawData<'geckoTerminalLatestBlock'>> {
  return client.send({ method: 'GET', path: '/integrations/geckoterminal/latest-block', answer: 'json' }, options)
}

/** Get a pair for GeckoTerminal: GET /integrations/geckoterminal/pair */
export function geckoTerminalPair(
  client: Client,
  options: Options<'geckoTerminalPair'>,
): Promise<RawData<'geckoTerminalPair'>> {
  return client.send({ method: 'GET', path: '/integrations/geckoterminal/pair', answer: 'json' }, options)
}

/** Get the ABI of a contract: GET /config/abis/{name} */
export function getAbi(
  client: Client,
  options: Options<'getAbi'>,
): Promise<Data<'getAbi'>> {
  return client.send({ method: 'GET', path: '/config/abis/{name}' }, options)
}

/** Get the configuration for web clients: GET /config */
export function getConfig(
  client: Client,
  options?: Options<'getConfig'>,
): Promise<Data<'getConfig'>> {
  return client.send({ method: 'GET', path: '/config' }, options)
}

/** List candles of an external token: GET /market/external/{address}/chart */
export function getExternalChart(
  client: Client,
  options: Options<'getExternalChart'>,
): Promise<Data<'getExternalChart'>> {
  return client.send({ method: 'GET', path: '/market/external/{address}/chart' }, options)
}

/** Get market data of an external token: GET /market/external/{address} */
export function getExternalMarket(
  client: Client,
  options: Options<'getExternalMarket'>,
): Promise<Data<'getExternalMarket'>> {
  return client.send({ method: 'GET', path: '/market/external/{address}' }, options)
}

/** Check the health of all dependencies: GET /health */
export function getHealth(
  client: Client,
  options?: Options<'getHealth'>,
): Promise<Data<'getHealth'>> {
  return client.send({ method: 'GET', path: '/health' }, options)
}

/** Get a wallet’s holding of a token: GET /portfolio/holdings/{token} */
export function getHolding(
  client: Client,
  options: Options<'getHolding'>,
): Promise<Data<'getHolding'>> {
  return client.send({ method: 'GET', path: '/portfolio/holdings/{token}', auth: true }, options)
}

/** Get the authenticated wallet: GET /auth/me */
export function getIdentity(
  client: Client,
  options?: Options<'getIdentity'>,
): Promise<Data<'getIdentity'>> {
  return client.send({ method: 'GET', path: '/auth/me', auth: true }, options)
}

/** Check that the process runs: GET /live */
export function getLiveness(
  client: Client,
  options?: Options<'getLiveness'>,
): Promise<Data<'getLiveness'>> {
  return client.send({ method: 'GET', path: '/live' }, options)
}

/** Get the metrics for Prometheus: GET /metrics */
export function getMetrics(
  client: Client,
  options?: Options<'getMetrics'>,
): Promise<string> {
  return client.send({ method: 'GET', path: '/metrics', answer: 'text' }, options)
}

/** Get the profile with a username: GET /profiles/named/{username} */
export function getNamedProfile(
  client: Client,
  options: Options<'getNamedProfile'>,
): Promise<Data<'getNamedProfile'>> {
  return client.send({ method: 'GET', path: '/profiles/named/{username}', auth: true }, options)
}

/** Get a wallet’s portfolio: GET /portfolio */
export function getPortfolio(
  client: Client,
  options?: Options<'getPortfolio'>,
): Promise<Data<'getPortfolio'>> {
  return client.send({ method: 'GET', path: '/portfolio', auth: true }, options)
}

/** Get a wallet’s profile: GET /profiles/{wallet} */
export function getProfile(
  client: Client,
  options: Options<'getProfile'>,
): Promise<Data<'getProfile'>> {
  return client.send({ method: 'GET', path: '/profiles/{wallet}', auth: true }, options)
}

/** Get a proposal: GET /proposals/{id} */
export function getProposal(
  client: Client,
  options: Options<'getProposal'>,
): Promise<Data<'getProposal'>> {
  return client.send({ method: 'GET', path: '/proposals/{id}', auth: true }, options)
}

/** Get a raise: GET /raises/{id} */
export function getRaise(
  client: Client,
  options: Options<'getRaise'>,
): Promise<Data<'getRaise'>> {
  return client.send({ method: 'GET', path: '/raises/{id}', auth: true }, options)
}

/** Check that this replica can serve requests: GET /ready */
export function getReadiness(
  client: Client,
  options?: Options<'getReadiness'>,
): Promise<Data<'getReadiness'>> {
  return client.send({ method: 'GET', path: '/ready' }, options)
}

/** Get a staking pool: GET /staking/pools/{id} */
export function getStakingPool(
  client: Client,
  options: Options<'getStakingPool'>,
): Promise<Data<'getStakingPool'>> {
  return client.send({ method: 'GET', path: '/staking/pools/{id}' }, options)
}

/** Get platform statistics: GET /stats */
export function getStatistics(
  client: Client,
  options?: Options<'getStatistics'>,
): Promise<Data<'getStatistics'>> {
  return client.send({ method: 'GET', path: '/stats' }, options)
}

/** Get a token: GET /tokens/{address} */
export function getToken(
  client: Client,
  options: Options<'getToken'>,
): Promise<Data<'getToken'>> {
  return client.send({ method: 'GET', path: '/tokens/{address}', auth: true }, options)
}

/** Get a token’s link preview image: GET /og/token/{address} */
export function getTokenCard(
  client: Client,
  options: Options<'getTokenCard'>,
): Promise<Blob> {
  return client.send({ method: 'GET', path: '/og/token/{address}', answer: 'blob' }, options)
}

/** List the candles of a token: GET /tokens/{address}/chart */
export function getTokenChart(
  client: Client,
  options: Options<'getTokenChart'>,
): Promise<Data<'getTokenChart'>> {
  return client.send({ method: 'GET', path: '/tokens/{address}/chart' }, options)
}

/** Get the token list: GET /integrations/tokenlist */
export function getTokenList(
  client: Client,
  options?: Options<'getTokenList'>,
): Promise<RawData<'getTokenList'>> {
  return client.send({ method: 'GET', path: '/integrations/tokenlist', answer: 'json' }, options)
}

/** Get the token list by a .json path: GET /integrations/tokenlist.json */
export function getTokenListFile(
  client: Client,
  options?: Options<'getTokenListFile'>,
): Promise<RawData<'getTokenListFile'>> {
  return client.send({ method: 'GET', path: '/integrations/tokenlist.json', answer: 'json' }, options)
}

/** Get many tokens: POST /tokens/batch */
export function getTokens(
  client: Client,
  options: Options<'getTokens'>,
): Promise<Data<'getTokens'>> {
  return client.send({ method: 'POST', path: '/tokens/batch', auth: true }, options)
}

/** Download an uploaded file: GET /uploads/{name} */
export function getUpload(
  client: Client,
  options: Options<'getUpload'>,
): Promise<Blob> {
  return client.send({ method: 'GET', path: '/uploads/{name}', answer: 'blob' }, options)
}

/** Hide a comment: POST /admin/comments/{id}/hide */
export function hideComment(
  client: Client,
  options: Options<'hideComment'>,
): Promise<Data<'hideComment'>> {
  return client.send({ method: 'POST', path: '/admin/comments/{id}/hide', auth: true }, options)
}

/** Hide a token from all lists: POST /admin/tokens/{address}/hide */
export function hideToken(
  client: Client,
  options: Options<'hideToken'>,
): Promise<Data<'hideToken'>> {
  return client.send({ method: 'POST', path: '/admin/tokens/{address}/hide', auth: true }, options)
}

/** Request a message to sign: POST /auth/nonce */
export function issueNonce(
  client: Client,
  options: Options<'issueNonce'>,
): Promise<Data<'issueNonce'>> {
  return client.send({ method: 'POST', path: '/auth/nonce' }, options)
}

/** Like a comment: POST /comments/{id}/like */
export function likeComment(
  client: Client,
  options: Options<'likeComment'>,
): Promise<Data<'likeComment'>> {
  return client.send({ method: 'POST', path: '/comments/{id}/like', auth: true }, options)
}

/** Like a token: POST /tokens/{address}/like */
export function likeToken(
  client: Client,
  options: Options<'likeToken'>,
): Promise<Data<'likeToken'>> {
  return client.send({ method: 'POST', path: '/tokens/{address}/like', auth: true }, options)
}

/** List your alerts: GET /alerts */
export function listAlerts(
  client: Client,
  options?: Options<'listAlerts'>,
): Promise<Data<'listAlerts'>> {
  return client.send({ method: 'GET', path: '/alerts', auth: true }, options)
}

/** List ambassador applications: GET /admin/ambassador-applications */
export function listAmbassadorApplications(
  client: Client,
  options?: Options<'listAmbassadorApplications'>,
): Promise<Data<'listAmbassadorApplications'>> {
  return client.send({ method: 'GET', path: '/admin/ambassador-applications', auth: true }, options)
}

/** List the audit log: GET /admin/audit-log */
export function listAuditLog(
  client: Client,
  options?: Options<'listAuditLog'>,
): Promise<Data<'listAuditLog'>> {
  return client.send({ method: 'GET', path: '/admin/audit-log', auth: true }, options)
}

/** Get the names and avatars of many wallets: POST /profiles/batch */
export function listAuthors(
  client: Client,
  options: Options<'listAuthors'>,
): Promise<Data<'listAuthors'>> {
  return client.send({ method: 'POST', path: '/profiles/batch' }, options)
}

/** List the commitments to a raise: GET /raises/{id}/commitments */
export function listCommitments(
  client: Client,
  options: Options<'listCommitments'>,
): Promise<Data<'listCommitments'>> {
  return client.send({ method: 'GET', path: '/raises/{id}/commitments' }, options)
}

/** List tokens launched by a wallet: GET /profiles/{wallet}/created */
export function listCreatedTokens(
  client: Client,
  options: Options<'listCreatedTokens'>,
): Promise<Data<'listCreatedTokens'>> {
  return client.send({ method: 'GET', path: '/profiles/{wallet}/created', auth: true }, options)
}

/** List the feed: GET /feed */
export function listFeed(
  client: Client,
  options?: Options<'listFeed'>,
): Promise<Data<'listFeed'>> {
  return client.send({ method: 'GET', path: '/feed', auth: true }, options)
}

/** List the followers of a wallet: GET /profiles/{wallet}/followers */
export function listFollowers(
  client: Client,
  options: Options<'listFollowers'>,
): Promise<Data<'listFollowers'>> {
  return client.send({ method: 'GET', path: '/profiles/{wallet}/followers' }, options)
}

/** List wallets that a wallet follows: GET /profiles/{wallet}/following */
export function listFollowing(
  client: Client,
  options: Options<'listFollowing'>,
): Promise<Data<'listFollowing'>> {
  return client.send({ method: 'GET', path: '/profiles/{wallet}/following' }, options)
}

/** List all token holdings of a wallet: GET /portfolio/holdings */
export function listHoldings(
  client: Client,
  options?: Options<'listHoldings'>,
): Promise<Data<'listHoldings'>> {
  return client.send({ method: 'GET', path: '/portfolio/holdings', auth: true }, options)
}

/** Rank wallets by volume or profit: GET /leaderboard */
export function listLeaderboard(
  client: Client,
  options?: Options<'listLeaderboard'>,
): Promise<Data<'listLeaderboard'>> {
  return client.send({ method: 'GET', path: '/leaderboard' }, options)
}

/** List new tokens: GET /tokens/new */
export function listNewTokens(
  client: Client,
  options?: Options<'listNewTokens'>,
): Promise<Data<'listNewTokens'>> {
  return client.send({ method: 'GET', path: '/tokens/new', auth: true }, options)
}

/** List your notifications: GET /notifications */
export function listNotifications(
  client: Client,
  options?: Options<'listNotifications'>,
): Promise<Data<'listNotifications'>> {
  return client.send({ method: 'GET', path: '/notifications', auth: true }, options)
}

/** List the proposals of a raise: GET /raises/{id}/proposals */
export function listProposals(
  client: Client,
  options: Options<'listProposals'>,
): Promise<Data<'listProposals'>> {
  return client.send({ method: 'GET', path: '/raises/{id}/proposals', auth: true }, options)
}

/** List raises: GET /raises */
export function listRaises(
  client: Client,
  options?: Options<'listRaises'>,
): Promise<Data<'listRaises'>> {
  return client.send({ method: 'GET', path: '/raises', auth: true }, options)
}

/** List reports of comments: GET /admin/reports */
export function listReports(
  client: Client,
  options?: Options<'listReports'>,
): Promise<Data<'listReports'>> {
  return client.send({ method: 'GET', path: '/admin/reports', auth: true }, options)
}

/** List the staking pools: GET /staking/pools */
export function listStakingPools(
  client: Client,
  options?: Options<'listStakingPools'>,
): Promise<Data<'listStakingPools'>> {
  return client.send({ method: 'GET', path: '/staking/pools' }, options)
}

/** List the staking positions of a wallet: GET /staking/positions */
export function listStakingPositions(
  client: Client,
  options?: Options<'listStakingPositions'>,
): Promise<Data<'listStakingPositions'>> {
  return client.send({ method: 'GET', path: '/staking/positions', auth: true }, options)
}

/** List the comments on a token: GET /tokens/{address}/comments */
export function listTokenComments(
  client: Client,
  options: Options<'listTokenComments'>,
): Promise<Data<'listTokenComments'>> {
  return client.send({ method: 'GET', path: '/tokens/{address}/comments', auth: true }, options)
}

/** List the holders of a token: GET /tokens/{address}/holders */
export function listTokenHolders(
  client: Client,
  options: Options<'listTokenHolders'>,
): Promise<Data<'listTokenHolders'>> {
  return client.send({ method: 'GET', path: '/tokens/{address}/holders' }, options)
}

/** List the trades of a token: GET /tokens/{address}/trades */
export function listTokenTrades(
  client: Client,
  options: Options<'listTokenTrades'>,
): Promise<Data<'listTokenTrades'>> {
  return client.send({ method: 'GET', path: '/tokens/{address}/trades' }, options)
}

/** List tokens: GET /tokens */
export function listTokens(
  client: Client,
  options?: Options<'listTokens'>,
): Promise<Data<'listTokens'>> {
  return client.send({ method: 'GET', path: '/tokens', auth: true }, options)
}

/** List on-chain actions of wallets: GET /transactions */
export function listTransactions(
  client: Client,
  options?: Options<'listTransactions'>,
): Promise<Data<'listTransactions'>> {
  return client.send({ method: 'GET', path: '/transactions' }, options)
}

/** List trending tokens: GET /tokens/trending */
export function listTrendingTokens(
  client: Client,
  options?: Options<'listTrendingTokens'>,
): Promise<Data<'listTrendingTokens'>> {
  return client.send({ method: 'GET', path: '/tokens/trending', auth: true }, options)
}

/** List the tokens on your watchlist: GET /watchlists/me */
export function listWatchedTokens(
  client: Client,
  options?: Options<'listWatchedTokens'>,
): Promise<Data<'listWatchedTokens'>> {
  return client.send({ method: 'GET', path: '/watchlists/me', auth: true }, options)
}

/** Exchange a signed message for a token: POST /auth/login */
export function login(
  client: Client,
  options: Options<'login'>,
): Promise<Data<'login'>> {
  return client.send({ method: 'POST', path: '/auth/login' }, options)
}

/** Revoke the token: POST /auth/logout */
export function logout(
  client: Client,
  options?: Options<'logout'>,
): Promise<Data<'logout'>> {
  return client.send({ method: 'POST', path: '/auth/logout', auth: true }, options)
}

/** Update your profile: PATCH /profiles/me */
export function patchProfile(
  client: Client,
  options: Options<'patchProfile'>,
): Promise<Data<'patchProfile'>> {
  return client.send({ method: 'PATCH', path: '/profiles/me', auth: true }, options)
}

/** Update the texts of a raise: PATCH /raises/{id} */
export function patchRaise(
  client: Client,
  options: Options<'patchRaise'>,
): Promise<Data<'patchRaise'>> {
  return client.send({ method: 'PATCH', path: '/raises/{id}', auth: true }, options)
}

/** Update the metadata of a token: PATCH /tokens/{address} */
export function patchToken(
  client: Client,
  options: Options<'patchToken'>,
): Promise<Data<'patchToken'>> {
  return client.send({ method: 'PATCH', path: '/tokens/{address}', auth: true }, options)
}

/** Comment on a token: POST /tokens/{address}/comments */
export function postTokenComment(
  client: Client,
  options: Options<'postTokenComment'>,
): Promise<Data<'postTokenComment'>> {
  return client.send({ method: 'POST', path: '/tokens/{address}/comments', auth: true }, options)
}

/** Quote a trade and prepare its call: GET /tokens/{address}/quote */
export function quoteTrade(
  client: Client,
  options: Options<'quoteTrade'>,
): Promise<Data<'quoteTrade'>> {
  return client.send({ method: 'GET', path: '/tokens/{address}/quote', auth: true }, options)
}

/** Mark notifications as read: POST /notifications/read */
export function readNotifications(
  client: Client,
  options: Options<'readNotifications'>,
): Promise<Data<'readNotifications'>> {
  return client.send({ method: 'POST', path: '/notifications/read', auth: true }, options)
}

/** Get a token for the session of this browser: POST /auth/refresh */
export function refreshToken(
  client: Client,
  options?: Options<'refreshToken'>,
): Promise<Data<'refreshToken'>> {
  return client.send({ method: 'POST', path: '/auth/refresh' }, options)
}

/** Report a comment to the operators: POST /comments/{id}/report */
export function reportComment(
  client: Client,
  options: Options<'reportComment'>,
): Promise<Data<'reportComment'>> {
  return client.send({ method: 'POST', path: '/comments/{id}/report', auth: true }, options)
}

/** Approve or reject an ambassador application: PATCH /admin/ambassador-applications/{id} */
export function reviewAmbassadorApplication(
  client: Client,
  options: Options<'reviewAmbassadorApplication'>,
): Promise<Data<'reviewAmbassadorApplication'>> {
  return client.send({ method: 'PATCH', path: '/admin/ambassador-applications/{id}', auth: true }, options)
}

/** Search tokens and wallets: GET /search */
export function search(
  client: Client,
  options: Options<'search'>,
): Promise<Data<'search'>> {
  return client.send({ method: 'GET', path: '/search', auth: true }, options)
}

/** Sync a buy: POST /buy */
export function syncBuy(
  client: Client,
  options: Options<'syncBuy'>,
): Promise<Data<'syncBuy'>> {
  return client.send({ method: 'POST', path: '/buy', auth: true, slow: true }, options)
}

/** Sync a commitment: POST /raises/{id}/commit */
export function syncCommitment(
  client: Client,
  options: Options<'syncCommitment'>,
): Promise<Data<'syncCommitment'>> {
  return client.send({ method: 'POST', path: '/raises/{id}/commit', auth: true, slow: true }, options)
}

/** Sync the execution of a proposal: POST /proposals/{id}/execute */
export function syncExecution(
  client: Client,
  options: Options<'syncExecution'>,
): Promise<Data<'syncExecution'>> {
  return client.send({ method: 'POST', path: '/proposals/{id}/execute', auth: true, slow: true }, options)
}

/** Sync an exit from a raise: POST /proposals/{id}/exit */
export function syncExit(
  client: Client,
  options: Options<'syncExit'>,
): Promise<Data<'syncExit'>> {
  return client.send({ method: 'POST', path: '/proposals/{id}/exit', auth: true, slow: true }, options)
}

/** Sync a finalization: POST /raises/{id}/finalize */
export function syncFinalization(
  client: Client,
  options: Options<'syncFinalization'>,
): Promise<Data<'syncFinalization'>> {
  return client.send({ method: 'POST', path: '/raises/{id}/finalize', auth: true, slow: true }, options)
}

/** Sync a funding: POST /staking/fund */
export function syncFunding(
  client: Client,
  options: Options<'syncFunding'>,
): Promise<Data<'syncFunding'>> {
  return client.send({ method: 'POST', path: '/staking/fund', auth: true, slow: true }, options)
}

/** Sync a proposal: POST /raises/{id}/propose */
export function syncProposal(
  client: Client,
  options: Options<'syncProposal'>,
): Promise<Data<'syncProposal'>> {
  return client.send({ method: 'POST', path: '/raises/{id}/propose', auth: true, slow: true }, options)
}

/** Sync a refund: POST /raises/{id}/refund */
export function syncRefund(
  client: Client,
  options: Options<'syncRefund'>,
): Promise<Data<'syncRefund'>> {
  return client.send({ method: 'POST', path: '/raises/{id}/refund', auth: true, slow: true }, options)
}

/** Sync a registration: POST /raises/{id}/register */
export function syncRegistration(
  client: Client,
  options: Options<'syncRegistration'>,
): Promise<Data<'syncRegistration'>> {
  return client.send({ method: 'POST', path: '/raises/{id}/register', auth: true, slow: true }, options)
}

/** Sync a claim of rewards: POST /staking/claim */
export function syncRewardClaim(
  client: Client,
  options: Options<'syncRewardClaim'>,
): Promise<Data<'syncRewardClaim'>> {
  return client.send({ method: 'POST', path: '/staking/claim', auth: true, slow: true }, options)
}

/** Sync a sell: POST /sell */
export function syncSell(
  client: Client,
  options: Options<'syncSell'>,
): Promise<Data<'syncSell'>> {
  return client.send({ method: 'POST', path: '/sell', auth: true, slow: true }, options)
}

/** Sync a stake: POST /staking/stake */
export function syncStake(
  client: Client,
  options: Options<'syncStake'>,
): Promise<Data<'syncStake'>> {
  return client.send({ method: 'POST', path: '/staking/stake', auth: true, slow: true }, options)
}

/** Sync a claim of tokens: POST /raises/{id}/claim */
export function syncTokenClaim(
  client: Client,
  options: Options<'syncTokenClaim'>,
): Promise<Data<'syncTokenClaim'>> {
  return client.send({ method: 'POST', path: '/raises/{id}/claim', auth: true, slow: true }, options)
}

/** Sync a request to unstake: POST /staking/unstake */
export function syncUnstake(
  client: Client,
  options: Options<'syncUnstake'>,
): Promise<Data<'syncUnstake'>> {
  return client.send({ method: 'POST', path: '/staking/unstake', auth: true, slow: true }, options)
}

/** Sync a vote: POST /proposals/{id}/vote */
export function syncVote(
  client: Client,
  options: Options<'syncVote'>,
): Promise<Data<'syncVote'>> {
  return client.send({ method: 'POST', path: '/proposals/{id}/vote', auth: true, slow: true }, options)
}

/** Sync a withdrawal: POST /staking/withdraw */
export function syncWithdrawal(
  client: Client,
  options: Options<'syncWithdrawal'>,
): Promise<Data<'syncWithdrawal'>> {
  return client.send({ method: 'POST', path: '/staking/withdraw', auth: true, slow: true }, options)
}

/** Get the chart feed’s configuration: GET /integrations/udf/config */
export function udfConfig(
  client: Client,
  options?: Options<'udfConfig'>,
): Promise<RawData<'udfConfig'>> {
  return client.send({ method: 'GET', path: '/integrations/udf/config', answer: 'json' }, options)
}

/** List the bars of a chart: GET /integrations/udf/history */
export function udfHistory(
  client: Client,
  options: Options<'udfHistory'>,
): Promise<RawData<'udfHistory'>> {
  return client.send({ method: 'GET', path: '/integrations/udf/history', answer: 'json' }, options)
}

/** List the marks of a chart: GET /integrations/udf/marks */
export function udfMarks(
  client: Client,
  options: Options<'udfMarks'>,
): Promise<RawData<'udfMarks'>> {
  return client.send({ method: 'GET', path: '/integrations/udf/marks', answer: 'json' }, options)
}

/** Search symbols of the chart feed: GET /integrations/udf/search */
export function udfSearch(
  client: Client,
  options?: Options<'udfSearch'>,
): Promise<RawData<'udfSearch'>> {
  return client.send({ method: 'GET', path: '/integrations/udf/search', answer: 'json' }, options)
}

/** Get a symbol of the chart feed: GET /integrations/udf/symbols */
export function udfSymbol(
  client: Client,
  options: Options<'udfSymbol'>,
): Promise<RawData<'udfSymbol'>> {
  return client.send({ method: 'GET', path: '/integrations/udf/symbols', answer: 'json' }, options)
}

/** Get the server time for charts: GET /integrations/udf/time */
export function udfTime(
  client: Client,
  options?: Options<'udfTime'>,
): Promise<string> {
  return client.send({ method: 'GET', path: '/integrations/udf/time', answer: 'text' }, options)
}

/** Unban a wallet: POST /admin/wallets/{wallet}/unban */
export function unbanWallet(
  client: Client,
  options: Options<'unbanWallet'>,
): Promise<Data<'unbanWallet'>> {
  return client.send({ method: 'POST', path: '/admin/wallets/{wallet}/unban', auth: true }, options)
}

/** Unfeature a raise: DELETE /labs/raises/{id}/feature */
export function unfeatureRaise(
  client: Client,
  options: Options<'unfeatureRaise'>,
): Promise<Data<'unfeatureRaise'>> {
  return client.send({ method: 'DELETE', path: '/labs/raises/{id}/feature', auth: true }, options)
}

/** Unfeature a token: DELETE /labs/tokens/{address}/feature */
export function unfeatureToken(
  client: Client,
  options: Options<'unfeatureToken'>,
): Promise<Data<'unfeatureToken'>> {
  return client.send({ method: 'DELETE', path: '/labs/tokens/{address}/feature', auth: true }, options)
}

/** Unfollow a wallet: DELETE /follows/{wallet} */
export function unfollowWallet(
  client: Client,
  options: Options<'unfollowWallet'>,
): Promise<Data<'unfollowWallet'>> {
  return client.send({ method: 'DELETE', path: '/follows/{wallet}', auth: true }, options)
}

/** Unhide a comment: POST /admin/comments/{id}/unhide */
export function unhideComment(
  client: Client,
  options: Options<'unhideComment'>,
): Promise<Data<'unhideComment'>> {
  return client.send({ method: 'POST', path: '/admin/comments/{id}/unhide', auth: true }, options)
}

/** Unhide a token: POST /admin/tokens/{address}/unhide */
export function unhideToken(
  client: Client,
  options: Options<'unhideToken'>,
): Promise<Data<'unhideToken'>> {
  return client.send({ method: 'POST', path: '/admin/tokens/{address}/unhide', auth: true }, options)
}

/** Unlike a comment: DELETE /comments/{id}/like */
export function unlikeComment(
  client: Client,
  options: Options<'unlikeComment'>,
): Promise<Data<'unlikeComment'>> {
  return client.send({ method: 'DELETE', path: '/comments/{id}/like', auth: true }, options)
}

/** Unlike a token: DELETE /tokens/{address}/like */
export function unlikeToken(
  client: Client,
  options: Options<'unlikeToken'>,
): Promise<Data<'unlikeToken'>> {
  return client.send({ method: 'DELETE', path: '/tokens/{address}/like', auth: true }, options)
}

/** Take a token from your watchlist: DELETE /watchlists/{token} */
export function unwatchToken(
  client: Client,
  options: Options<'unwatchToken'>,
): Promise<Data<'unwatchToken'>> {
  return client.send({ method: 'DELETE', path: '/watchlists/{token}', auth: true }, options)
}

/** Upload an image: POST /uploads/image */
export function uploadImage(
  client: Client,
  options: Options<'uploadImage'>,
): Promise<Data<'uploadImage'>> {
  return client.send({ method: 'POST', path: '/uploads/image', auth: true, form: true, slow: true }, options)
}

/** Upload the metadata of a token: POST /uploads/metadata */
export function uploadMetadata(
  client: Client,
  options: Options<'uploadMetadata'>,
): Promise<Data<'uploadMetadata'>> {
  return client.send({ method: 'POST', path: '/uploads/metadata', auth: true }, options)
}

/** Put a token on your watchlist: PUT /watchlists/{token} */
export function watchToken(
  client: Client,
  options: Options<'watchToken'>,
): Promise<Data<'watchToken'>> {
  return client.send({ method: 'PUT', path: '/watchlists/{token}', auth: true }, options)
}
