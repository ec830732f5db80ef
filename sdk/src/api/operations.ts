// Generated from openapi.yaml by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk
import type { ListMethod, Method } from './bind.ts'
import * as raw from '../operations.ts'
import type { Body, Data, Options, Query, RawData } from '../types.ts'

/** The operations of the API by group, with flat arguments. */
export interface ApiOperations {
  /** Apply to become an ambassador: POST /ambassador-applications */
  readonly applyAsAmbassador: Method<[body: Body<'applyAsAmbassador'>], Data<'applyAsAmbassador'>>
  /** Call the node by JSON-RPC: POST /rpc */
  readonly callNode: Method<[body: Body<'callNode'>], RawData<'callNode'> | undefined>
  /** List volume and fees by day: GET /stats/daily */
  readonly dailyStatistics: Method<[query?: Query<'listDailyStatistics'>], Data<'listDailyStatistics'>>
  /** List the feed: GET /feed */
  readonly feed: ListMethod<[query?: Query<'listFeed'>], Data<'listFeed'>>
  /** Check the health of all dependencies: GET /health */
  readonly health: Method<[], Data<'getHealth'>>
  /** Get statistics by launchpad: GET /stats/launchpads */
  readonly launchpadStatistics: Method<[], Data<'listLaunchpadStatistics'>>
  /** Rank wallets by volume or profit: GET /leaderboard */
  readonly leaderboard: ListMethod<[query?: Query<'listLeaderboard'>], Data<'listLeaderboard'>>
  /** Check that the process runs: GET /live */
  readonly liveness: Method<[], Data<'getLiveness'>>
  /** Get the metrics for Prometheus: GET /metrics */
  readonly metrics: Method<[], string>
  /** Check that this replica can serve requests: GET /ready */
  readonly readiness: Method<[], Data<'getReadiness'>>
  /** Search tokens and wallets: GET /search */
  readonly search: Method<[query: Query<'search'>], Data<'search'>>
  /** Get platform statistics: GET /stats */
  readonly statistics: Method<[], Data<'getStatistics'>>
  /** Sync a buy: POST /buy */
  readonly syncBuy: Method<[body: Body<'syncBuy'>], Data<'syncBuy'>>
  /** Sync a sell: POST /sell */
  readonly syncSell: Method<[body: Body<'syncSell'>], Data<'syncSell'>>
  /** List on-chain actions of wallets: GET /transactions */
  readonly transactions: ListMethod<[query?: Query<'listTransactions'>], Data<'listTransactions'>>
  readonly admin: {
    /** Follow another contract: POST /admin/deployments */
    readonly addDeployment: Method<[body: Body<'addDeployment'>], Data<'addDeployment'>>
    /** List ambassador applications: GET /admin/ambassador-applications */
    readonly ambassadorApplications: ListMethod<[query?: Query<'listAmbassadorApplications'>], Data<'listAmbassadorApplications'>>
    /** List the audit log: GET /admin/audit-log */
    readonly auditLog: ListMethod<[query?: Query<'listAuditLog'>], Data<'listAuditLog'>>
    /** Ban a wallet: POST /admin/wallets/{wallet}/ban */
    readonly banWallet: Method<[wallet: string, body: Body<'banWallet'>], Data<'banWallet'>>
    /** List banned wallets: GET /admin/bans */
    readonly bans: ListMethod<[query?: Query<'listBans'>], Data<'listBans'>>
    /** List the followed contracts: GET /admin/deployments */
    readonly deployments: Method<[], Data<'listDeployments'>>
    /** Dismiss a report: POST /admin/reports/{id}/dismiss */
    readonly dismissReport: Method<[id: string, body: Body<'dismissReport'>], Data<'dismissReport'>>
    /** Erase an ambassador application: DELETE /admin/ambassador-applications/{id} */
    readonly eraseAmbassadorApplication: Method<[id: string], Data<'eraseAmbassadorApplication'>>
    /** Hide a comment: POST /admin/comments/{id}/hide */
    readonly hideComment: Method<[id: string, body: Body<'hideComment'>], Data<'hideComment'>>
    /** Hide a token from all lists: POST /admin/tokens/{address}/hide */
    readonly hideToken: Method<[address: string, body: Body<'hideToken'>], Data<'hideToken'>>
    /** Remove a contract: DELETE /admin/deployments/{address} */
    readonly removeDeployment: Method<[address: string], Data<'removeDeployment'>>
    /** List reports of comments: GET /admin/reports */
    readonly reports: ListMethod<[query?: Query<'listReports'>], Data<'listReports'>>
    /** Approve or reject an ambassador application: PATCH /admin/ambassador-applications/{id} */
    readonly reviewAmbassadorApplication: Method<[id: string, body: Body<'reviewAmbassadorApplication'>], Data<'reviewAmbassadorApplication'>>
    /** Unban a wallet: POST /admin/wallets/{wallet}/unban */
    readonly unbanWallet: Method<[wallet: string, body: Body<'unbanWallet'>], Data<'unbanWallet'>>
    /** Unhide a comment: POST /admin/comments/{id}/unhide */
    readonly unhideComment: Method<[id: string, body: Body<'unhideComment'>], Data<'unhideComment'>>
    /** Unhide a token: POST /admin/tokens/{address}/unhide */
    readonly unhideToken: Method<[address: string, body: Body<'unhideToken'>], Data<'unhideToken'>>
  }
  readonly alerts: {
    /** Create an alert: POST /alerts */
    readonly create: Method<[body: Body<'createAlert'>], Data<'createAlert'>>
    /** Delete your alert: DELETE /alerts/{id} */
    readonly delete: Method<[id: string], Data<'deleteAlert'>>
    /** List your alerts: GET /alerts */
    readonly list: ListMethod<[query?: Query<'listAlerts'>], Data<'listAlerts'>>
  }
  readonly auth: {
    /** Get the authenticated wallet: GET /auth/me */
    readonly identity: Method<[], Data<'getIdentity'>>
    /** Request a message to sign: POST /auth/nonce */
    readonly issueNonce: Method<[body: Body<'issueNonce'>], Data<'issueNonce'>>
    /** Exchange a signed message for a token: POST /auth/login */
    readonly login: Method<[body: Body<'login'>], Data<'login'>>
    /** Revoke the token: POST /auth/logout */
    readonly logout: Method<[], Data<'logout'>>
    /** Get a token for the session of this browser: POST /auth/refresh */
    readonly refreshToken: Method<[], Data<'refreshToken'>>
  }
  readonly comments: {
    /** Delete your comment: DELETE /comments/{id} */
    readonly delete: Method<[id: string], Data<'deleteComment'>>
    /** Like a comment: POST /comments/{id}/like */
    readonly like: Method<[id: string], Data<'likeComment'>>
    /** Report a comment to the operators: POST /comments/{id}/report */
    readonly report: Method<[id: string, body: Body<'reportComment'>], Data<'reportComment'>>
    /** Unlike a comment: DELETE /comments/{id}/like */
    readonly unlike: Method<[id: string], Data<'unlikeComment'>>
  }
  readonly config: {
    /** Get the ABI of a contract: GET /config/abis/{name} */
    readonly abi: Method<[name: Options<'getAbi'>['path']['name']], Data<'getAbi'>>
    /** Get the configuration for web clients: GET /config */
    readonly get: Method<[], Data<'getConfig'>>
  }
  readonly follows: {
    /** Follow a wallet: POST /follows/{wallet} */
    readonly follow: Method<[wallet: string], Data<'followWallet'>>
    /** Unfollow a wallet: DELETE /follows/{wallet} */
    readonly unfollow: Method<[wallet: string], Data<'unfollowWallet'>>
  }
  readonly integrations: {
    /** List trades of a market for CoinGecko: GET /integrations/coingecko/historical_trades */
    readonly coingeckoHistoricalTrades: Method<[query: Query<'coingeckoHistoricalTrades'>], RawData<'coingeckoHistoricalTrades'>>
    /** List tickers of all markets for CoinGecko: GET /integrations/coingecko/tickers */
    readonly coingeckoTickers: Method<[query?: Query<'coingeckoTickers'>], RawData<'coingeckoTickers'>>
    /** Get an asset for DEX Screener: GET /integrations/dexscreener/asset */
    readonly dexScreenerAsset: Method<[query: Query<'dexScreenerAsset'>], RawData<'dexScreenerAsset'>>
    /** List events by block for DEX Screener: GET /integrations/dexscreener/events */
    readonly dexScreenerEvents: Method<[query: Query<'dexScreenerEvents'>], RawData<'dexScreenerEvents'>>
    /** Get the latest block for DEX Screener: GET /integrations/dexscreener/latest-block */
    readonly dexScreenerLatestBlock: Method<[], RawData<'dexScreenerLatestBlock'>>
    /** Get a pair for DEX Screener: GET /integrations/dexscreener/pair */
    readonly dexScreenerPair: Method<[query: Query<'dexScreenerPair'>], RawData<'dexScreenerPair'>>
    /** Get an asset for GeckoTerminal: GET /integrations/geckoterminal/asset */
    readonly geckoTerminalAsset: Method<[query: Query<'geckoTerminalAsset'>], RawData<'geckoTerminalAsset'>>
    /** List events by block for GeckoTerminal: GET /integrations/geckoterminal/events */
    readonly geckoTerminalEvents: Method<[query: Query<'geckoTerminalEvents'>], RawData<'geckoTerminalEvents'>>
    /** Get the latest block for GeckoTerminal: GET /integrations/geckoterminal/latest-block */
    readonly geckoTerminalLatestBlock: Method<[], RawData<'geckoTerminalLatestBlock'>>
    /** Get a pair for GeckoTerminal: GET /integrations/geckoterminal/pair */
    readonly geckoTerminalPair: Method<[query: Query<'geckoTerminalPair'>], RawData<'geckoTerminalPair'>>
    /** Get the token list: GET /integrations/tokenlist */
    readonly tokenList: Method<[query?: Query<'getTokenList'>], RawData<'getTokenList'>>
    /** Get the token list by a .json path: GET /integrations/tokenlist.json */
    readonly tokenListFile: Method<[query?: Query<'getTokenListFile'>], RawData<'getTokenListFile'>>
    /** Get the chart feed’s configuration: GET /integrations/udf/config */
    readonly udfConfig: Method<[], RawData<'udfConfig'>>
    /** List the bars of a chart: GET /integrations/udf/history */
    readonly udfHistory: Method<[query: Query<'udfHistory'>], RawData<'udfHistory'>>
    /** List the marks of a chart: GET /integrations/udf/marks */
    readonly udfMarks: Method<[query: Query<'udfMarks'>], RawData<'udfMarks'>>
    /** Search symbols of the chart feed: GET /integrations/udf/search */
    readonly udfSearch: Method<[query?: Query<'udfSearch'>], RawData<'udfSearch'>>
    /** Get a symbol of the chart feed: GET /integrations/udf/symbols */
    readonly udfSymbol: Method<[query: Query<'udfSymbol'>], RawData<'udfSymbol'>>
    /** Get the server time for charts: GET /integrations/udf/time */
    readonly udfTime: Method<[], string>
  }
  readonly labs: {
    /** Feature a raise: POST /labs/raises/{id}/feature */
    readonly featureRaise: Method<[id: string, body: Body<'featureRaise'>], Data<'featureRaise'>>
    /** Feature a token: POST /labs/tokens/{address}/feature */
    readonly featureToken: Method<[address: string, body: Body<'featureToken'>], Data<'featureToken'>>
    /** Unfeature a raise: DELETE /labs/raises/{id}/feature */
    readonly unfeatureRaise: Method<[id: string], Data<'unfeatureRaise'>>
    /** Unfeature a token: DELETE /labs/tokens/{address}/feature */
    readonly unfeatureToken: Method<[address: string], Data<'unfeatureToken'>>
  }
  readonly market: {
    /** Get market data of an external token: GET /market/external/{address} */
    readonly external: Method<[address: string], Data<'getExternalMarket'>>
    /** List candles of an external token: GET /market/external/{address}/chart */
    readonly externalChart: Method<[address: string, query?: Query<'getExternalChart'>], Data<'getExternalChart'>>
  }
  readonly notifications: {
    /** List your notifications: GET /notifications */
    readonly list: ListMethod<[query?: Query<'listNotifications'>], Data<'listNotifications'>>
    /** Mark notifications as read: POST /notifications/read */
    readonly read: Method<[body: Body<'readNotifications'>], Data<'readNotifications'>>
  }
  readonly og: {
    /** Get the image of a wallet’s profit on a token: GET /og/pnl/{token}/{wallet} */
    readonly profitCard: Method<[token: string, wallet: string, query?: Query<'getProfitCard'>], Blob>
    /** Get a token’s link preview image: GET /og/token/{address} */
    readonly tokenCard: Method<[address: string, query?: Query<'getTokenCard'>], Blob>
  }
  readonly portfolio: {
    /** Get a wallet’s portfolio: GET /portfolio */
    readonly get: Method<[query?: Query<'getPortfolio'>], Data<'getPortfolio'>>
    /** Get a wallet’s holding of a token: GET /portfolio/holdings/{token} */
    readonly holding: Method<[token: string, query?: Query<'getHolding'>], Data<'getHolding'>>
    /** List all token holdings of a wallet: GET /portfolio/holdings */
    readonly holdings: ListMethod<[query?: Query<'listHoldings'>], Data<'listHoldings'>>
  }
  readonly profiles: {
    /** Get the names and avatars of many wallets: POST /profiles/batch */
    readonly authors: Method<[body: Body<'listAuthors'>], Data<'listAuthors'>>
    /** List tokens launched by a wallet: GET /profiles/{wallet}/created */
    readonly createdTokens: ListMethod<[wallet: string, query?: Query<'listCreatedTokens'>], Data<'listCreatedTokens'>>
    /** List the followers of a wallet: GET /profiles/{wallet}/followers */
    readonly followers: ListMethod<[wallet: string, query?: Query<'listFollowers'>], Data<'listFollowers'>>
    /** List wallets that a wallet follows: GET /profiles/{wallet}/following */
    readonly following: ListMethod<[wallet: string, query?: Query<'listFollowing'>], Data<'listFollowing'>>
    /** Get a wallet’s profile: GET /profiles/{wallet} */
    readonly get: Method<[wallet: string], Data<'getProfile'>>
    /** Get the profile with a username: GET /profiles/named/{username} */
    readonly named: Method<[username: string], Data<'getNamedProfile'>>
    /** Update your profile: PATCH /profiles/me */
    readonly patch: Method<[body: Body<'patchProfile'>], Data<'patchProfile'>>
  }
  readonly proposals: {
    /** Get a proposal: GET /proposals/{id} */
    readonly get: Method<[id: string], Data<'getProposal'>>
    /** Sync the execution of a proposal: POST /proposals/{id}/execute */
    readonly syncExecution: Method<[id: string, body: Body<'syncExecution'>], Data<'syncExecution'>>
    /** Sync an exit from a raise: POST /proposals/{id}/exit */
    readonly syncExit: Method<[id: string, body: Body<'syncExit'>], Data<'syncExit'>>
    /** Sync a vote: POST /proposals/{id}/vote */
    readonly syncVote: Method<[id: string, body: Body<'syncVote'>], Data<'syncVote'>>
  }
  readonly raises: {
    /** List the commitments to a raise: GET /raises/{id}/commitments */
    readonly commitments: ListMethod<[id: string, query?: Query<'listCommitments'>], Data<'listCommitments'>>
    /** Sync the creation of a raise: POST /raises */
    readonly create: Method<[body: Body<'createRaise'>], Data<'createRaise'>>
    /** Get a raise: GET /raises/{id} */
    readonly get: Method<[id: string], Data<'getRaise'>>
    /** List raises: GET /raises */
    readonly list: ListMethod<[query?: Query<'listRaises'>], Data<'listRaises'>>
    /** Update the texts of a raise: PATCH /raises/{id} */
    readonly patch: Method<[id: string, body: Body<'patchRaise'>], Data<'patchRaise'>>
    /** List the proposals of a raise: GET /raises/{id}/proposals */
    readonly proposals: ListMethod<[id: string, query?: Query<'listProposals'>], Data<'listProposals'>>
    /** Sync a commitment: POST /raises/{id}/commit */
    readonly syncCommitment: Method<[id: string, body: Body<'syncCommitment'>], Data<'syncCommitment'>>
    /** Sync a finalization: POST /raises/{id}/finalize */
    readonly syncFinalization: Method<[id: string, body: Body<'syncFinalization'>], Data<'syncFinalization'>>
    /** Sync a proposal: POST /raises/{id}/propose */
    readonly syncProposal: Method<[id: string, body: Body<'syncProposal'>], Data<'syncProposal'>>
    /** Sync a refund: POST /raises/{id}/refund */
    readonly syncRefund: Method<[id: string, body: Body<'syncRefund'>], Data<'syncRefund'>>
    /** Sync a registration: POST /raises/{id}/register */
    readonly syncRegistration: Method<[id: string, body: Body<'syncRegistration'>], Data<'syncRegistration'>>
    /** Sync a claim of tokens: POST /raises/{id}/claim */
    readonly syncTokenClaim: Method<[id: string, body: Body<'syncTokenClaim'>], Data<'syncTokenClaim'>>
  }
  readonly staking: {
    /** Get a staking pool: GET /staking/pools/{id} */
    readonly pool: Method<[id: string], Data<'getStakingPool'>>
    /** List the staking pools: GET /staking/pools */
    readonly pools: ListMethod<[query?: Query<'listStakingPools'>], Data<'listStakingPools'>>
    /** List the staking positions of a wallet: GET /staking/positions */
    readonly positions: ListMethod<[query?: Query<'listStakingPositions'>], Data<'listStakingPositions'>>
    /** Sync a funding: POST /staking/fund */
    readonly syncFunding: Method<[body: Body<'syncFunding'>], Data<'syncFunding'>>
    /** Sync a claim of rewards: POST /staking/claim */
    readonly syncRewardClaim: Method<[body: Body<'syncRewardClaim'>], Data<'syncRewardClaim'>>
    /** Sync a stake: POST /staking/stake */
    readonly syncStake: Method<[body: Body<'syncStake'>], Data<'syncStake'>>
    /** Sync a request to unstake: POST /staking/unstake */
    readonly syncUnstake: Method<[body: Body<'syncUnstake'>], Data<'syncUnstake'>>
    /** Sync a withdrawal: POST /staking/withdraw */
    readonly syncWithdrawal: Method<[body: Body<'syncWithdrawal'>], Data<'syncWithdrawal'>>
  }
  readonly tokens: {
    /** List the candles of a token: GET /tokens/{address}/chart */
    readonly chart: Method<[address: string, query?: Query<'getTokenChart'>], Data<'getTokenChart'>>
    /** List the comments on a token: GET /tokens/{address}/comments */
    readonly comments: ListMethod<[address: string, query?: Query<'listTokenComments'>], Data<'listTokenComments'>>
    /** Sync the launch of a token: POST /tokens/create */
    readonly create: Method<[body: Body<'createToken'>], Data<'createToken'>>
    /** Get the history of a token’s creator: GET /tokens/{address}/creator */
    readonly creator: Method<[address: string], Data<'getTokenCreator'>>
    /** List the first buyers of a token: GET /tokens/{address}/first-buyers */
    readonly firstBuyers: Method<[address: string], Data<'listFirstBuyers'>>
    /** Get a token: GET /tokens/{address} */
    readonly get: Method<[address: string], Data<'getToken'>>
    /** Get many tokens: POST /tokens/batch */
    readonly getMany: Method<[body: Body<'getTokens'>], Data<'getTokens'>>
    /** List the holders of a token: GET /tokens/{address}/holders */
    readonly holders: ListMethod<[address: string, query?: Query<'listTokenHolders'>], Data<'listTokenHolders'>>
    /** Like a token: POST /tokens/{address}/like */
    readonly like: Method<[address: string], Data<'likeToken'>>
    /** List tokens: GET /tokens */
    readonly list: ListMethod<[query?: Query<'listTokens'>], Data<'listTokens'>>
    /** List new tokens: GET /tokens/new */
    readonly new: ListMethod<[query?: Query<'listNewTokens'>], Data<'listNewTokens'>>
    /** Update the metadata of a token: PATCH /tokens/{address} */
    readonly patch: Method<[address: string, body: Body<'patchToken'>], Data<'patchToken'>>
    /** Comment on a token: POST /tokens/{address}/comments */
    readonly postComment: Method<[address: string, body: Body<'postTokenComment'>], Data<'postTokenComment'>>
    /** Quote a trade and prepare its call: GET /tokens/{address}/quote */
    readonly quote: Method<[address: string, query: Query<'quoteTrade'>], Data<'quoteTrade'>>
    /** Get the creator fees of a token: GET /tokens/{address}/revenue */
    readonly revenue: Method<[address: string, query?: Query<'getTokenRevenue'>], Data<'getTokenRevenue'>>
    /** List the top traders of a token: GET /tokens/{address}/top-traders */
    readonly topTraders: ListMethod<[address: string, query?: Query<'listTopTraders'>], Data<'listTopTraders'>>
    /** List the trades of a token: GET /tokens/{address}/trades */
    readonly trades: ListMethod<[address: string, query?: Query<'listTokenTrades'>], Data<'listTokenTrades'>>
    /** List trending tokens: GET /tokens/trending */
    readonly trending: ListMethod<[query?: Query<'listTrendingTokens'>], Data<'listTrendingTokens'>>
    /** Unlike a token: DELETE /tokens/{address}/like */
    readonly unlike: Method<[address: string], Data<'unlikeToken'>>
  }
  readonly uploads: {
    /** Download an uploaded file: GET /uploads/{name} */
    readonly get: Method<[name: string], Blob>
    /** Upload an image: POST /uploads/image */
    readonly image: Method<[body: Body<'uploadImage'>], Data<'uploadImage'>>
    /** Upload the metadata of a token: POST /uploads/metadata */
    readonly metadata: Method<[body: Body<'uploadMetadata'>], Data<'uploadMetadata'>>
  }
  readonly wallets: {
    /** Get how a wallet traded: GET /wallets/{wallet}/stats */
    readonly stats: Method<[wallet: string, query?: Query<'getWalletStats'>], Data<'getWalletStats'>>
  }
  readonly watchlists: {
    /** List the tokens on your watchlist: GET /watchlists/me */
    readonly list: ListMethod<[query?: Query<'listWatchedTokens'>], Data<'listWatchedTokens'>>
    /** Take a token from your watchlist: DELETE /watchlists/{token} */
    readonly unwatch: Method<[token: string], Data<'unwatchToken'>>
    /** Put a token on your watchlist: PUT /watchlists/{token} */
    readonly watch: Method<[token: string], Data<'watchToken'>>
  }
}

export const apiOperations = {
  applyAsAmbassador: raw.applyAsAmbassador,
  callNode: raw.callNode,
  dailyStatistics: raw.listDailyStatistics,
  feed: raw.listFeed,
  health: raw.getHealth,
  launchpadStatistics: raw.listLaunchpadStatistics,
  leaderboard: raw.listLeaderboard,
  liveness: raw.getLiveness,
  metrics: raw.getMetrics,
  readiness: raw.getReadiness,
  search: raw.search,
  statistics: raw.getStatistics,
  syncBuy: raw.syncBuy,
  syncSell: raw.syncSell,
  transactions: raw.listTransactions,
  admin: { addDeployment: raw.addDeployment, ambassadorApplications: raw.listAmbassadorApplications, auditLog: raw.listAuditLog, banWallet: raw.banWallet, bans: raw.listBans, deployments: raw.listDeployments, dismissReport: raw.dismissReport, eraseAmbassadorApplication: raw.eraseAmbassadorApplication, hideComment: raw.hideComment, hideToken: raw.hideToken, removeDeployment: raw.removeDeployment, reports: raw.listReports, reviewAmbassadorApplication: raw.reviewAmbassadorApplication, unbanWallet: raw.unbanWallet, unhideComment: raw.unhideComment, unhideToken: raw.unhideToken },
  alerts: { create: raw.createAlert, delete: raw.deleteAlert, list: raw.listAlerts },
  auth: { identity: raw.getIdentity, issueNonce: raw.issueNonce, login: raw.login, logout: raw.logout, refreshToken: raw.refreshToken },
  comments: { delete: raw.deleteComment, like: raw.likeComment, report: raw.reportComment, unlike: raw.unlikeComment },
  config: { abi: raw.getAbi, get: raw.getConfig },
  follows: { follow: raw.followWallet, unfollow: raw.unfollowWallet },
  integrations: { coingeckoHistoricalTrades: raw.coingeckoHistoricalTrades, coingeckoTickers: raw.coingeckoTickers, dexScreenerAsset: raw.dexScreenerAsset, dexScreenerEvents: raw.dexScreenerEvents, dexScreenerLatestBlock: raw.dexScreenerLatestBlock, dexScreenerPair: raw.dexScreenerPair, geckoTerminalAsset: raw.geckoTerminalAsset, geckoTerminalEvents: raw.geckoTerminalEvents, geckoTerminalLatestBlock: raw.geckoTerminalLatestBlock, geckoTerminalPair: raw.geckoTerminalPair, tokenList: raw.getTokenList, tokenListFile: raw.getTokenListFile, udfConfig: raw.udfConfig, udfHistory: raw.udfHistory, udfMarks: raw.udfMarks, udfSearch: raw.udfSearch, udfSymbol: raw.udfSymbol, udfTime: raw.udfTime },
  labs: { featureRaise: raw.featureRaise, featureToken: raw.featureToken, unfeatureRaise: raw.unfeatureRaise, unfeatureToken: raw.unfeatureToken },
  market: { external: raw.getExternalMarket, externalChart: raw.getExternalChart },
  notifications: { list: raw.listNotifications, read: raw.readNotifications },
  og: { profitCard: raw.getProfitCard, tokenCard: raw.getTokenCard },
  portfolio: { get: raw.getPortfolio, holding: raw.getHolding, holdings: raw.listHoldings },
  profiles: { authors: raw.listAuthors, createdTokens: raw.listCreatedTokens, followers: raw.listFollowers, following: raw.listFollowing, get: raw.getProfile, named: raw.getNamedProfile, patch: raw.patchProfile },
  proposals: { get: raw.getProposal, syncExecution: raw.syncExecution, syncExit: raw.syncExit, syncVote: raw.syncVote },
  raises: { commitments: raw.listCommitments, create: raw.createRaise, get: raw.getRaise, list: raw.listRaises, patch: raw.patchRaise, proposals: raw.listProposals, syncCommitment: raw.syncCommitment, syncFinalization: raw.syncFinalization, syncProposal: raw.syncProposal, syncRefund: raw.syncRefund, syncRegistration: raw.syncRegistration, syncTokenClaim: raw.syncTokenClaim },
  staking: { pool: raw.getStakingPool, pools: raw.listStakingPools, positions: raw.listStakingPositions, syncFunding: raw.syncFunding, syncRewardClaim: raw.syncRewardClaim, syncStake: raw.syncStake, syncUnstake: raw.syncUnstake, syncWithdrawal: raw.syncWithdrawal },
  tokens: { chart: raw.getTokenChart, comments: raw.listTokenComments, create: raw.createToken, creator: raw.getTokenCreator, firstBuyers: raw.listFirstBuyers, get: raw.getToken, getMany: raw.getTokens, holders: raw.listTokenHolders, like: raw.likeToken, list: raw.listTokens, new: raw.listNewTokens, patch: raw.patchToken, postComment: raw.postTokenComment, quote: raw.quoteTrade, revenue: raw.getTokenRevenue, topTraders: raw.listTopTraders, trades: raw.listTokenTrades, trending: raw.listTrendingTokens, unlike: raw.unlikeToken },
  uploads: { get: raw.getUpload, image: raw.uploadImage, metadata: raw.uploadMetadata },
  wallets: { stats: raw.getWalletStats },
  watchlists: { list: raw.listWatchedTokens, unwatch: raw.unwatchToken, watch: raw.watchToken },
}
