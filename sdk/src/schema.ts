// Generated from openapi.yaml and asyncapi.yaml by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk
import type { Address, Amount, Decimal, Hash, Hex, SignedAmount } from './values.ts'

export interface paths {
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens
         * @description Excludes hidden tokens. Supports pages and cursors. All given filters must match; a figure that is unknown is within no range. Shortly after a start of the service a list with filters, or in an order of figures, may answer 503.
         */
        get: operations["listTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/trending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trending tokens
         * @description Ordered by traded volume with a weight that decays hourly. Same order as sort=trending of the token list.
         */
        get: operations["listTrendingTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List new tokens
         * @description Latest launch first. Same order as sort=newest of the token list.
         */
        get: operations["listNewTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a token
         * @description With `risk`, which lists leave out. Also returns hidden tokens, with `hidden` true.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the metadata of a token
         * @description For the wallet that launched the token, and for operators. On-chain data of the token does not change.
         */
        patch: operations["patchToken"];
        trace?: never;
    };
    "/tokens/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get many tokens
         * @description In the order of the addresses, each once. Changes nothing: the addresses are in the body because a URL is too short for them. Tokens that were not launched are left out; hidden ones are returned, with `hidden` true.
         */
        post: operations["getTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Quote a trade and prepare its call
         * @description Computed with the contracts’ arithmetic, exact to the base unit; in pools of other launchpads by a node, at the newest block. 409 if the token cannot be traded now: its curve is completed and its pool not open, or no router is known for its pool. 422 if this amount cannot be traded, or this service cannot trade with tokens of the launchpad.
         */
        get: operations["quoteTrade"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the comments on a token
         * @description Newest first, including replies. `parentId` selects one thread, or the comments that started a thread. Excludes deleted comments, hidden comments and those of banned wallets. Their replies stay: a removed comment that started a thread is returned as `removed`, without text and author, while it has replies.
         */
        get: operations["listTokenComments"];
        put?: never;
        /**
         * Comment on a token
         * @description Notifies the creator of the token, or the author of the parent comment. If the same wallet repeats the same text in the same place within a minute (a double click, a retry), the existing comment is returned.
         */
        post: operations["postTokenComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the candles of a token
         * @description A series without gaps since the launch: an interval without trades keeps the price. Candles below a minute begin an hour ago. An operator may have archived or removed old candles shorter than a day: the series then begins after them, and is empty if `to` is before.
         */
        get: operations["getTokenChart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the trades of a token
         * @description Newest first: trades on the curve and, after graduation, in the pool. A trade is listed if it meets all conditions.
         */
        get: operations["listTokenTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the holders of a token
         * @description Ordered by balance, highest first. The balances add up to the total supply; addresses other than plain wallets have a label. With `at`, balances after an earlier block: by undoing later transfers, as far as 20,000 logs reach, and within the quota of the operation.
         */
        get: operations["listTokenHolders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/revenue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the creator fees of a token
         * @description What its trades earned for its creator, and what was paid out. A split of the fees, or a transfer of the right to them, counts from the next payout on, as on the chain.
         */
        get: operations["getTokenRevenue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync the launch of a token
         * @description After launching on the chain, send the transaction hash. The service indexes the transaction immediately and returns the tokens that your wallet launched in it. The metadata in the body can be changed later.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/like": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Like a token
         * @description Idempotent. You will be notified of the token’s graduation.
         */
        post: operations["likeToken"];
        /**
         * Unlike a token
         * @description Idempotent. You will not be notified of the token’s graduation.
         */
        delete: operations["unlikeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/first-buyers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the first buyers of a token
         * @description The first 50 wallets that bought it, in order, with their first purchase and what they hold now; of the first 500 trades. Flags say how they bought.
         */
        get: operations["listFirstBuyers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/top-traders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the top traders of a token
         * @description Highest first, with profit at average cost, as in the portfolio: received tokens have no cost and make no profit. Sales in a pool by an unknown seller count for nobody.
         */
        get: operations["listTopTraders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/creator": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a token’s creator
         * @description What became of the tokens that its creator launched: the latest 1,000, hidden ones included.
         */
        get: operations["getTokenCreator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List on-chain actions of wallets
         * @description Trades and all other actions, newest first. All given filters apply.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/buy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a buy
         * @description After a buy on the chain, send its transaction hash. The service indexes the transaction immediately and returns the buys that your wallet made in it. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncBuy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sell": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a sell
         * @description After a sell on the chain, send its transaction hash. The service indexes the transaction immediately and returns the sells that your wallet made in it. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncSell"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search tokens and wallets
         * @description Finds tokens by name, symbol or address, and wallets by address or username. Excludes hidden tokens, and banned wallets by username.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leaderboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rank wallets by volume or profit
         * @description Wallets that traded within the period, by traded volume or by realized profit, highest first. With launchpad, figures and ranks are those of the trades on it.
         */
        get: operations["listLeaderboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get platform statistics
         * @description Statistics of the last day and of all time, and the state of the indexer.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/launchpads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get statistics by launchpad
         * @description Statistics of the last day and of all time, of each kind of launchpad that has launched a token. The one with the most volume comes first.
         */
        get: operations["listLaunchpadStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List volume and fees by day
         * @description Volume, trades and fees of each day (UTC), of all launchpads or of one kind, for aggregators that read a day at a time.
         */
        get: operations["listDailyStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portfolio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a wallet’s portfolio
         * @description Holdings, launched tokens, stakes and commitments of `wallet`; default: the authenticated wallet. Profit uses average cost: the proceeds of a sale less the average cost of the tokens that the wallet bought. Received tokens have no cost and make no profit; sent tokens take their cost with them.
         */
        get: operations["getPortfolio"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portfolio/holdings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all token holdings of a wallet
         * @description In the order in which the service first saw the launches, without a maximum. For `wallet`; default: the authenticated wallet.
         */
        get: operations["listHoldings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portfolio/holdings/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a wallet’s holding of a token
         * @description With a balance of 0 if the wallet holds none any more, and null if it never held any. For `wallet`; default: the authenticated wallet.
         */
        get: operations["getHolding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how a wallet traded
         * @description In a period, and on each of its days. Profit uses average cost, as in the portfolio: received tokens have no cost and make no profit. Any address has statistics; those of a wallet that never traded are zero.
         */
        get: operations["getWalletStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/market/external/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get market data of an external token
         * @description Third-party data on a token that was not launched here. For display only, not for settlement; nothing here is computed from it. `stale` is true if the data is older than its freshness limit because the provider is slow or down. 409 for a token launched here: use /tokens/{address}.
         */
        get: operations["getExternalMarket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/market/external/{address}/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List candles of an external token
         * @description Third-party candles in US dollars of a token that was not launched here. For display only, not for settlement. 409 for a token launched here: use /tokens/{address}/chart.
         */
        get: operations["getExternalChart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List raises
         * @description Latest first. All given filters apply. A status changes with the chain’s clock, so a later page may lack raises that changed status meanwhile.
         */
        get: operations["listRaises"];
        put?: never;
        /**
         * Sync the creation of a raise
         * @description After creating the raise on the chain, send the transaction hash. The service indexes the transaction immediately and returns the raises that your wallet created in it. The other fields are stored with these raises and can be changed later.
         */
        post: operations["createRaise"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a raise
         * @description State as of the newest block. Includes the commitment of the authenticated wallet.
         */
        get: operations["getRaise"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the texts of a raise
         * @description For the wallet that created the raise, and for operators. Terms and title are on the chain and cannot be changed. `describedAt` is the time of the last change of the other texts.
         */
        patch: operations["patchRaise"];
        trace?: never;
    };
    "/raises/{id}/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the proposals of a raise
         * @description Latest first. A state changes with the chain’s clock, so a later page may lack proposals that changed state meanwhile.
         */
        get: operations["listProposals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proposals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a proposal
         * @description State as of the newest block. Includes the vote of the authenticated wallet.
         */
        get: operations["getProposal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises/{id}/commitments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the commitments to a raise
         * @description Largest first. Excludes wallets that are only registered.
         */
        get: operations["listCommitments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises/{id}/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a registration
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns your wallet’s actions on this raise in it. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises/{id}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a commitment
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns your wallet’s actions on this raise in it. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncCommitment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises/{id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a claim of tokens
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns your wallet’s actions on this raise in it. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncTokenClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises/{id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a refund
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns your wallet’s actions on this raise in it. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises/{id}/finalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a finalization
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns your wallet’s actions on this raise in it. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncFinalization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/raises/{id}/propose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a proposal
         * @description After proposing on the chain, send the transaction hash. The service indexes the transaction immediately and returns the proposals to this raise that your wallet created in it. A description is stored only until the first vote.
         */
        post: operations["syncProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proposals/{id}/vote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a vote
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns your wallet’s actions on this proposal in it, and the updated proposal.
         */
        post: operations["syncVote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proposals/{id}/exit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync an exit from a raise
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns your wallet’s actions on this proposal in it, and the updated proposal.
         */
        post: operations["syncExit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proposals/{id}/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync the execution of a proposal
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns your wallet’s actions on this proposal in it, and the updated proposal.
         */
        post: operations["syncExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/staking/pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the staking pools
         * @description Latest first.
         */
        get: operations["listStakingPools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/staking/pools/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a staking pool
         * @description Figures are as of the newest block.
         */
        get: operations["getStakingPool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/staking/positions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the staking positions of a wallet
         * @description For `wallet`, without authentication; default: the authenticated wallet. Most recently used positions first. Empty positions are included, with the rewards that they claimed.
         */
        get: operations["listStakingPositions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/staking/stake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a stake
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns the stakes that your wallet made in it, with the updated pools and positions. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncStake"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/staking/unstake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a request to unstake
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns the requests that your wallet made in it, with the updated pools and positions. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncUnstake"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/staking/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a withdrawal
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns the withdrawals that your wallet made in it, with the updated pools and positions. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/staking/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a claim of rewards
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns the claims that your wallet made in it, with the updated pools and positions. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncRewardClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/staking/fund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a funding
         * @description After the transaction is sent to the chain, send its hash. The service indexes the transaction immediately and returns the fundings that your wallet made in it, with the updated pools and positions. 425 if the transaction is not mined yet; retry.
         */
        post: operations["syncFunding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a wallet’s profile
         * @description Every address has a profile. Username, bio and avatar of a banned wallet are not returned.
         */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/named/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the profile with a username
         * @description A name that only looks like the username of a wallet is 404, like that of a banned wallet.
         */
        get: operations["getNamedProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/{wallet}/created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens launched by a wallet
         * @description Newest first. Excludes hidden tokens.
         */
        get: operations["listCreatedTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the feed
         * @description Activity of all wallets or of those that you follow, latest first. Excludes hidden tokens and hidden comments.
         */
        get: operations["listFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/{wallet}/followers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the followers of a wallet
         * @description Latest follow first.
         */
        get: operations["listFollowers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/{wallet}/following": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List wallets that a wallet follows
         * @description Latest follow first.
         */
        get: operations["listFollowing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the names and avatars of many wallets
         * @description Such as those of a page of trades. Changes nothing: the addresses are in the body because a URL is too short for them. Wallets without a name and an avatar are left out, as are banned ones.
         */
        post: operations["listAuthors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update your profile
         * @description 409 if another wallet has the username, or one that looks like it.
         */
        patch: operations["patchProfile"];
        trace?: never;
    };
    "/follows/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Follow a wallet
         * @description Idempotent. 409 beyond 1000 followed wallets.
         */
        post: operations["followWallet"];
        /**
         * Unfollow a wallet
         * @description Removes its activity from your feed. Idempotent.
         */
        delete: operations["unfollowWallet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/comments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete your comment
         * @description Replies stay; the comment is kept as a `removed` placeholder for them. Its text is erased; if it has open reports, with the last decision on them. 403 for comments of other wallets.
         */
        delete: operations["deleteComment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/comments/{id}/like": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Like a comment
         * @description Idempotent.
         */
        post: operations["likeComment"];
        /**
         * Unlike a comment
         * @description Returns the remaining number of likes. Idempotent.
         */
        delete: operations["unlikeComment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/comments/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a comment to the operators
         * @description Once per wallet; 409 after that. Only operators can see the reporter.
         */
        post: operations["reportComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your notifications
         * @description Newest first. Notifications of a comment are removed with the comment.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark notifications as read
         * @description Ids of other wallets’ notifications are ignored.
         */
        post: operations["readNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/watchlists/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put a token on your watchlist
         * @description Idempotent. 409 beyond 500 tokens.
         */
        put: operations["watchToken"];
        post?: never;
        /**
         * Take a token from your watchlist
         * @description Idempotent.
         */
        delete: operations["unwatchToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/watchlists/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens on your watchlist
         * @description The newest entry first. Includes hidden tokens.
         */
        get: operations["listWatchedTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your alerts
         * @description Newest first, with those that have triggered. With `token`, only alerts about it.
         */
        get: operations["listAlerts"];
        put?: never;
        /**
         * Create an alert
         * @description Prices and graduations are checked with each trade after the creation, also if the price is beyond the value already; an alert triggers once, and again if a reorg takes that trade back. An alert about a wallet notifies of each of its trades. An equal alert that still waits is returned instead of another one. 409 beyond 100 alerts.
         */
        post: operations["createAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete your alert
         * @description Notifications that it caused stay. 404 for alerts of other wallets, which are private.
         */
        delete: operations["deleteAlert"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an uploaded file
         * @description A file never changes and can be cached indefinitely. Supports Range.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an image
         * @description The image type is detected from the content; name and declared type are ignored. The image is re-encoded as WebP without metadata; of an animation, the first frame is kept. The same image always has the same address.
         */
        post: operations["uploadImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload the metadata of a token
         * @description An ERC-7572 document. Use the returned uri as contractURI of the launch. Direction marks and invisible characters are removed from its texts, as from on-chain texts.
         */
        post: operations["uploadMetadata"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ambassador-applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply to become an ambassador
         * @description Requires no sign-in. 409 while another application with the same e-mail address or wallet is undecided. The response contains none of the submitted data. A rejected body (400, 413, 415) does not count towards the quota `ambassador`.
         */
        post: operations["applyAsAmbassador"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/nonce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a message to sign
         * @description The message is valid for one login attempt, within five minutes.
         */
        post: operations["issueNonce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a signed message for a token
         * @description Consumes the nonce, even if the login fails. Accepts signatures of keys and of smart accounts.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a token for the session of this browser
         * @description For web clients on the origin of the service: after a login with `remember`, a reloaded page or another tab gets its token here, without a signature. Requests of other origins are refused.
         */
        post: operations["refreshToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the authenticated wallet
         * @description Returns the wallet, its roles, and the expiry of the token. Also available to banned wallets.
         */
        get: operations["getIdentity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the token
         * @description Revokes the token of this request on every replica, and with it the session of a login with `remember`: the cookie and the tokens of all tabs. Other tokens of the wallet stay valid. The cookie of another wallet stays.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/tokens/{address}/hide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hide a token from all lists
         * @description The token is returned by address in either case. One of a removed launchpad stays hidden until that is added again.
         */
        post: operations["hideToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/tokens/{address}/unhide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unhide a token
         * @description The token is returned by address in either case. One of a removed launchpad stays hidden until that is added again.
         */
        post: operations["unhideToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/comments/{id}/hide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hide a comment
         * @description Upholds the open reports of the comment. A deleted comment can be hidden while it has open reports, and its text is then erased.
         */
        post: operations["hideComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/comments/{id}/unhide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unhide a comment
         * @description Decisions on reports of the comment stay unchanged.
         */
        post: operations["unhideComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallets/{wallet}/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ban a wallet
         * @description A banned wallet may read but not write. Its comments and its username, bio and avatar are no longer returned. 409 for operators.
         */
        post: operations["banWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallets/{wallet}/unban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unban a wallet
         * @description The wallet’s comments are returned again.
         */
        post: operations["unbanWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List banned wallets
         * @description Latest ban first, with its operator and reason. The audit log also has bans that have ended.
         */
        get: operations["listBans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reports of comments
         * @description Latest first. Returns open reports by default.
         */
        get: operations["listReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reports/{id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismiss a report
         * @description To uphold a report, hide the comment. The text of a deleted comment is erased with the last decision. 409 if the report is already decided.
         */
        post: operations["dismissReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/ambassador-applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List ambassador applications
         * @description Latest first. No other list returns the applicants’ personal data.
         */
        get: operations["listAmbassadorApplications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/ambassador-applications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase an ambassador application
         * @description Deletes the application with its personal data. The audit log records the erasure and the operator.
         */
        delete: operations["eraseAmbassadorApplication"];
        options?: never;
        head?: never;
        /**
         * Approve or reject an ambassador application
         * @description Notifies the wallet of the application, if it has one. 409 if the application is already decided.
         */
        patch: operations["reviewAmbassadorApplication"];
        trace?: never;
    };
    "/admin/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the followed contracts
         * @description Those that DEPLOYMENTS names, then those that operators have added, with the progress of their history.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Follow another contract
         * @description Without a restart: the indexer indexes new launches within seconds, and the history of this contract alone beside them. Idempotent; a contract that was removed is shown again. A launchpad can be added, the contract whose events name the pools of its tokens, and a router. DEPLOYMENTS has to name others: a price feed or a wrapped native coin has a part in every amount that is indexed already, and pools of stakes and raises cannot be hidden. 422 if the address has no contract of this kind, or its first events would be missed; 409 if it is followed as something else.
         */
        post: operations["addDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/deployments/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a contract
         * @description Hides the tokens of a launchpad, also those that it launches later, as if operators had hidden each: they are in no list, and returned by address. It stays indexed, so adding it again shows them at once. Idempotent. 409 for a contract that DEPLOYMENTS names, or that a followed launchpad needs.
         */
        delete: operations["removeDeployment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Actions of operators and labs members, latest first. An entry is written in the transaction of its action and never changes.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/labs/tokens/{address}/feature": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Feature a token
         * @description Sets `featured` of the token. Idempotent.
         */
        post: operations["featureToken"];
        /**
         * Unfeature a token
         * @description Clears `featured` of the token; the token stays in all lists. The audit log records the wallet.
         */
        delete: operations["unfeatureToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/labs/raises/{id}/feature": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Feature a raise
         * @description Sets `featured` of the raise. Idempotent.
         */
        post: operations["featureRaise"];
        /**
         * Unfeature a raise
         * @description Clears `featured` of the raise. Idempotent.
         */
        delete: operations["unfeatureRaise"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/dexscreener/latest-block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the latest block for DEX Screener
         * @description Events up to this block are complete and final. Indexers read each block once, so blocks that a reorg could still change are excluded. FINALITY sets when a block is final.
         */
        get: operations["dexScreenerLatestBlock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/dexscreener/asset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an asset for DEX Screener
         * @description A token that was launched here, or an asset in which tokens are priced, such as the wrapped native coin. 404 for a hidden token.
         */
        get: operations["dexScreenerAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/dexscreener/pair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a pair for DEX Screener
         * @description A token’s address returns its curve; a pool’s address returns the Uniswap V2 pool of a graduated token. Both pairs have the same assets. A pair never changes. 404 for a pair of a hidden token.
         */
        get: operations["dexScreenerPair"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/dexscreener/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events by block for DEX Screener
         * @description Swaps on curves and in pools, and liquidity that a graduation moves from curve to pool. At most 10000 blocks per request. At most 5000 events, unless the range is one block; beyond that, 400 asks for fewer blocks. Excludes swaps with one amount rounded to zero, and swaps of hidden tokens.
         */
        get: operations["dexScreenerEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/geckoterminal/latest-block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the latest block for GeckoTerminal
         * @description Events up to this block are complete and final. Indexers read each block once, so blocks that a reorg could still change are excluded. FINALITY sets when a block is final.
         */
        get: operations["geckoTerminalLatestBlock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/geckoterminal/asset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an asset for GeckoTerminal
         * @description A token that was launched here, or an asset in which tokens are priced, such as the wrapped native coin. 404 for a hidden token.
         */
        get: operations["geckoTerminalAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/geckoterminal/pair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a pair for GeckoTerminal
         * @description A token’s address returns its curve; a pool’s address returns the Uniswap V2 pool of a graduated token. Both pairs have the same assets. A pair never changes. 404 for a pair of a hidden token.
         */
        get: operations["geckoTerminalPair"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/geckoterminal/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events by block for GeckoTerminal
         * @description Swaps on curves and in pools, and liquidity that a graduation moves from curve to pool. At most 10000 blocks per request. At most 5000 events, unless the range is one block; beyond that, 400 asks for fewer blocks. Excludes swaps with one amount rounded to zero, and swaps of hidden tokens.
         */
        get: operations["geckoTerminalEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/coingecko/tickers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tickers of all markets for CoinGecko
         * @description One ticker for each token traded in the last 24 hours, for its current market (curve or pool). A price is the traded native coin divided by the traded tokens.
         */
        get: operations["coingeckoTickers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/coingecko/historical_trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trades of a market for CoinGecko
         * @description Trades on the curve and, after graduation, in the pool. start_time and end_time are inclusive.
         */
        get: operations["coingeckoHistoricalTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/udf/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the chart feed’s configuration
         * @description The first request of TradingView’s charting library to a feed.
         */
        get: operations["udfConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/udf/symbols": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a symbol of the chart feed
         * @description Token symbols are not unique, so the ticker is the token’s address. Prices are in native coin. If there is a price feed, the suffix `:USD` selects prices in US dollars, and `:MC` the market capitalisation in US dollars.
         */
        get: operations["udfSymbol"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/udf/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search symbols of the chart feed
         * @description Searches by name, symbol or address, ranked as in /search. Matches have prices in native coin, or in US dollars if the query ends with `/USD`. They are market capitalisations if it ends with `/MC`, or if `type` is `fundamental`. Another exchange or type returns an empty list.
         */
        get: operations["udfSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/udf/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bars of a chart
         * @description Bars that start between `from` and `to`, both inclusive, or the last `countback` bars up to `to`. Bars start at the launch and have no gaps; each opens at the previous close. Bars of seconds start an hour ago. `s` is `no_data` if there are none. Without `countback`, `from` is required and must not be after `to`.
         */
        get: operations["udfHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/udf/marks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the marks of a chart
         * @description Launch and graduation of a token, each at its bar in this resolution.
         */
        get: operations["udfMarks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/udf/time": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the server time for charts
         * @description The charting library uses it for the countdown to the end of a bar.
         */
        get: operations["udfTime"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/tokenlist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the token list
         * @description Final tokens in Uniswap’s token list format, oldest first. Version changes: major for a removed token, minor for an added token, patch for a changed image. 404 if the list is empty, which the format does not allow.
         */
        get: operations["getTokenList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/tokenlist.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the token list by a .json path
         * @description Final tokens in Uniswap’s token list format, oldest first. Version changes: major for a removed token, minor for an added token, patch for a changed image. 404 if the list is empty, which the format does not allow.
         */
        get: operations["getTokenListFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/og/token/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a token’s link preview image
         * @description An image with the token’s name, price, market cap, progress, and chart and price change of the last 24 hours. For an unknown or malformed address, or a hidden token, the service’s own card is returned with status 200.
         */
        get: operations["getTokenCard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/og/pnl/{token}/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the image of a wallet’s profit on a token
         * @description An image to share: profit of sales and of what is held, in the quote asset and as a share of what was paid, with what was bought, sold and is held. For an unknown, malformed or hidden token, or a wallet that did not trade it, the service’s own card is returned with status 200.
         */
        get: operations["getProfitCard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rpc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the node by JSON-RPC
         * @description A JSON-RPC 2.0 proxy for single calls and batches, without the envelope of other operations: errors are JSON-RPC errors with status 200. Supports methods that read the chain or fees, and eth_sendRawTransaction. Filters, subscriptions and the node’s own accounts return -32601. At most 50 calls in a batch, 128 KB in a request, 10 MB in a response.
         */
        post: operations["callNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the configuration for web clients
         * @description The chain, its contracts with their start blocks, the sign-in domain, limits and brand: all that a client needs besides the base URL.
         */
        get: operations["getConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config/abis/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the ABI of a contract
         * @description For encoding calls to the contract and decoding its events. The contract addresses are in /config.
         */
        get: operations["getAbi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the health of all dependencies
         * @description 503 names the failed checks among database, cache, rpc, indexer and keeper, with the reasons. cache fails also if it refuses writes. rpc fails if no node answers, or if the newest block is too old for the chain. indexer fails if it has halted, cannot write, is too far behind, if it makes no progress for 15 s because its steps fail, hang or find nothing certain, with node and method in the message if a node is to blame, if no active indexer has sent a heartbeat for 30 s, or during the first backfill, with its progress in the message. keeper fails if graduations have not gone on for 60 s. A read replica that lags, is down or was promoted is reported but fails no check: the primary serves its reads. Checked at most once per second for all clients.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process runs
         * @description Checks no dependency: an orchestrator restarts the process if this fails.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that this replica can serve requests
         * @description Fails if neither the primary database nor the read replica can be read. A read replica serves anonymous reads while the primary is down. Most requests work without the cache, a node or an indexer, and other replicas have the same ones; /health reports these. Checked at most once per second.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metrics for Prometheus
         * @description Prometheus text format: requests by operation, connections, caches, the indexer, nodes and the process. Rendered at most once per second for all clients. Not available here if the operator has configured a separate metrics port.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description Public name and avatar of a wallet.
         * @example {
         *       "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "username": "harbour_cat",
         *       "avatarUrl": "https://images.example.org/cat.webp"
         *     }
         */
        Author: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            username: string | null;
            avatarUrl: string | null;
        };
        /**
         * @description A comment on a token.
         * @example {
         *       "id": "1024",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "author": {
         *         "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *         "username": "harbour_cat",
         *         "avatarUrl": null
         *       },
         *       "text": "The cat is back on the slipway. See https://hcat.example.org",
         *       "parentId": null,
         *       "likeCount": 3,
         *       "replyCount": 1,
         *       "likedByMe": null,
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "hidden": false,
         *       "removed": false
         *     }
         */
        Comment: {
            /** @example 1024 */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            author: components["schemas"]["Author"] | null;
            /** @description Plain text. Clients must not render it as markup. Empty only for a removed comment. */
            text: string;
            parentId: string | null;
            likeCount: number;
            /** @description Replies in the thread that this comment started. */
            replyCount: number;
            likedByMe: boolean | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            /** @description Whether an operator hid the comment. Always false in public lists. */
            hidden: boolean;
            /** @description The comment was deleted or hidden and is kept as a placeholder while it has replies. Show it as “removed”. It cannot be answered, liked or reported. */
            removed: boolean;
        };
        /**
         * @description A wallet’s commitment to a raise. blockNumber, txHash and logIndex are those of its last action there.
         * @example {
         *       "raiseId": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "title": "A harbour for cats",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "registered": false,
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "amount": "2000000000000000000",
         *       "status": "finalized",
         *       "sharePct": 25,
         *       "claimed": true,
         *       "tokensClaimed": "250000000000000000000",
         *       "claimable": "0",
         *       "refunded": false,
         *       "refundedAmount": "0",
         *       "refundable": "0",
         *       "exited": false,
         *       "exitable": "1500000000000000000",
         *       "tokensOwed": "0",
         *       "blockNumber": 22410004,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 17,
         *       "confirmed": true
         *     }
         */
        Commitment: {
            /**
             * @description Id of a raise: its contract address and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            raiseId: string;
            title: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            registered: boolean;
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Native coin: committed by the wallet; also its voting weight until it leaves. A refund does not change it.
             * @example 1000000000000000000
             */
            amount: Amount;
            /**
             * @description Status of the raise.
             * @enum {string}
             */
            status: "upcoming" | "registration" | "active" | "succeeded" | "failed" | "finalized" | "cancelled";
            sharePct: number | null;
            claimed: boolean;
            /**
             * @description Tokens: claimed by the wallet.
             * @example 1000000000000000000
             */
            tokensClaimed: Amount;
            /**
             * @description Tokens: that a claim would pay now.
             * @example 1000000000000000000
             */
            claimable: Amount;
            refunded: boolean;
            /**
             * @description Native coin: refunded to the wallet.
             * @example 1000000000000000000
             */
            refundedAmount: Amount;
            /**
             * @description Native coin: that a refund would pay now.
             * @example 1000000000000000000
             */
            refundable: Amount;
            /** @description Whether the wallet has left with its share of what was unreleased. */
            exited: boolean;
            /**
             * @description Native coin: its share of what is unreleased: an exit before a release sets it aside.
             * @example 1000000000000000000
             */
            exitable: Amount;
            /**
             * @description Tokens: that a refund takes back, by allowance, if the wallet has claimed: after an exit, or of a dissolved raise.
             * @example 1000000000000000000
             */
            tokensOwed: Amount;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /**
         * @description The last candles of a token’s charts, after a trade or a retraction of one.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "candles": {
         *         "1m": {
         *           "time": 1795168500,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
         *           "volumeQuote": "120000000000000000",
         *           "volumeUsd": 360,
         *           "trades": 3
         *         },
         *         "5m": {
         *           "time": 1795168500,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
         *           "volumeQuote": "120000000000000000",
         *           "volumeUsd": 360,
         *           "trades": 3
         *         },
         *         "15m": {
         *           "time": 1795167900,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
         *           "volumeQuote": "120000000000000000",
         *           "volumeUsd": 360,
         *           "trades": 3
         *         },
         *         "30m": {
         *           "time": 1795167000,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
         *           "volumeQuote": "120000000000000000",
         *           "volumeUsd": 360,
         *           "trades": 3
         *         },
         *         "1h": {
         *           "time": 1795165200,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
         *           "volumeQuote": "120000000000000000",
         *           "volumeUsd": 360,
         *           "trades": 3
         *         },
         *         "4h": {
         *           "time": 1795161600,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
         *           "volumeQuote": "120000000000000000",
         *           "volumeUsd": 360,
         *           "trades": 3
         *         },
         *         "1d": {
         *           "time": 1795132800,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
         *           "volumeQuote": "120000000000000000",
         *           "volumeUsd": 360,
         *           "trades": 3
         *         }
         *       }
         *     }
         */
        CurrentCandles: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            quote: components["schemas"]["QuoteAsset"];
            /**
             * CurrentCandlesCandles
             * @description The last candle of the chart in native coin, by interval. It replaces the candle with the same time.
             */
            candles: {
                /** CurrentCandlesCandles1m */
                "1m": {
                    /** @description Start of the candle, in Unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Volume in native coin, in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: Amount;
                    /**
                     * @description Volume in the quote asset, in base units.
                     * @example 1000000000000000000
                     */
                    volumeQuote: Amount;
                    volumeUsd: number | null;
                    trades: number;
                };
                /** CurrentCandlesCandles5m */
                "5m": {
                    /** @description Start of the candle, in Unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Volume in native coin, in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: Amount;
                    /**
                     * @description Volume in the quote asset, in base units.
                     * @example 1000000000000000000
                     */
                    volumeQuote: Amount;
                    volumeUsd: number | null;
                    trades: number;
                };
                /** CurrentCandlesCandles15m */
                "15m": {
                    /** @description Start of the candle, in Unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Volume in native coin, in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: Amount;
                    /**
                     * @description Volume in the quote asset, in base units.
                     * @example 1000000000000000000
                     */
                    volumeQuote: Amount;
                    volumeUsd: number | null;
                    trades: number;
                };
                /** CurrentCandlesCandles30m */
                "30m": {
                    /** @description Start of the candle, in Unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Volume in native coin, in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: Amount;
                    /**
                     * @description Volume in the quote asset, in base units.
                     * @example 1000000000000000000
                     */
                    volumeQuote: Amount;
                    volumeUsd: number | null;
                    trades: number;
                };
                /** CurrentCandlesCandles1h */
                "1h": {
                    /** @description Start of the candle, in Unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Volume in native coin, in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: Amount;
                    /**
                     * @description Volume in the quote asset, in base units.
                     * @example 1000000000000000000
                     */
                    volumeQuote: Amount;
                    volumeUsd: number | null;
                    trades: number;
                };
                /** CurrentCandlesCandles4h */
                "4h": {
                    /** @description Start of the candle, in Unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Volume in native coin, in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: Amount;
                    /**
                     * @description Volume in the quote asset, in base units.
                     * @example 1000000000000000000
                     */
                    volumeQuote: Amount;
                    volumeUsd: number | null;
                    trades: number;
                };
                /** CurrentCandlesCandles1d */
                "1d": {
                    /** @description Start of the candle, in Unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Volume in native coin, in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: Amount;
                    /**
                     * @description Volume in the quote asset, in base units.
                     * @example 1000000000000000000
                     */
                    volumeQuote: Amount;
                    volumeUsd: number | null;
                    trades: number;
                };
            };
        };
        /**
         * @description A notification for a wallet.
         * @example {
         *       "id": "512",
         *       "type": "comment",
         *       "actor": {
         *         "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *         "username": "gull",
         *         "avatarUrl": null
         *       },
         *       "subject": "1024",
         *       "token": {
         *         "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *         "name": "Harbour Cat",
         *         "symbol": "HCAT",
         *         "imageUrl": "https://images.example.org/hcat.webp",
         *         "decimals": 18
         *       },
         *       "payload": {
         *         "text": "The cat is back on the slipway.",
         *         "parentId": null
         *       },
         *       "readAt": null,
         *       "createdAt": "2026-11-21T12:00:00.000Z"
         *     }
         */
        Notification: {
            /** @example 1024 */
            id: string;
            /**
             * @description comment: comment on your token; reply: reply to your comment; comment_like: like of your comment; token_like: like of your token; follow: new follower; trade_on_my_token: trade of your token by another wallet; followed_creator_launched: launch by a wallet that you follow; graduated: graduation of a token that you launched or like; price_alert: an alert about the price or the price change of a token, in `payload.alert`; graduation_alert: an alert about the graduation of a token; trade_alert: a trade by a wallet that you have an alert about; reward_funded: funding of a pool that you stake in; raise_opened: raise by a creator that you follow; raise_finalized: success of a raise that you committed to; raise_failed: a raise that you committed to missed its goal and can be refunded; raise_cancelled: a raise that you committed to was cancelled and can be refunded; raise_dissolved: the remaining escrow of a raise that you committed to can be refunded; raise_proposal_opened: new proposal in a raise that you committed to; raise_proposal_passed: a release that you did not vote for has passed, and you can leave the raise with your share until it is executed; raise_proposal_executed: payout of a proposal in a raise that you committed to; ambassador_approved: your application; ambassador_rejected: your application.
             * @example comment
             * @enum {string}
             */
            type: "comment" | "reply" | "comment_like" | "token_like" | "follow" | "trade_on_my_token" | "followed_creator_launched" | "graduated" | "price_alert" | "graduation_alert" | "trade_alert" | "reward_funded" | "raise_opened" | "raise_finalized" | "raise_failed" | "raise_cancelled" | "raise_dissolved" | "raise_proposal_opened" | "raise_proposal_passed" | "raise_proposal_executed" | "ambassador_approved" | "ambassador_rejected";
            actor: components["schemas"]["Author"] | null;
            /** @description Subject of the notification: the comment id for comment, reply and comment_like; the wallet for follow; otherwise the address of the token or the id of the raise, pool or application. */
            subject: string;
            token: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
                name: string;
                symbol: string;
                imageUrl: string | null;
                /** @description Of its amounts. */
                decimals: number;
            } | null;
            /** @description Further data by type: text and parentId for comments; side, amounts, title, proposal (its id) and chain position for on-chain events; executableAt for raise_proposal_passed. */
            payload: {
                [key: string]: unknown;
            };
            readAt: string | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
        };
        /**
         * @description The result of marking notifications as read.
         * @example {
         *       "read": 1,
         *       "unreadCount": 0
         *     }
         */
        NotificationsRead: {
            /** @description Number of notifications that were unread before. */
            read: number;
            /**
             * @description Number of unread notifications, capped at 1000.
             * @example 2
             */
            unreadCount: number;
        };
        /**
         * @description The asset in which amounts other than token amounts are counted.
         * @example {
         *       "address": "0x0000000000000000000000000000000000000000",
         *       "symbol": "ETH",
         *       "decimals": 18
         *     }
         */
        QuoteAsset: {
            /**
             * @description Contract of the asset; the zero address is the native coin.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
            /** @example ETH */
            symbol: string;
            /** @example 18 */
            decimals: number;
        };
        /**
         * @description A token sale whose proceeds are released by votes. blockNumber, txHash and logIndex are those of its creation.
         * @example {
         *       "id": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "contract": "0x0165878a594ca255338adfa4d48449f69242eb8f",
         *       "number": "1",
         *       "creator": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "tokenName": "Harbour Cat",
         *       "tokenSymbol": "HCAT",
         *       "title": "A harbour for cats",
         *       "description": "Moorings, and fish.",
         *       "imageUrl": null,
         *       "links": {
         *         "website": "https://hcat.example.org",
         *         "twitter": null,
         *         "telegram": null,
         *         "discord": null
         *       },
         *       "describedAt": "2026-11-10T11:59:12.000Z",
         *       "metadataUri": "ipfs://harbour",
         *       "featured": false,
         *       "status": "finalized",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "tokenAmount": "1000000000000000000000",
         *       "goalMin": "4000000000000000000",
         *       "goalMax": "10000000000000000000",
         *       "walletMin": "0",
         *       "walletMax": "10000000000000000000",
         *       "totalCommitted": "8000000000000000000",
         *       "totalCommittedUsd": 24000,
         *       "progressPct": 80,
         *       "participantCount": 2,
         *       "registrationRequired": false,
         *       "registrationStart": null,
         *       "registeredCount": 0,
         *       "startAt": "2026-11-10T12:00:00.000Z",
         *       "endAt": "2026-11-17T12:00:00.000Z",
         *       "finalizedAt": "2026-11-17T12:04:11.000Z",
         *       "cancelledAt": null,
         *       "lastReleaseAt": "2026-11-20T12:10:00.000Z",
         *       "releasable": "0",
         *       "dissolvedAt": null,
         *       "released": "2000000000000000000",
         *       "escrow": "6000000000000000000",
         *       "refunded": "0",
         *       "remainingCommitted": "8000000000000000000",
         *       "exited": "0",
         *       "tokensClaimed": "250000000000000000000",
         *       "tokensReclaimable": "0",
         *       "quorumBps": 4000,
         *       "votingDelaySeconds": 3600,
         *       "votingPeriodSeconds": 86400,
         *       "exitWindowSeconds": 86400,
         *       "releasePeriodSeconds": 604800,
         *       "releaseBps": 2500,
         *       "proposalCount": 2,
         *       "myCommitment": null,
         *       "createdAt": "2026-11-10T11:58:00.000Z",
         *       "asOf": "2026-11-21T12:00:00.000Z",
         *       "blockNumber": 22410004,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 17,
         *       "confirmed": true
         *     }
         */
        Raise: {
            /**
             * @description Id of a raise: its contract address and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            id: string;
            /**
             * @description Address of the contract to call.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            contract: Address;
            /**
             * @description Number of the raise in its contract: the argument raiseId of contract calls.
             * @example 1000000000000000000
             */
            number: Amount;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            creator: Address;
            /**
             * @description Token for sale.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            tokenName: string | null;
            tokenSymbol: string | null;
            title: string;
            description: string | null;
            imageUrl: string | null;
            links: {
                website: string | null;
                twitter: string | null;
                telegram: string | null;
                discord: string | null;
            };
            describedAt: string | null;
            /** @description As the chain has it. */
            metadataUri: string;
            featured: boolean;
            /**
             * @description Status at asOf. Only finalized and cancelled are set by transactions; the others follow from time and commitments. succeeded: can be finalized. failed: can be refunded.
             * @enum {string}
             */
            status: "upcoming" | "registration" | "active" | "succeeded" | "failed" | "finalized" | "cancelled";
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Tokens: total for sale, distributed in proportion to commitments.
             * @example 1000000000000000000
             */
            tokenAmount: Amount;
            /**
             * @description Native coin: minimum goal; below it, the raise fails.
             * @example 1000000000000000000
             */
            goalMin: Amount;
            /**
             * @description Native coin: maximum goal; reaching it ends the raise.
             * @example 1000000000000000000
             */
            goalMax: Amount;
            /**
             * @description Native coin: minimum commitment of a wallet.
             * @example 1000000000000000000
             */
            walletMin: Amount;
            /**
             * @description Native coin: maximum commitment of a wallet.
             * @example 1000000000000000000
             */
            walletMax: Amount;
            /**
             * @description Native coin: total commitments.
             * @example 1000000000000000000
             */
            totalCommitted: Amount;
            totalCommittedUsd: number | null;
            /** @description totalCommitted in percent of goalMax. */
            progressPct: number;
            participantCount: number;
            /** @description Whether wallets must register, between registrationStart and startAt. */
            registrationRequired: boolean;
            registrationStart: string | null;
            registeredCount: number;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            startAt: string;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            endAt: string;
            finalizedAt: string | null;
            cancelledAt: string | null;
            dissolvedAt: string | null;
            /**
             * @description Native coin: paid out by proposals.
             * @example 1000000000000000000
             */
            released: Amount;
            lastReleaseAt: string | null;
            /**
             * @description Native coin: that proposals can pay out at asOf, within the limit of the release period.
             * @example 1000000000000000000
             */
            releasable: Amount;
            /**
             * @description Native coin: remaining after payouts of proposals and exits, for a finalized raise; otherwise 0.
             * @example 1000000000000000000
             */
            escrow: Amount;
            /**
             * @description Native coin: commitments of wallets that have not left; they share the escrow, and vote.
             * @example 1000000000000000000
             */
            remainingCommitted: Amount;
            /**
             * @description Native coin: set aside for wallets that left.
             * @example 1000000000000000000
             */
            exited: Amount;
            /**
             * @description Native coin: refunded to committers.
             * @example 1000000000000000000
             */
            refunded: Amount;
            /**
             * @description Tokens: claimed by committers.
             * @example 1000000000000000000
             */
            tokensClaimed: Amount;
            /**
             * @description Tokens: returned by refunds, for the creator to reclaim.
             * @example 1000000000000000000
             */
            tokensReclaimable: Amount;
            /** @description Quorum in basis points of remainingCommitted. */
            quorumBps: number;
            votingDelaySeconds: number;
            votingPeriodSeconds: number;
            /** @description Time between a vote that passed and its execution, in which committers can leave. */
            exitWindowSeconds: number;
            releasePeriodSeconds: number;
            /** @description At most this share of remainingCommitted is released within a release period, in basis points. A period ends when nothing was released for its length. */
            releaseBps: number;
            proposalCount: number;
            myCommitment: components["schemas"]["Commitment"] | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The time of the newest block.
             * @example 2026-11-21T12:00:00.000Z
             */
            asOf: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /**
         * @description A comment that was deleted by its author or hidden by an operator. While it has replies, lists return it as `removed`.
         * @example {
         *       "id": "17",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
         *     }
         */
        RemovedComment: {
            /** @description The id of the comment. */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
        };
        /**
         * @description A notification of an event that a reorg undid. It is no longer listed.
         * @example {
         *       "id": "311"
         *     }
         */
        RetractedNotification: {
            /** @description Id of the notification. */
            id: string;
        };
        /**
         * @description A launch or a graduation that a reorg undid. It may be included again in another block.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "blockNumber": 22414823,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 3
         *     }
         */
        RetractedToken: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
        };
        /**
         * @description A trade that a reorg undid. It may be included again in another block, as a new trade.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "trader": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "side": "buy",
         *       "blockNumber": 22414823,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 11
         *     }
         */
        RetractedTrade: {
            /** @description Id of the retracted trade. */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            trader: Address;
            /**
             * RetractedTradeSide
             * @enum {string}
             */
            side: "buy" | "sell";
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
        };
        /**
         * @description A wallet’s action in a block that a reorg orphaned. It may be included again in another block.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11",
         *       "type": "buy",
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "raise": null,
         *       "proposal": null,
         *       "pool": null,
         *       "blockNumber": 22414823,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 11
         *     }
         */
        RetractedTransaction: {
            /** @description Transaction hash and log index. */
            id: string;
            /**
             * RetractedTransactionType
             * @enum {string}
             */
            type: "create" | "buy" | "sell" | "graduate" | "claim_creator_fee" | "split_creator_fees" | "transfer_fee_right" | "raise_create" | "update_metadata" | "register" | "commit" | "claim_raise" | "refund" | "propose" | "vote" | "execute" | "finalize" | "cancel_raise" | "reclaim_tokens" | "dissolve" | "cancel_proposal" | "exit" | "stake" | "unstake" | "withdraw" | "claim" | "fund";
            /**
             * @description Wallet that acted. For a graduation, which any wallet may trigger, the launchpad.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            token: Address | null;
            raise: string | null;
            proposal: string | null;
            pool: string | null;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
        };
        /**
         * @description How a token was bought at its launch. snipers: within seconds of the first trade. bundlers: several wallets in the block of the launch or in one transaction. insiders: received tokens from the creator, a sniper or a bundler. freshWallets: first seen less than a day before they bought.
         * @example {
         *       "snipers": {
         *         "count": 5,
         *         "pct": 4.189356
         *       },
         *       "bundlers": {
         *         "count": 5,
         *         "pct": 4.189356
         *       },
         *       "insiders": {
         *         "count": 1,
         *         "pct": 0.5
         *       },
         *       "freshWallets": {
         *         "count": 9,
         *         "pct": 7.25
         *       },
         *       "washTradePct": 12.5,
         *       "creatorSoldPct": 3.1
         *     }
         */
        Risk: {
            snipers: components["schemas"]["WalletGroup"];
            bundlers: components["schemas"]["WalletGroup"];
            insiders: components["schemas"]["WalletGroup"];
            freshWallets: components["schemas"]["WalletGroup"];
            washTradePct: number | null;
            creatorSoldPct: number | null;
        };
        /**
         * @description Platform statistics, including hidden tokens.
         * @example {
         *       "tokens": {
         *         "total": 18204,
         *         "onCurve": 18011,
         *         "graduated": 193,
         *         "created24h": 412
         *       },
         *       "h24": {
         *         "trades": 60412,
         *         "traders": 5120,
         *         "volume": "912340000000000000000",
         *         "volumeUsd": 2737020,
         *         "protocolFees": "9123400000000000000",
         *         "creatorFees": "4561700000000000000"
         *       },
         *       "total": {
         *         "trades": 3100245,
         *         "traders": 90334,
         *         "volume": "41220000000000000000000",
         *         "volumeUsd": 123660000,
         *         "protocolFees": "412200000000000000000",
         *         "creatorFees": "206100000000000000000"
         *       },
         *       "staking": {
         *         "pools": 3,
         *         "positions": 412,
         *         "stakedValue": "51200000000000000000",
         *         "stakedValueUsd": 153600
         *       },
         *       "raises": {
         *         "total": 14,
         *         "open": 2,
         *         "proposals": 9,
         *         "committed": "184000000000000000000",
         *         "committedUsd": 552000,
         *         "released": "61000000000000000000",
         *         "refunded": "12000000000000000000"
         *       },
         *       "quoteUsd": 3000,
         *       "indexer": {
         *         "blockNumber": 22414830,
         *         "blockTime": "2026-11-20T12:00:00.000Z",
         *         "finalizedBlock": 22414818,
         *         "provenBlock": 22414830,
         *         "proofs": "complete",
         *         "chainHead": 22414830,
         *         "lagBlocks": 0,
         *         "recovery": null
         *       }
         *     }
         */
        Statistics: {
            tokens: {
                total: number;
                /** @description Tokens that trade on their curves, or whose curve is sold out. */
                onCurve: number;
                /** @description Tokens that trade in their pools, also those that were launched there. */
                graduated: number;
                created24h: number;
            };
            /** @description The last 24 hours. Amounts are native coin in base units. */
            h24: {
                trades: number;
                /** @description Number of wallets that traded. */
                traders: number;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                volume: Amount;
                volumeUsd: number | null;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                protocolFees: Amount;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                creatorFees: Amount;
            };
            /** @description Since the first launch. */
            total: {
                trades: number;
                /** @description Number of wallets that traded. */
                traders: number;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                volume: Amount;
                volumeUsd: number | null;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                protocolFees: Amount;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                creatorFees: Amount;
            };
            staking: {
                pools: number;
                /** @description Number of stakes, counted once per wallet and pool. */
                positions: number;
                stakedValue: Amount | null;
                stakedValueUsd: number | null;
            };
            raises: {
                total: number;
                /** @description Raises that accept commitments now. */
                open: number;
                proposals: number;
                /**
                 * @description Native coin committed to all raises, including refunded commitments.
                 * @example 1000000000000000000
                 */
                committed: Amount;
                committedUsd: number | null;
                /**
                 * @description Native coin paid out by proposals.
                 * @example 1000000000000000000
                 */
                released: Amount;
                /**
                 * @description Native coin refunded to committers.
                 * @example 1000000000000000000
                 */
                refunded: Amount;
            };
            quoteUsd: number | null;
            /** @description State of the indexer. Null before the first block. */
            indexer: {
                blockNumber: number | null;
                blockTime: string | null;
                finalizedBlock: number | null;
                provenBlock: number | null;
                proofs: ("complete" | "running" | "off" | "unsupported") | null;
                chainHead: number | null;
                /** @description Blocks that it has seen and not indexed. Null while no indexer is active. */
                lagBlocks: number | null;
                recovery: {
                    blockNumber: number | null;
                    toBlock: number | null;
                    /** @description Logs that were missing, and are applied now. */
                    recoveredLogs: number;
                } | null;
            };
        };
        /**
         * @description A launched token with its metadata, its curve or pool, and its market figures.
         * @example {
         *       "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "chainId": 8453,
         *       "name": "Harbour Cat",
         *       "symbol": "HCAT",
         *       "decimals": 18,
         *       "totalSupply": "1000000000000000000000000000",
         *       "description": "The cat that sleeps on the slipway.",
         *       "imageUrl": "https://images.example.org/hcat.webp",
         *       "bannerUrl": null,
         *       "metadataUri": "ipfs://bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
         *       "links": {
         *         "website": "https://hcat.example.org",
         *         "twitter": null,
         *         "telegram": null,
         *         "discord": null
         *       },
         *       "creator": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "createdAt": "2026-11-20T09:30:00.000Z",
         *       "blockNumber": 22410377,
         *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
         *       "logIndex": 4,
         *       "confirmed": true,
         *       "status": "curve",
         *       "lifecycle": "curve",
         *       "progressPct": 12.5,
         *       "graduatedAt": null,
         *       "poolAddress": null,
         *       "launchpad": {
         *         "kind": "slipway",
         *         "address": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
         *         "name": "Slipway"
         *       },
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "virtualQuote": "1833333333333333334",
         *       "virtualToken": "775757575757575757575757576",
         *       "realQuote": "500000000000000000",
         *       "realToken": "509090909090909090909090908",
         *       "targetQuote": "4000000000000000000",
         *       "protocolFeeBps": 100,
         *       "creatorFeeBps": 50,
         *       "priceNative": "0.0000000023632812500000000008593749992614746",
         *       "priceQuote": "0.0000000023632812500000000008593749992614746",
         *       "priceUsd": 0.00000708984375,
         *       "marketCapUsd": 7089.84375,
         *       "athMarketCapUsd": 7411.2,
         *       "liquidityUsd": 1500,
         *       "volume": {
         *         "h1": "120000000000000000",
         *         "h24": "900000000000000000",
         *         "total": "900000000000000000"
         *       },
         *       "volumeQuote": {
         *         "h1": "120000000000000000",
         *         "h24": "900000000000000000",
         *         "total": "900000000000000000"
         *       },
         *       "volumeUsd24h": 2700,
         *       "priceChangePct": {
         *         "m5": 0,
         *         "h1": 4.2,
         *         "h24": 89.0625
         *       },
         *       "buys24h": 41,
         *       "sells24h": 12,
         *       "traders24h": 23,
         *       "lastTradeAt": "2026-11-20T11:58:12.000Z",
         *       "holderCount": 19,
         *       "top10Pct": 21.7,
         *       "creatorHeldPct": 3.1,
         *       "sniperPct": 0.8,
         *       "bundlerPct": 4.189356,
         *       "commentCount": 0,
         *       "likeCount": 0,
         *       "likedByMe": null,
         *       "watcherCount": 0,
         *       "watchedByMe": null,
         *       "featured": false,
         *       "hidden": false,
         *       "symbolTakenBefore": false,
         *       "risk": {
         *         "snipers": {
         *           "count": 5,
         *           "pct": 4.189356
         *         },
         *         "bundlers": {
         *           "count": 5,
         *           "pct": 4.189356
         *         },
         *         "insiders": {
         *           "count": 1,
         *           "pct": 0.5
         *         },
         *         "freshWallets": {
         *           "count": 9,
         *           "pct": 7.25
         *         },
         *         "washTradePct": 12.5,
         *         "creatorSoldPct": 3.1
         *       },
         *       "suspicious": {
         *         "count": 6,
         *         "pct": 4.689356
         *       }
         *     }
         */
        Token: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
            chainId: number;
            /** @description Name in the contract. Not unique. */
            name: string;
            symbol: string;
            decimals: number;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            totalSupply: Amount;
            description: string | null;
            imageUrl: string | null;
            bannerUrl: string | null;
            /** @description contractURI of the token (ERC-7572): that of the launch, or after an update by the creator the present one. */
            metadataUri: string;
            /** @description Links to the token’s other pages, set by its creator. */
            links: {
                website: string | null;
                twitter: string | null;
                telegram: string | null;
                discord: string | null;
            };
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            creator: Address;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
            /**
             * @description curve: for sale. completed: sold out, not yet graduated. graduated: trades in its pool, from its launch on if `lifecycle` is direct.
             * @enum {string}
             */
            status: "curve" | "completed" | "graduated";
            /**
             * @description curve: launched on a curve. direct: launched in its pool: it has no curve, so the amounts of one are 0, and it never graduates.
             * @enum {string}
             */
            lifecycle: "curve" | "direct";
            /** @description Amount of the quote asset raised by the curve, in percent of the target. 100 once the token trades in its pool. */
            progressPct: number;
            graduatedAt: string | null;
            poolAddress: string | null;
            /** @description The launchpad that launched the token. */
            launchpad: {
                /**
                 * @description Which contracts launched it.
                 * @example slipway
                 */
                kind: string;
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
                /**
                 * @description Name of the product.
                 * @example Slipway
                 */
                name: string;
            };
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Reserve whose ratio to the other one is the price on the curve, in base units. 0 without a curve, and if the launchpad emits only the price.
             * @example 1000000000000000000
             */
            virtualQuote: Amount;
            /**
             * @description Reserve whose ratio to the other one is the price on the curve, in base units. 0 without a curve, and if the launchpad emits only the price.
             * @example 1000000000000000000
             */
            virtualToken: Amount;
            /**
             * @description Amount of the quote asset held by the curve, in base units.
             * @example 1000000000000000000
             */
            realQuote: Amount;
            /**
             * @description Tokens still for sale on the curve, in base units.
             * @example 1000000000000000000
             */
            realToken: Amount;
            /**
             * @description Quote asset that completes the curve, in base units.
             * @example 1000000000000000000
             */
            targetQuote: Amount;
            protocolFeeBps: number | null;
            creatorFeeBps: number | null;
            priceNative: Decimal | null;
            priceQuote: Decimal | null;
            priceUsd: number | null;
            marketCapUsd: number | null;
            athMarketCapUsd: number | null;
            liquidityUsd: number | null;
            /** @description Volume of the last hour, of the last day and in total; native coin in base units, at the rates at the times of the trades. Trades while no rate was known add nothing. */
            volume: {
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                h1: Amount;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                h24: Amount;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                total: Amount;
            };
            /** @description The same in base units of the quote asset. */
            volumeQuote: {
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                h1: Amount;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                h24: Amount;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                total: Amount;
            };
            volumeUsd24h: number | null;
            /** @description Changes of the price in the quote asset. */
            priceChangePct: {
                m5: number | null;
                h1: number | null;
                h24: number | null;
            };
            buys24h: number;
            sells24h: number;
            traders24h: number;
            lastTradeAt: string | null;
            /** @description Number of wallets with a balance, without curve, pool and burn addresses. */
            holderCount: number;
            /** @description Curve, pool and burn addresses are left out; contracts of stakes and raises count. */
            top10Pct: number | null;
            creatorHeldPct: number | null;
            sniperPct: number | null;
            bundlerPct: number | null;
            commentCount: number;
            likeCount: number;
            likedByMe: boolean | null;
            /** @description Number of wallets that have it on their watchlist. */
            watcherCount: number;
            watchedByMe: boolean | null;
            featured: boolean;
            /** @description Hidden from all lists by an operator; still returned by address. */
            hidden: boolean;
            /** @description Whether an older token has this symbol, or one that looks like it: this token may be a copycat. Letter case, invisible characters, spaces, full-width forms, and Cyrillic or Greek letters that look Latin make no difference; accents do. */
            symbolTakenBefore: boolean;
            /** @description How it was bought at its launch. Only in the response to GET /tokens/:address; null if the trades of the launch are archived. */
            risk?: components["schemas"]["Risk"] | null;
            /** @description Snipers, bundlers and insiders, each wallet once. Where `risk` is. */
            suspicious?: components["schemas"]["WalletGroup"] | null;
        };
        /**
         * @description A trade on the curve or in the pool. A transaction may contain several.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "trader": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "recipient": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "side": "buy",
         *       "venue": "curve",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "tokenAmount": "41893560112006519471348291",
         *       "quoteAmount": "100000000000000000",
         *       "priceNative": "0.0000000023632812500000000008593749992614746",
         *       "priceQuote": "0.0000000023632812500000000008593749992614746",
         *       "priceUsd": 0.00000708984375,
         *       "valueUsd": 300,
         *       "protocolFee": "1000000000000000",
         *       "creatorFee": "500000000000000",
         *       "timestamp": "2026-11-20T11:58:12.000Z",
         *       "blockNumber": 22414823,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 11,
         *       "confirmed": false
         *     }
         */
        Trade: {
            /** @description Transaction hash and log index of the trade. */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            /**
             * @description The wallet that paid. For a swap in a pool whose trader cannot be determined, the recipient.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            trader: Address;
            /**
             * @description Wallet that received the output.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            recipient: Address;
            /** @enum {string} */
            side: "buy" | "sell";
            /** @enum {string} */
            venue: "curve" | "pool";
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            tokenAmount: Amount;
            /**
             * @description Native coin in base units: paid by the buyer including fees, or received by the seller after fees.
             * @example 1000000000000000000
             */
            quoteAmount: Amount;
            priceNative: Decimal | null;
            priceQuote: Decimal | null;
            priceUsd: number | null;
            valueUsd: number | null;
            protocolFee: Amount | null;
            creatorFee: Amount | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /**
         * @description A wallet’s on-chain action: a trade or another action.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11",
         *       "type": "buy",
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "raise": null,
         *       "proposal": null,
         *       "pool": null,
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "amounts": {
         *         "tokenAmount": "41893560112006519471348291",
         *         "quoteAmount": "100000000000000000",
         *         "protocolFee": "1000000000000000",
         *         "creatorFee": "500000000000000"
         *       },
         *       "timestamp": "2026-11-20T11:58:12.000Z",
         *       "blockNumber": 22414823,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 11,
         *       "confirmed": false
         *     }
         */
        Transaction: {
            /** @description Transaction hash and log index. */
            id: string;
            /** @enum {string} */
            type: "create" | "buy" | "sell" | "graduate" | "claim_creator_fee" | "split_creator_fees" | "transfer_fee_right" | "raise_create" | "update_metadata" | "register" | "commit" | "claim_raise" | "refund" | "propose" | "vote" | "execute" | "finalize" | "cancel_raise" | "reclaim_tokens" | "dissolve" | "cancel_proposal" | "exit" | "stake" | "unstake" | "withdraw" | "claim" | "fund";
            /**
             * @description Wallet that acted. For a graduation, which any wallet may trigger, the launchpad.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            token: Address | null;
            raise: string | null;
            proposal: string | null;
            pool: string | null;
            /** @description Null at a staking pool, whose amounts are in its own tokens. */
            quote: components["schemas"]["QuoteAsset"] | null;
            /** @description Amounts by name, in base units: tokenAmount, quoteAmount, protocolFee and creatorFee for a trade; the weight for a vote. */
            amounts: {
                [key: string]: Amount;
            };
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /**
         * @description A token that is no longer in a view.
         * @example {
         *       "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
         *     }
         */
        UnviewedToken: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
        };
        /**
         * @description A token of a view with its place.
         * @example {
         *       "after": "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
         *       "token": {
         *         "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *         "chainId": 8453,
         *         "name": "Harbour Cat",
         *         "symbol": "HCAT",
         *         "decimals": 18,
         *         "totalSupply": "1000000000000000000000000000",
         *         "description": "The cat that sleeps on the slipway.",
         *         "imageUrl": "https://images.example.org/hcat.webp",
         *         "bannerUrl": null,
         *         "metadataUri": "ipfs://bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
         *         "links": {
         *           "website": "https://hcat.example.org",
         *           "twitter": null,
         *           "telegram": null,
         *           "discord": null
         *         },
         *         "creator": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *         "createdAt": "2026-11-20T09:30:00.000Z",
         *         "blockNumber": 22410377,
         *         "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
         *         "logIndex": 4,
         *         "confirmed": true,
         *         "status": "curve",
         *         "lifecycle": "curve",
         *         "progressPct": 12.5,
         *         "graduatedAt": null,
         *         "poolAddress": null,
         *         "launchpad": {
         *           "kind": "slipway",
         *           "address": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
         *           "name": "Slipway"
         *         },
         *         "quote": {
         *           "address": "0x0000000000000000000000000000000000000000",
         *           "symbol": "ETH",
         *           "decimals": 18
         *         },
         *         "virtualQuote": "1833333333333333334",
         *         "virtualToken": "775757575757575757575757576",
         *         "realQuote": "500000000000000000",
         *         "realToken": "509090909090909090909090908",
         *         "targetQuote": "4000000000000000000",
         *         "protocolFeeBps": 100,
         *         "creatorFeeBps": 50,
         *         "priceNative": "0.0000000023632812500000000008593749992614746",
         *         "priceQuote": "0.0000000023632812500000000008593749992614746",
         *         "priceUsd": 0.00000708984375,
         *         "marketCapUsd": 7089.84375,
         *         "athMarketCapUsd": 7411.2,
         *         "liquidityUsd": 1500,
         *         "volume": {
         *           "h1": "120000000000000000",
         *           "h24": "900000000000000000",
         *           "total": "900000000000000000"
         *         },
         *         "volumeQuote": {
         *           "h1": "120000000000000000",
         *           "h24": "900000000000000000",
         *           "total": "900000000000000000"
         *         },
         *         "volumeUsd24h": 2700,
         *         "priceChangePct": {
         *           "m5": 0,
         *           "h1": 4.2,
         *           "h24": 89.0625
         *         },
         *         "buys24h": 41,
         *         "sells24h": 12,
         *         "traders24h": 23,
         *         "lastTradeAt": "2026-11-20T11:58:12.000Z",
         *         "holderCount": 19,
         *         "top10Pct": 21.7,
         *         "creatorHeldPct": 3.1,
         *         "sniperPct": 0.8,
         *         "bundlerPct": 4.189356,
         *         "commentCount": 0,
         *         "likeCount": 0,
         *         "likedByMe": null,
         *         "watcherCount": 0,
         *         "watchedByMe": null,
         *         "featured": false,
         *         "hidden": false,
         *         "symbolTakenBefore": false,
         *         "risk": {
         *           "snipers": {
         *             "count": 5,
         *             "pct": 4.189356
         *           },
         *           "bundlers": {
         *             "count": 5,
         *             "pct": 4.189356
         *           },
         *           "insiders": {
         *             "count": 1,
         *             "pct": 0.5
         *           },
         *           "freshWallets": {
         *             "count": 9,
         *             "pct": 7.25
         *           },
         *           "washTradePct": 12.5,
         *           "creatorSoldPct": 3.1
         *         },
         *         "suspicious": {
         *           "count": 6,
         *           "pct": 4.689356
         *         }
         *       }
         *     }
         */
        ViewedToken: {
            after: Address | null;
            token: components["schemas"]["Token"];
        };
        /**
         * @description Wallets that have something in common at the launch of a token.
         * @example {
         *       "count": 5,
         *       "pct": 4.189356
         *     }
         */
        WalletGroup: {
            /**
             * @description Number of wallets, those that have sold everything included.
             * @example 5
             */
            count: number;
            pct: number | null;
        };
        /** @description Body of every error response. */
        ErrorEnvelope: {
            /** @enum {boolean} */
            success: false;
            data: null;
            /** @description Human-readable description of the error. */
            error: string;
        };
        /**
         * @description An address’s balance of a token. The supply in curve, pool, stakes and raises, and what is burnt, is listed with labels.
         * @example {
         *       "address": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "balance": "41893560112006519471348291",
         *       "pct": 4.189356,
         *       "label": null,
         *       "firstSeenAt": "2026-11-20T10:02:00.000Z",
         *       "lastActiveAt": "2026-11-20T11:58:12.000Z"
         *     }
         */
        Holder: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            balance: Amount;
            pct: number | null;
            label: ("creator" | "curve" | "pool" | "burn" | "staking" | "raises") | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            firstSeenAt: string;
            /**
             * Format: date-time
             * @description Time of the holder’s last trade of the token, or of its first balance.
             * @example 2026-11-21T12:00:00.000Z
             */
            lastActiveAt: string;
        };
        /**
         * @description Candles in ascending order, one for every interval since the launch, with or without trades. The price of a curve cannot move between trades, so each candle opens at the previous close. Prices are for one whole token. US dollar prices are null where no price feed value is available, and those in native coin where no rate is known.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "interval": "5m",
         *       "currency": "native",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "candles": [
         *         {
         *           "time": 1795168500,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
         *           "volumeQuote": "120000000000000000",
         *           "volumeUsd": 360,
         *           "trades": 3
         *         },
         *         {
         *           "time": 1795168800,
         *           "open": 2.36328125e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.36328125e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "0",
         *           "volumeQuote": "0",
         *           "volumeUsd": 0,
         *           "trades": 0
         *         }
         *       ]
         *     }
         */
        Chart: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            /** @enum {string} */
            interval: "1s" | "5s" | "15s" | "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d";
            /** @enum {string} */
            currency: "native" | "usd" | "marketCapUsd" | "quote";
            quote: components["schemas"]["QuoteAsset"];
            candles: {
                /** @description Start of the candle, in Unix seconds. */
                time: number;
                open: number | null;
                high: number | null;
                low: number | null;
                close: number | null;
                /**
                 * @description Volume in native coin, in base units.
                 * @example 1000000000000000000
                 */
                volumeNative: Amount;
                /**
                 * @description Volume in the quote asset, in base units.
                 * @example 1000000000000000000
                 */
                volumeQuote: Amount;
                volumeUsd: number | null;
                trades: number;
            }[];
        };
        /**
         * @description Exact result of a trade, to the base unit, in the state of the last indexed block; in a pool of another launchpad than ours, in that of the newest block of the node. `call` is null if the recipient is unknown.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "side": "buy",
         *       "venue": "curve",
         *       "router": null,
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "amountIn": "100000000000000000",
         *       "amountOut": "39554199574905294846782497",
         *       "minimumOut": "39158657579156241898314672",
         *       "refund": "0",
         *       "protocolFee": "1000000000000000",
         *       "creatorFee": "500000000000000",
         *       "poolFee": "0",
         *       "priceImpactPct": 5.372727,
         *       "priceBefore": "0.0000000023632812500000000008593749992614746",
         *       "priceAfter": "0.00000000262404845703125000085689430829476004",
         *       "completesCurve": false,
         *       "slippageBps": 100,
         *       "deadline": 1795170000,
         *       "recipient": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "call": {
         *         "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
         *         "data": "0xa9d424e20000000000000000000000009fe46736679d2d9a65f0992f2272de9f3c7fa6e00000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc00000000000000000000000000000000000000000020642b14b8eeec19309bb0000000000000000000000000000000000000000000000000000000006b001ed0",
         *         "value": "100000000000000000"
         *       },
         *       "approval": null
         *     }
         */
        Quote: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            /** @enum {string} */
            side: "buy" | "sell";
            /**
             * @description curve: on the bonding curve. pool: in the pool, after graduation or a launch in it.
             * @enum {string}
             */
            venue: "curve" | "pool";
            router: Address | null;
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Amount paid: the input amount less the refund.
             * @example 1000000000000000000
             */
            amountIn: Amount;
            /**
             * @description Output after all fees: tokens for a buy, native coin for a sell.
             * @example 1000000000000000000
             */
            amountOut: Amount;
            /**
             * @description Minimum output; below it, the call reverts.
             * @example 1000000000000000000
             */
            minimumOut: Amount;
            /**
             * @description Amount returned by a buy that completes the curve.
             * @example 1000000000000000000
             */
            refund: Amount;
            /**
             * @description In native coin.
             * @example 1000000000000000000
             */
            protocolFee: Amount;
            /**
             * @description In native coin.
             * @example 1000000000000000000
             */
            creatorFee: Amount;
            /**
             * @description Fee kept by the pool, in the input currency.
             * @example 1000000000000000000
             */
            poolFee: Amount;
            /** @description Price impact in percent, without fees: how much worse the average price of the trade is than the price before it. The trade moves the price further, to priceAfter. */
            priceImpactPct: number;
            priceBefore: Decimal | null;
            priceAfter: Decimal | null;
            /** @description Whether this buy takes all remaining tokens of the curve. With 3,400,000 gas more than a node estimates, it graduates the token in the same transaction, and gets the bounty of the launchpad for it. */
            completesCurve: boolean;
            slippageBps: number;
            /** @description Time in Unix seconds after which the call reverts. */
            deadline: number;
            recipient: Address | null;
            call: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                to: Address;
                /** @description Bytes in 0x-prefixed hexadecimal. */
                data: Hex;
                /**
                 * @description Native coin to send with the call.
                 * @example 1000000000000000000
                 */
                value: Amount;
            } | null;
            approval: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                spender: Address;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                amount: Amount;
            } | null;
        };
        /**
         * @description Creator fees of a token in one asset. Null where the events of the launchpad do not contain them.
         * @example {
         *       "asset": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "earned": "41000000000000000",
         *       "claimed": "30000000000000000",
         *       "unclaimed": "11000000000000000"
         *     }
         */
        Revenue: {
            asset: components["schemas"]["QuoteAsset"];
            earned: Amount | null;
            claimed: Amount | null;
            unclaimed: Amount | null;
        };
        /**
         * @description Creator fees of a wallet in one asset. Null if they are unknown of all its tokens.
         * @example {
         *       "asset": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "earned": "41000000000000000",
         *       "claimed": "30000000000000000",
         *       "unclaimed": "11000000000000000",
         *       "unknownTokens": 2
         *     }
         */
        RevenueTotal: {
            asset: components["schemas"]["QuoteAsset"];
            earned: Amount | null;
            claimed: Amount | null;
            unclaimed: Amount | null;
            /**
             * @description Tokens that the wallet launched of which the events of the launchpad do not contain the creator fees: no sum has them.
             * @example 2
             */
            unknownTokens: number;
        };
        /**
         * @description A wallet that was among the first to buy a token, with its first purchase.
         * @example {
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "timestamp": "2026-11-20T09:30:04.000Z",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "tokenAmount": "41893560112006519471348291",
         *       "quoteAmount": "100000000000000000",
         *       "balance": "20946780056003259735674145",
         *       "pct": 2.094678,
         *       "flags": [
         *         "sniper",
         *         "fresh"
         *       ],
         *       "blockNumber": 22410379,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 11,
         *       "confirmed": true
         *     }
         */
        FirstBuyer: {
            /**
             * @description The wallet that received the tokens.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Tokens of its first purchase, in base units.
             * @example 1000000000000000000
             */
            tokenAmount: Amount;
            /**
             * @description Native coin paid for its first purchase including fees, in base units.
             * @example 1000000000000000000
             */
            quoteAmount: Amount;
            /**
             * @description What it holds now, in base units.
             * @example 1000000000000000000
             */
            balance: Amount;
            pct: number | null;
            /** @description creator: launched the token. sniper: bought within seconds of the first trade. bundler: bought in a bundle at the launch. insider: also received tokens from the creator, a sniper or a bundler. fresh: first seen less than a day before. */
            flags: ("creator" | "sniper" | "bundler" | "insider" | "fresh")[];
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /**
         * @description A wallet that traded a token, with its profit at average cost.
         * @example {
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "label": null,
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "bought": "50000000000000000000000000",
         *       "sold": "20000000000000000000000000",
         *       "spent": "100000000000000000",
         *       "proceeds": "60000000000000000",
         *       "volume": "160000000000000000",
         *       "balance": "30000000000000000000000000",
         *       "pct": 3,
         *       "realizedPnl": {
         *         "native": "20000000000000000",
         *         "quote": "20000000000000000",
         *         "usd": 60
         *       },
         *       "unrealizedPnl": {
         *         "native": "11000000000000000",
         *         "quote": "11000000000000000",
         *         "usd": 33
         *       },
         *       "lastTradeAt": "2026-11-20T11:58:12.000Z"
         *     }
         */
        TopTrader: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            label: "creator" | null;
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Tokens bought, in base units.
             * @example 1000000000000000000
             */
            bought: Amount;
            /**
             * @description Tokens sold, in base units.
             * @example 1000000000000000000
             */
            sold: Amount;
            /**
             * @description Quote asset paid including fees, in base units.
             * @example 1000000000000000000
             */
            spent: Amount;
            /**
             * @description Quote asset received after fees, in base units.
             * @example 1000000000000000000
             */
            proceeds: Amount;
            /**
             * @description Both together: the quote asset of all its trades.
             * @example 1000000000000000000
             */
            volume: Amount;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            balance: Amount;
            pct: number | null;
            /** @description Proceeds of sales less average cost. */
            realizedPnl: {
                native: SignedAmount | null;
                /**
                 * @description The same in the quote asset.
                 * @example -250000000000000000
                 */
                quote: SignedAmount;
                usd: number | null;
            };
            /** @description Value of the bought part of its balance at the current price, less its average cost. */
            unrealizedPnl: {
                native: SignedAmount | null;
                /**
                 * @description The same in the quote asset.
                 * @example -250000000000000000
                 */
                quote: SignedAmount;
                usd: number | null;
            };
            lastTradeAt: string | null;
        };
        /**
         * @description What became of the tokens of a creator.
         * @example {
         *       "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "launched": 7,
         *       "graduated": 1,
         *       "abandoned": 4,
         *       "medianAthMarketCapUsd": 7411.2,
         *       "dumpedPct": 87.5,
         *       "truncated": false
         *     }
         */
        CreatorHistory: {
            /**
             * @description The creator of the token.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            /**
             * @description Tokens that it launched, this one included.
             * @example 7
             */
            launched: number;
            /**
             * @description Those of them that graduated.
             * @example 1
             */
            graduated: number;
            /**
             * @description Those of them that did not graduate and were not traded for seven days.
             * @example 4
             */
            abandoned: number;
            medianAthMarketCapUsd: number | null;
            dumpedPct: number | null;
            /** @description Whether it launched more tokens than are counted, the latest 1,000. */
            truncated: boolean;
        };
        /** @description The trades of this kind that the wallet made in the transaction. */
        SyncedTrades: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            trades: components["schemas"]["Trade"][];
        };
        /** @description The tokens that the wallet launched in the transaction. */
        SyncedTokens: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            tokens: components["schemas"]["Token"][];
        };
        /** @description Search results. */
        SearchMatches: {
            /** @description Best matches first: address, exact symbol or one that looks like it, start of the symbol, start of the name, any part of either. Equal matches are ordered by market cap. */
            tokens: components["schemas"]["Token"][];
            symbolTakenBy: Address | null;
            /** @description The wallet with the given address, if it has a username or has traded or launched a token; or wallets whose usernames start with the text, shortest first. */
            wallets: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
                username: string | null;
                avatarUrl: string | null;
                /** @example 129 */
                tradeCount: number;
                /** @example 3 */
                createdTokens: number;
            }[];
        };
        /**
         * @description A wallet and its rank among the wallets that traded within the period.
         * @example {
         *       "rank": 1,
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "profile": {
         *         "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *         "username": "gull",
         *         "avatarUrl": null
         *       },
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "volumeNative": "18400000000000000000",
         *       "volumeUsd": 55200,
         *       "tradeCount": 129,
         *       "realizedPnl": {
         *         "native": "2150000000000000000",
         *         "usd": 6450
         *       },
         *       "winRatePct": 62.5,
         *       "period": "24h",
         *       "by": "volume"
         *     }
         */
        LeaderboardEntry: {
            rank: number;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            profile: components["schemas"]["Author"] | null;
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Traded volume in native coin, in base units.
             * @example 1000000000000000000
             */
            volumeNative: Amount;
            volumeUsd: number | null;
            tradeCount: number;
            /** @description Proceeds of sales less the average cost of the tokens that the wallet bought. */
            realizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: SignedAmount;
                usd: number | null;
            };
            winRatePct: number | null;
            /** @enum {string} */
            period: "24h" | "7d" | "30d" | "all";
            /** @enum {string} */
            by: "volume" | "pnl";
        };
        /**
         * @description Statistics of the tokens of a launchpad, including hidden ones, in all its contracts.
         * @example {
         *       "kind": "slipway",
         *       "name": "Slipway",
         *       "tokens": {
         *         "total": 18204,
         *         "onCurve": 18011,
         *         "graduated": 193,
         *         "created24h": 412
         *       },
         *       "h24": {
         *         "trades": 60412,
         *         "volume": "912340000000000000000",
         *         "volumeUsd": 2737020,
         *         "protocolFees": "9123400000000000000",
         *         "creatorFees": "4561700000000000000"
         *       },
         *       "total": {
         *         "trades": 3100245,
         *         "volume": "41220000000000000000000",
         *         "volumeUsd": 123660000,
         *         "protocolFees": "412200000000000000000",
         *         "creatorFees": "206100000000000000000"
         *       }
         *     }
         */
        LaunchpadStatistics: {
            /**
             * @description Kind of the contracts, as in /config.
             * @example slipway
             */
            kind: string;
            /**
             * @description Name of the product.
             * @example Slipway
             */
            name: string;
            tokens: {
                total: number;
                /** @description Tokens that have not graduated. */
                onCurve: number;
                graduated: number;
                created24h: number;
            };
            /** @description The last 24 hours. Amounts are native coin in base units. */
            h24: {
                trades: number;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                volume: Amount;
                volumeUsd: number | null;
                protocolFees: Amount | null;
                creatorFees: Amount | null;
            };
            /** @description Since the first launch. */
            total: {
                trades: number;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                volume: Amount;
                volumeUsd: number | null;
                protocolFees: Amount | null;
                creatorFees: Amount | null;
            };
        };
        /**
         * @description Trades of a day, including hidden tokens. Amounts are native coin in base units.
         * @example {
         *       "date": "2026-11-29",
         *       "time": 1795910400,
         *       "complete": true,
         *       "trades": 60412,
         *       "volume": "912340000000000000000",
         *       "volumeUsd": 2737020,
         *       "protocolFees": "9123400000000000000",
         *       "protocolFeesUsd": 27370.2,
         *       "creatorFees": "4561700000000000000",
         *       "creatorFeesUsd": 13685.1
         *     }
         */
        DayStatistics: {
            /**
             * Format: date
             * @description Day, UTC.
             * @example 2026-11-29
             */
            date: string;
            /** @description Start of the day in Unix seconds. */
            time: number;
            /** @description Whether blocks after the end of the day are indexed. Until these are final, a reorg can change the day. */
            complete: boolean;
            trades: number;
            /**
             * @description Volume of the trades on curves and in pools.
             * @example 1000000000000000000
             */
            volume: Amount;
            volumeUsd: number | null;
            protocolFees: Amount | null;
            protocolFeesUsd: number | null;
            creatorFees: Amount | null;
            creatorFeesUsd: number | null;
        };
        /**
         * @description A wallet’s holding of a token.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "name": "Harbour Cat",
         *       "symbol": "HCAT",
         *       "decimals": 18,
         *       "imageUrl": "https://images.example.org/hcat.webp",
         *       "hidden": false,
         *       "balance": "52000000000000000000000000",
         *       "boughtAmount": "50000000000000000000000000",
         *       "receivedAmount": "2000000000000000000000000",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "priceNative": "0.0000000419",
         *       "priceQuote": "0.0000000419",
         *       "priceUsd": 0.0001257,
         *       "valueNative": "2178800000000000000",
         *       "valueQuote": "2178800000000000000",
         *       "valueUsd": 6536.4,
         *       "costNative": "1500000000000000000",
         *       "costQuote": "1500000000000000000",
         *       "costUsd": 4500,
         *       "unrealizedPnl": {
         *         "native": "595000000000000000",
         *         "quote": "595000000000000000",
         *         "usd": 1785
         *       },
         *       "realizedPnl": {
         *         "native": "-20000000000000000",
         *         "quote": "-20000000000000000",
         *         "usd": -60
         *       },
         *       "firstSeenAt": "2026-11-19T08:12:44.000Z",
         *       "lastTradeAt": "2026-11-20T11:58:12.000Z"
         *     }
         */
        Holding: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            name: string;
            symbol: string;
            imageUrl: string | null;
            /** @description Whether an operator hid the token from discovery. */
            hidden: boolean;
            /**
             * @description Decimals of the token.
             * @example 18
             */
            decimals: number;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            balance: Amount;
            /**
             * @description Part of the balance that the wallet bought; it has a cost.
             * @example 1000000000000000000
             */
            boughtAmount: Amount;
            /**
             * @description Rest of the balance, received by transfer. It counts towards the value and makes no profit.
             * @example 1000000000000000000
             */
            receivedAmount: Amount;
            quote: components["schemas"]["QuoteAsset"];
            priceNative: Decimal | null;
            priceQuote: Decimal | null;
            priceUsd: number | null;
            /**
             * @description Value at the current price, without the price impact of a sale; 0 if no rate is known.
             * @example 1000000000000000000
             */
            valueNative: Amount;
            /**
             * @description The same in the quote asset.
             * @example 1000000000000000000
             */
            valueQuote: Amount;
            valueUsd: number | null;
            /**
             * @description Average cost of the bought part, including fees, at the rates at the times of purchase; 0 where none was known.
             * @example 1000000000000000000
             */
            costNative: Amount;
            /**
             * @description The same in the quote asset.
             * @example 1000000000000000000
             */
            costQuote: Amount;
            costUsd: number | null;
            /** @description Value of the bought part less its cost. */
            unrealizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss. 0 if no rate is known.
                 * @example -250000000000000000
                 */
                native: SignedAmount;
                /**
                 * @description The same in the quote asset.
                 * @example -250000000000000000
                 */
                quote: SignedAmount;
                usd: number | null;
            };
            /** @description Proceeds of sales of this token less average cost. */
            realizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss. 0 if no rate is known.
                 * @example -250000000000000000
                 */
                native: SignedAmount;
                /**
                 * @description The same in the quote asset.
                 * @example -250000000000000000
                 */
                quote: SignedAmount;
                usd: number | null;
            };
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            firstSeenAt: string;
            lastTradeAt: string | null;
        };
        /**
         * @description A token that the wallet launched, or whose creator fees it gets, with these.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "name": "Harbour Cat",
         *       "symbol": "HCAT",
         *       "imageUrl": "https://images.example.org/hcat.webp",
         *       "hidden": false,
         *       "creator": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "status": "curve",
         *       "marketCapUsd": 125700,
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "feesEarned": "41000000000000000",
         *       "feesClaimed": "30000000000000000",
         *       "feesClaimable": "11000000000000000",
         *       "feeShareBps": 10000,
         *       "ownsFeeRight": true,
         *       "createdAt": "2026-11-19T08:12:44.000Z"
         *     }
         */
        Creation: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            name: string;
            symbol: string;
            imageUrl: string | null;
            /** @description Whether an operator hid the token from discovery. */
            hidden: boolean;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            creator: Address;
            /** @description Status of the token: curve, completed or graduated. */
            status: string;
            marketCapUsd: number | null;
            quote: components["schemas"]["QuoteAsset"];
            feesEarned: Amount | null;
            feesClaimed: Amount | null;
            feesClaimable: Amount | null;
            feeShareBps: number | null;
            /** @description Whether the wallet may split the creator fees and transfer the right to them. At first the creator may, if the launchpad has such a right. */
            ownsFeeRight: boolean;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
        };
        /** @description Holdings, launched tokens, stakes and commitments of a wallet, with profit. */
        Portfolio: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Value of the holdings in native coin, in base units.
             * @example 1000000000000000000
             */
            totalValueNative: Amount;
            totalValueUsd: number | null;
            /** @description Proceeds of all sales less average cost, for all tokens, held or not. */
            realizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: SignedAmount;
                usd: number | null;
            };
            /** @description Unrealized profit of all holdings. */
            unrealizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: SignedAmount;
                usd: number | null;
            };
            /**
             * @description Number of tokens in the totals.
             * @example 7
             */
            holdingCount: number;
            /** @description Whether the wallet holds more tokens than one response values. The totals then cover the valued tokens only; /portfolio/holdings lists all. */
            truncated: boolean;
            /** @description Most valuable first, at most 100. */
            holdings: components["schemas"]["Holding"][];
            /** @description Launched tokens, newest first, at most 100. */
            created: components["schemas"]["Creation"][];
            /** @description Tokens of other creators whose fees the wallet gets a share of, or may split. Those with the highest fees to claim first, at most 100. */
            feeShares: components["schemas"]["Creation"][];
            /** @description Creator fees of the wallet, of all tokens: paid to it, and what it can claim. */
            revenue: {
                /** @description One item for each asset. */
                items: components["schemas"]["RevenueTotal"][];
                /** @description Whether the wallet gets fees of more tokens than are summed, the latest 2,000. */
                truncated: boolean;
            };
            /** @description Most recently used first, at most 100. */
            staking: components["schemas"]["StakingPosition"][];
            /** @description Commitments to raises, most recently used first, at most 100. */
            commitments: components["schemas"]["Commitment"][];
        };
        /**
         * @description How a wallet traded in a period.
         * @example {
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "period": "30d",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "trades": 42,
         *       "volumeNative": "18400000000000000000",
         *       "volumeUsd": 55200,
         *       "realizedPnl": {
         *         "native": "1200000000000000000",
         *         "usd": 3600
         *       },
         *       "unrealizedPnl": {
         *         "native": "-200000000000000000",
         *         "usd": -600
         *       },
         *       "winRatePct": 61.5,
         *       "medianHoldSeconds": 5400,
         *       "days": [
         *         {
         *           "date": "2026-11-20T00:00:00.000Z",
         *           "trades": 42,
         *           "volumeNative": "18400000000000000000",
         *           "volumeUsd": 55200,
         *           "realizedPnl": {
         *             "native": "1200000000000000000",
         *             "usd": 3600
         *           }
         *         }
         *       ],
         *       "unrealizedByDay": [
         *         {
         *           "date": "2026-11-20T00:00:00.000Z",
         *           "native": "-200000000000000000",
         *           "usd": -600
         *         }
         *       ],
         *       "unrealizedTruncated": false,
         *       "truncated": false
         *     }
         */
        WalletStats: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            /** @enum {string} */
            period: "24h" | "7d" | "30d" | "all";
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Number of trades.
             * @example 42
             */
            trades: number;
            /**
             * @description Native coin of these trades, in base units.
             * @example 1000000000000000000
             */
            volumeNative: Amount;
            volumeUsd: number | null;
            /** @description Proceeds of sales less the average cost of the tokens that the wallet bought. */
            realizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: SignedAmount;
                usd: number | null;
            };
            /** @description Value now of the bought tokens that it holds, less their average cost; of 2,000 holdings at most. It has no period. */
            unrealizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: SignedAmount;
                usd: number | null;
            };
            winRatePct: number | null;
            medianHoldSeconds: number | null;
            /** @description Days with trades, oldest first. */
            days: {
                /**
                 * Format: date-time
                 * @description Start of the day, in UTC.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                date: string;
                /**
                 * @description Number of trades.
                 * @example 42
                 */
                trades: number;
                /**
                 * @description Native coin of these trades, in base units.
                 * @example 1000000000000000000
                 */
                volumeNative: Amount;
                volumeUsd: number | null;
                /** @description Proceeds of sales less the average cost of the tokens that the wallet bought. */
                realizedPnl: {
                    /**
                     * @description Native coin in base units; negative for a loss.
                     * @example -250000000000000000
                     */
                    native: SignedAmount;
                    usd: number | null;
                };
            }[];
            /** @description Unrealized profit at the end of each day of the period, with or without trades, oldest first; from the first trade of the wallet on if that was later. The value of the bought tokens that it held, at their closing prices, less their average cost. The last day is unrealizedPnl, now. Null if a price is unknown, or if the wallet has both received and sent on a token that it had bought. All days but the last are null if trades of any time are archived, or if the wallet has 10,000 trades or more, or more than 250 such tokens. */
            unrealizedByDay: {
                /**
                 * Format: date-time
                 * @description Start of the day, in UTC.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                date: string;
                native: SignedAmount | null;
                usd: number | null;
            }[];
            /** @description Whether unrealizedByDay lacks days of the period: it has the newest 90. */
            unrealizedTruncated: boolean;
            /** @description Whether days, win rate and hold time lack trades of the period: they are computed from the newest 10,000 of the wallet that are not archived. The sums of the period have all. */
            truncated: boolean;
        };
        /**
         * @description Third-party market data of a token that was not launched here. For display only, not for settlement: it is not checked against the chain. Null means unknown.
         * @example {
         *       "address": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
         *       "name": "USD Coin",
         *       "symbol": "USDC",
         *       "decimals": 6,
         *       "totalSupply": "51200000000000000",
         *       "imageUrl": "https://coin-images.coingecko.com/coins/images/6319/large/usdc.png",
         *       "priceUsd": 0.9998,
         *       "marketCapUsd": 51190000000,
         *       "fdvUsd": 51190000000,
         *       "liquidityUsd": 512000000.5,
         *       "volumeUsd24h": 1200000000.25,
         *       "priceChangePct": {
         *         "m5": 0,
         *         "h1": 0.01,
         *         "h24": -0.02
         *       },
         *       "pools": [
         *         {
         *           "address": "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
         *           "dex": "uniswap_v3",
         *           "name": "USDC / WETH 0.05%",
         *           "baseToken": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
         *           "quoteToken": "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
         *           "liquidityUsd": 120000000,
         *           "volumeUsd24h": 310000000,
         *           "createdAt": "2021-12-29T12:35:14.000Z"
         *         }
         *       ],
         *       "network": "eth",
         *       "source": "GeckoTerminal",
         *       "fetchedAt": "2026-11-21T12:00:00.000Z",
         *       "stale": false
         *     }
         */
        ExternalMarket: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
            name: string | null;
            symbol: string | null;
            decimals: number | null;
            totalSupply: Amount | null;
            imageUrl: string | null;
            priceUsd: number | null;
            marketCapUsd: number | null;
            fdvUsd: number | null;
            liquidityUsd: number | null;
            volumeUsd24h: number | null;
            /** @description Price change in percent, in the token’s most traded pool. */
            priceChangePct: {
                m5: number | null;
                h1: number | null;
                h24: number | null;
            };
            /** @description The most traded pools, highest volume first. At most ten. */
            pools: {
                /** @description Address of the pool, or its 32-byte id on exchanges where pools have no address. */
                address: string;
                dex: string | null;
                name: string | null;
                baseToken: string | null;
                quoteToken: string | null;
                liquidityUsd: number | null;
                volumeUsd24h: number | null;
                createdAt: string | null;
            }[];
            /** @description The provider’s name of the chain. */
            network: string;
            /** @description Name of the provider. */
            source: string;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            fetchedAt: string;
            /** @description Whether the data is older than its freshness limit: a refresh is under way or failed. */
            stale: boolean;
        };
        /**
         * @description Third-party candles of a token that was not launched here, from its most traded pool. For display only, not for settlement: it is not checked against the chain. Ascending and without gaps: an interval without trades keeps the price. At most 300, the last ones; empty if the provider has no chart.
         * @example {
         *       "address": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
         *       "interval": "1h",
         *       "currency": "usd",
         *       "candles": [
         *         {
         *           "time": 1795262400,
         *           "open": 0.9997,
         *           "high": 1.0002,
         *           "low": 0.9995,
         *           "close": 0.9998,
         *           "volumeUsd": 1250000.75
         *         },
         *         {
         *           "time": 1795266000,
         *           "open": 0.9998,
         *           "high": 0.9998,
         *           "low": 0.9998,
         *           "close": 0.9998,
         *           "volumeUsd": 0
         *         }
         *       ],
         *       "network": "eth",
         *       "source": "GeckoTerminal",
         *       "fetchedAt": "2026-11-21T12:00:00.000Z",
         *       "stale": false
         *     }
         */
        ExternalChart: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
            /** @enum {string} */
            interval: "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d";
            /** @enum {string} */
            currency: "usd";
            candles: {
                /** @description Start of the candle, in Unix seconds. */
                time: number;
                open: number;
                high: number;
                low: number;
                close: number;
                volumeUsd: number;
            }[];
            /** @description The provider’s name of the chain. */
            network: string;
            /** @description Name of the provider. */
            source: string;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            fetchedAt: string;
            /** @description Whether the data is older than its freshness limit: a refresh is under way or failed. */
            stale: boolean;
        };
        /**
         * @description A proposal that committers vote on. Votes are weighted by commitment, in base units of native coin.
         * @example {
         *       "id": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "contract": "0x0165878a594ca255338adfa4d48449f69242eb8f",
         *       "number": "1",
         *       "raiseId": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "proposer": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "kind": "release",
         *       "title": "Build the pier",
         *       "description": null,
         *       "descriptionUri": "ipfs://pier",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "amount": "2000000000000000000",
         *       "payout": "2000000000000000000",
         *       "recipient": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "voteStart": "2026-11-18T12:00:00.000Z",
         *       "voteEnd": "2026-11-19T12:00:00.000Z",
         *       "forVotes": "6000000000000000000",
         *       "againstVotes": "0",
         *       "abstainVotes": "2000000000000000000",
         *       "quorum": "3200000000000000000",
         *       "voterCount": 2,
         *       "state": "executed",
         *       "executableAt": "2026-11-20T12:00:00.000Z",
         *       "expiresAt": "2026-12-04T12:00:00.000Z",
         *       "executedAt": "2026-11-20T12:10:00.000Z",
         *       "myVote": {
         *         "support": "for",
         *         "weight": "6000000000000000000",
         *         "votedAt": "2026-11-18T14:00:00.000Z",
         *         "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77"
         *       },
         *       "createdAt": "2026-11-18T11:00:00.000Z",
         *       "asOf": "2026-11-21T12:00:00.000Z",
         *       "blockNumber": 22410004,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 17,
         *       "confirmed": true
         *     }
         */
        Proposal: {
            /**
             * @description Id of a proposal: its contract address and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            contract: Address;
            /**
             * @description Number of the proposal in its contract.
             * @example 1000000000000000000
             */
            number: Amount;
            /**
             * @description Id of a raise: its contract address and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            raiseId: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            proposer: Address;
            /**
             * @description release: pays the recipient. dissolve: returns the remaining escrow to the committers.
             * @enum {string}
             */
            kind: "release" | "dissolve";
            title: string;
            description: string | null;
            /** @description As the chain has it. */
            descriptionUri: string;
            quote: components["schemas"]["QuoteAsset"];
            /**
             * @description Native coin: to pay out, as proposed.
             * @example 1000000000000000000
             */
            amount: Amount;
            /**
             * @description Native coin: that the execution pays, or paid: the amount shrinks by the share of committers who left since.
             * @example 1000000000000000000
             */
            payout: Amount;
            recipient: Address | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            voteStart: string;
            /**
             * Format: date-time
             * @description End of voting, exclusive: votes at this time no longer count.
             * @example 2026-11-21T12:00:00.000Z
             */
            voteEnd: string;
            /**
             * Format: date-time
             * @description End of the exit window: from voteEnd on, committers who did not vote for a proposal that passed can leave with their share; from this time on, it can be executed.
             * @example 2026-11-21T12:00:00.000Z
             */
            executableAt: string;
            /**
             * Format: date-time
             * @description From this time on, it can no longer be executed.
             * @example 2026-11-21T12:00:00.000Z
             */
            expiresAt: string;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            forVotes: Amount;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            againstVotes: Amount;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            abstainVotes: Amount;
            /**
             * @description Minimum of for and abstain votes together.
             * @example 1000000000000000000
             */
            quorum: Amount;
            voterCount: number;
            /**
             * @description State at asOf. succeeded: passed; can be executed from executableAt on, a release while its payout is at most releasable of the raise.
             * @enum {string}
             */
            state: "pending" | "active" | "defeated" | "succeeded" | "executed" | "cancelled" | "expired";
            executedAt: string | null;
            myVote: {
                /** @enum {string} */
                support: "against" | "for" | "abstain";
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                weight: Amount;
                /**
                 * Format: date-time
                 * @description UTC, ISO 8601 with milliseconds.
                 * @example 2026-11-21T12:00:00.000Z
                 */
                votedAt: string;
                /**
                 * @description A 32-byte transaction hash in hexadecimal.
                 * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                 */
                txHash: Hash;
            } | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The time of the newest block.
             * @example 2026-11-21T12:00:00.000Z
             */
            asOf: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /**
         * @description An action of a wallet on a raise or a proposal.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-17",
         *       "type": "commit",
         *       "raiseId": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "proposalId": null,
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "amount": "2000000000000000000",
         *       "support": null,
         *       "timestamp": "2026-11-12T08:14:31.000Z",
         *       "blockNumber": 22410004,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 17,
         *       "confirmed": true
         *     }
         */
        RaiseEvent: {
            /** @description Transaction hash and log index. */
            id: string;
            /** @enum {string} */
            type: "register" | "commit" | "claim_raise" | "refund" | "finalize" | "vote" | "exit" | "execute";
            /**
             * @description Id of a raise: its contract address and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            raiseId: string;
            proposalId: string | null;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            quote: components["schemas"]["QuoteAsset"];
            amount: Amount | null;
            support: ("against" | "for" | "abstain") | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /** @description The raises that the wallet created in the transaction. */
        SyncedRaises: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            raises: components["schemas"]["Raise"][];
        };
        /** @description The wallet’s actions, and the raise after them. */
        SyncedRaise: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            /** @description The wallet’s actions on the raise or proposal in the transaction. */
            events: components["schemas"]["RaiseEvent"][];
            raise: components["schemas"]["Raise"];
        };
        /** @description The proposals that the wallet created in the transaction. */
        SyncedProposals: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            proposals: components["schemas"]["Proposal"][];
        };
        /** @description The wallet’s actions, and the proposal after them. */
        SyncedProposal: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            /** @description The wallet’s actions on the raise or proposal in the transaction. */
            events: components["schemas"]["RaiseEvent"][];
            proposal: components["schemas"]["Proposal"];
        };
        /**
         * @description A pool that pays rewards to stakers. blockNumber, txHash and logIndex are those of its creation.
         * @example {
         *       "id": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1",
         *       "contract": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9",
         *       "number": "1",
         *       "stakingToken": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "rewardToken": "0x0000000000000000000000000000000000000000",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "cooldownSeconds": 259200,
         *       "periodSeconds": 604800,
         *       "totalStaked": "41893560112006519471348291",
         *       "totalStakedUsd": 5266.12,
         *       "rewardRate": "1653439153439153439153439153439153439153439153439",
         *       "rewardPerDay": "142857142857142857",
         *       "periodFinish": "2026-11-26T12:00:00.000Z",
         *       "aprPct": 2970.478113,
         *       "totalFunded": "1000000000000000000",
         *       "totalPaid": "214285714285714285",
         *       "stakerCount": 38,
         *       "createdAt": "2026-11-14T09:30:00.000Z",
         *       "asOf": "2026-11-21T12:00:00.000Z",
         *       "blockNumber": 22362113,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 4,
         *       "confirmed": true
         *     }
         */
        StakingPool: {
            /**
             * @description Id of a staking pool: its contract address and its number there.
             * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
             */
            id: string;
            /**
             * @description Address of the contract to call.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            contract: Address;
            /**
             * @description Number of the pool in its contract: the argument poolId of contract calls.
             * @example 1000000000000000000
             */
            number: Amount;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            stakingToken: Address;
            /**
             * @description The zero address stands for the native coin.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            rewardToken: Address;
            /** @description Asset of the rewards if it is the native coin; null for a token, which rewardToken names. */
            quote: components["schemas"]["QuoteAsset"] | null;
            /** @description Delay between a request to unstake and the withdrawal. */
            cooldownSeconds: number;
            /** @description Duration over which a funding of an idle pool is paid out. */
            periodSeconds: number;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            totalStaked: Amount;
            totalStakedUsd: number | null;
            /**
             * @description Reward base units per second, times 10^36, as stored by the contract. See rewardPerDay.
             * @example 1000000000000000000
             */
            rewardRate: Amount;
            /**
             * @description Rewards for all stakers per day at the current rate; 0 once the rewards have ended.
             * @example 1000000000000000000
             */
            rewardPerDay: Amount;
            periodFinish: string | null;
            aprPct: number | null;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            totalFunded: Amount;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            totalPaid: Amount;
            /** @description Wallets with a stake. Wallets that only wait to withdraw are not counted. */
            stakerCount: number;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the newest block; all figures are as of this time.
             * @example 2026-11-21T12:00:00.000Z
             */
            asOf: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /**
         * @description A wallet’s position at a pool. blockNumber, txHash and logIndex are those of its last action there.
         * @example {
         *       "poolId": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1",
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "stakingToken": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "rewardToken": "0x0000000000000000000000000000000000000000",
         *       "quote": {
         *         "address": "0x0000000000000000000000000000000000000000",
         *         "symbol": "ETH",
         *         "decimals": 18
         *       },
         *       "staked": "1250000000000000000000000",
         *       "pendingUnstake": "250000000000000000000000",
         *       "withdrawableAt": "2026-11-23T08:14:31.000Z",
         *       "earned": "3124890761220938",
         *       "claimed": "6401220098712331",
         *       "asOf": "2026-11-21T12:00:00.000Z",
         *       "blockNumber": 22410004,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 17,
         *       "confirmed": true
         *     }
         */
        StakingPosition: {
            /**
             * @description Id of a staking pool: its contract address and its number there.
             * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
             */
            poolId: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            stakingToken: Address;
            /**
             * @description The zero address stands for the native coin.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            rewardToken: Address;
            /** @description Asset of the rewards if it is the native coin; null for a token, which rewardToken names. */
            quote: components["schemas"]["QuoteAsset"] | null;
            /**
             * @description Stake that earns rewards.
             * @example 1000000000000000000
             */
            staked: Amount;
            /**
             * @description Amount unstaked and not yet withdrawn.
             * @example 1000000000000000000
             */
            pendingUnstake: Amount;
            withdrawableAt: string | null;
            /**
             * @description Exact amount that a claim would pay at the time of the newest block (asOf). A later claim pays no less.
             * @example 1000000000000000000
             */
            earned: Amount;
            /**
             * @description Total rewards paid to the wallet.
             * @example 1000000000000000000
             */
            claimed: Amount;
            /**
             * Format: date-time
             * @description Time of the newest block; `earned` is as of this time.
             * @example 2026-11-21T12:00:00.000Z
             */
            asOf: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /** @description An action of a wallet at a pool. */
        StakingEvent: {
            /** @description Transaction hash and log index. */
            id: string;
            /** @enum {string} */
            type: "stake" | "unstake" | "withdraw" | "claim" | "fund";
            /**
             * @description Id of a staking pool: its contract address and its number there.
             * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
             */
            poolId: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            /**
             * @description In the staking token; for claim and fund, in the reward token.
             * @example 1000000000000000000
             */
            amount: Amount;
            /** @description Asset of the amount if it is the native coin; null for a token. */
            quote: components["schemas"]["QuoteAsset"] | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            logIndex: number;
            /** @description False until the block is final: see finality in /config. */
            confirmed: boolean;
        };
        /**
         * @description The wallet’s actions of this kind in the transaction.
         * @example {
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "events": [
         *         {
         *           "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-17",
         *           "type": "unstake",
         *           "poolId": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1",
         *           "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *           "amount": "250000000000000000000000",
         *           "quote": null,
         *           "timestamp": "2026-11-20T08:14:31.000Z",
         *           "blockNumber": 22410004,
         *           "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *           "logIndex": 17,
         *           "confirmed": false
         *         }
         *       ],
         *       "pools": [
         *         {
         *           "id": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1",
         *           "contract": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9",
         *           "number": "1",
         *           "stakingToken": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *           "rewardToken": "0x0000000000000000000000000000000000000000",
         *           "quote": {
         *             "address": "0x0000000000000000000000000000000000000000",
         *             "symbol": "ETH",
         *             "decimals": 18
         *           },
         *           "cooldownSeconds": 259200,
         *           "periodSeconds": 604800,
         *           "totalStaked": "41893560112006519471348291",
         *           "totalStakedUsd": 5266.12,
         *           "rewardRate": "1653439153439153439153439153439153439153439153439",
         *           "rewardPerDay": "142857142857142857",
         *           "periodFinish": "2026-11-26T12:00:00.000Z",
         *           "aprPct": 2970.478113,
         *           "totalFunded": "1000000000000000000",
         *           "totalPaid": "214285714285714285",
         *           "stakerCount": 38,
         *           "createdAt": "2026-11-14T09:30:00.000Z",
         *           "asOf": "2026-11-21T12:00:00.000Z",
         *           "blockNumber": 22362113,
         *           "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *           "logIndex": 4,
         *           "confirmed": true
         *         }
         *       ],
         *       "positions": [
         *         {
         *           "poolId": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1",
         *           "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *           "stakingToken": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *           "rewardToken": "0x0000000000000000000000000000000000000000",
         *           "quote": {
         *             "address": "0x0000000000000000000000000000000000000000",
         *             "symbol": "ETH",
         *             "decimals": 18
         *           },
         *           "staked": "1250000000000000000000000",
         *           "pendingUnstake": "250000000000000000000000",
         *           "withdrawableAt": "2026-11-23T08:14:31.000Z",
         *           "earned": "3124890761220938",
         *           "claimed": "6401220098712331",
         *           "asOf": "2026-11-21T12:00:00.000Z",
         *           "blockNumber": 22410004,
         *           "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *           "logIndex": 17,
         *           "confirmed": true
         *         }
         *       ]
         *     }
         */
        SyncedStaking: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: Hash;
            events: components["schemas"]["StakingEvent"][];
            /** @description The pools of these events in their current state. */
            pools: components["schemas"]["StakingPool"][];
            /** @description The wallet’s positions at these pools in their current state; empty if it has only funded them. */
            positions: components["schemas"]["StakingPosition"][];
        };
        /**
         * @description A feed item. For a graduation, `actor` is the creator of the token.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11",
         *       "type": "trade",
         *       "actor": {
         *         "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *         "username": "gull",
         *         "avatarUrl": null
         *       },
         *       "token": {
         *         "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *         "name": "Harbour Cat",
         *         "symbol": "HCAT",
         *         "imageUrl": "https://images.example.org/hcat.webp",
         *         "decimals": 18
         *       },
         *       "trade": {
         *         "side": "buy",
         *         "tokenAmount": "418935601120065194713482910",
         *         "quoteAmount": "1000000000000000000",
         *         "quote": {
         *           "address": "0x0000000000000000000000000000000000000000",
         *           "symbol": "ETH",
         *           "decimals": 18
         *         },
         *         "valueUsd": 3000
         *       },
         *       "comment": null,
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "blockNumber": 22414823,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 11,
         *       "confirmed": false
         *     }
         */
        FeedItem: {
            id: string;
            /** @enum {string} */
            type: "launch" | "graduation" | "trade" | "comment";
            actor: components["schemas"]["Author"];
            /** @description The token concerned. */
            token: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
                name: string;
                symbol: string;
                imageUrl: string | null;
                /** @description Of its amounts. */
                decimals: number;
            };
            trade: {
                /** @enum {string} */
                side: "buy" | "sell";
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                tokenAmount: Amount;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                quoteAmount: Amount;
                quote: components["schemas"]["QuoteAsset"];
                valueUsd: number | null;
            } | null;
            comment: {
                /** @example 1024 */
                id: string;
                text: string;
            } | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            blockNumber: number | null;
            txHash: Hash | null;
            logIndex: number | null;
            confirmed: boolean | null;
        };
        /**
         * @description Confirms that a comment is deleted.
         * @example {
         *       "id": "1024",
         *       "deleted": true
         *     }
         */
        CommentDeletion: {
            /** @example 1024 */
            id: string;
            /** @enum {boolean} */
            deleted: true;
        };
        /**
         * @description A wallet’s like of a token or a comment.
         * @example {
         *       "actor": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "target": "1024",
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "likeCount": 4
         *     }
         */
        Like: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            actor: Address;
            /** @description Address of the token, or id of the comment. */
            target: string;
            createdAt: string | null;
            /** @description Current number of likes of the target. */
            likeCount: number;
        };
        /**
         * @description Confirms that a report was received.
         * @example {
         *       "id": "7",
         *       "status": "open"
         *     }
         */
        ReportReceipt: {
            /** @example 1024 */
            id: string;
            /** @enum {string} */
            status: "open";
        };
        /**
         * @description Profile of a wallet. Every address has one, possibly empty.
         * @example {
         *       "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "username": "harbour_cat",
         *       "bio": "I launch cats.",
         *       "avatarUrl": "https://images.example.org/cat.webp",
         *       "followerCount": 128,
         *       "followingCount": 12,
         *       "createdTokens": 3,
         *       "joinedAt": "2026-11-20T09:30:00.000Z",
         *       "followedByMe": null
         *     }
         */
        Profile: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            username: string | null;
            bio: string | null;
            avatarUrl: string | null;
            followerCount: number;
            followingCount: number;
            /** @description Number of launched tokens, without hidden ones. */
            createdTokens: number;
            joinedAt: string | null;
            followedByMe: boolean | null;
        };
        /**
         * @description A wallet’s follow of another wallet.
         * @example {
         *       "actor": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "target": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "followerCount": 41
         *     }
         */
        Follow: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            actor: Address;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            target: Address;
            createdAt: string | null;
            /** @description Current number of followers of the target. */
            followerCount: number;
        };
        /**
         * @description A wallet in a list of followers or of followed wallets.
         * @example {
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "username": null,
         *       "avatarUrl": null,
         *       "followerCount": 41,
         *       "followedAt": "2026-11-21T12:00:00.000Z"
         *     }
         */
        Followed: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            username: string | null;
            avatarUrl: string | null;
            followerCount: number;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            followedAt: string;
        };
        /**
         * @description Whether a token is on the own watchlist.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "watchedAt": "2026-11-21T12:00:00.000Z",
         *       "watcherCount": 12
         *     }
         */
        Watch: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: Address;
            watchedAt: string | null;
            /** @description Current number of wallets that watch the token. */
            watcherCount: number;
        };
        /**
         * @description An alert of the own wallet.
         * @example {
         *       "id": "17",
         *       "type": "price",
         *       "token": {
         *         "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *         "name": "Harbour Cat",
         *         "symbol": "HCAT",
         *         "imageUrl": "https://images.example.org/hcat.webp",
         *         "decimals": 18
         *       },
         *       "wallet": null,
         *       "metric": "marketCapUsd",
         *       "window": null,
         *       "direction": "above",
         *       "value": 100000,
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "triggeredAt": null
         *     }
         */
        Alert: {
            /** @example 1024 */
            id: string;
            /** @enum {string} */
            type: "price" | "price_change" | "graduation" | "trade";
            /** @description Null for an alert about a wallet. */
            token: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
                name: string;
                symbol: string;
                imageUrl: string | null;
                /** @description Of its amounts. */
                decimals: number;
            } | null;
            /** @description The wallet whose trades it is about; else null. */
            wallet: components["schemas"]["Author"] | null;
            /** @description Of a price; else null. */
            metric: ("priceNative" | "priceUsd" | "marketCapNative" | "marketCapUsd") | null;
            /** @description Of a price change; else null. */
            window: ("m5" | "h1" | "h6" | "h24") | null;
            /** @description Of a price and a price change; else null. */
            direction: ("above" | "below") | null;
            /** @description Of a price and a price change; else null. */
            value: number | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            triggeredAt: string | null;
        };
        /**
         * @description Confirms that an alert is deleted.
         * @example {
         *       "id": "17",
         *       "deleted": true
         *     }
         */
        AlertDeletion: {
            /** @example 1024 */
            id: string;
            /** @enum {boolean} */
            deleted: true;
        };
        /**
         * @description A stored image: WebP, without metadata.
         * @example {
         *       "url": "/uploads/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
         *       "width": 512,
         *       "height": 512,
         *       "bytes": 18432,
         *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *     }
         */
        UploadedImage: {
            /** @description Path of the image, valid at either mount; pass it as imageUrl. */
            url: string;
            width: number;
            height: number;
            bytes: number;
            /** @description SHA-256 of the file, in hexadecimal. */
            sha256: string;
        };
        /**
         * @description A stored metadata document.
         * @example {
         *       "uri": "https://api.slipway.example/uploads/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.json"
         *     }
         */
        UploadedMetadata: {
            /** @description URL of the document, for contractURI of the token to launch. */
            uri: string;
        };
        /**
         * @description Confirms that an application was received.
         * @example {
         *       "id": "0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11",
         *       "status": "pending"
         *     }
         */
        AmbassadorApplicationReceipt: {
            id: string;
            /** @enum {string} */
            status: "pending" | "approved" | "rejected";
        };
        /**
         * @description Contains personal data; returned to operators only.
         * @example {
         *       "id": "0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11",
         *       "name": "Mira",
         *       "email": "mira@example.org",
         *       "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "country": "PT",
         *       "socials": {
         *         "x": "https://x.com/mira"
         *       },
         *       "audience": "4,000 followers who collect cat tokens.",
         *       "motivation": "I have launched three tokens here and answer questions every day.",
         *       "status": "pending",
         *       "reviewer": null,
         *       "reviewNote": null,
         *       "reviewedAt": null,
         *       "createdAt": "2026-11-21T12:00:00.000Z"
         *     }
         */
        AmbassadorApplication: {
            id: string;
            name: string;
            /**
             * @description Returned to operators only.
             * @example mira@example.org
             */
            email: string;
            wallet: Address | null;
            /**
             * @description ISO 3166-1 alpha-2 country code.
             * @example PT
             */
            country: string;
            socials: {
                [key: string]: string;
            };
            audience: string;
            motivation: string;
            /** @enum {string} */
            status: "pending" | "approved" | "rejected";
            reviewer: Address | null;
            reviewNote: string | null;
            reviewedAt: string | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
        };
        /**
         * @description Confirms that an application and its personal data are erased.
         * @example {
         *       "id": "0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11",
         *       "erased": true
         *     }
         */
        AmbassadorApplicationErasure: {
            id: string;
            /** @enum {boolean} */
            erased: true;
        };
        /** @description A sign-in message to be signed by the wallet. */
        Nonce: {
            /**
             * @description Valid once, for five minutes.
             * @example 3f1d5c9a0b7e48d2a6c4f8e1d2b3a495
             */
            nonce: string;
            /**
             * @description The EIP-4361 message. The wallet must sign this exact text.
             * @example localhost:3000 wants you to sign in with your Ethereum account:
             *     0x70997970C51812dc3A010C7d01b50e0d17dc79C8
             *
             *     Sign in with this wallet. It costs nothing and moves no funds.
             *
             *     URI: http://localhost:3000
             *     Version: 1
             *     Chain ID: 31337
             *     Nonce: 3f1d5c9a0b7e48d2a6c4f8e1d2b3a495
             *     Issued At: 2026-11-21T12:00:00.000Z
             *     Expiration Time: 2026-11-21T12:05:00.000Z
             */
            message: string;
        };
        /** @description The token of a wallet that has signed in. */
        Login: {
            /**
             * @description A JWT for the header `Authorization: Bearer <token>`. Valid for one day.
             * @example eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImV4YW1wbGUifQ.eyJzdWIiOiIweDcwOTk3OTcwYzUxODEyZGMzYTAxMGM3ZDAxYjUwZTBkMTdkYzc5YzgiLCJqdGkiOiIyODAwZWQ3Ny04OWVkLTQwZWYtYWMzZS1kMzBiNjQzYTFjNjAiLCJhdWQiOiJodHRwOi8vbG9jYWxob3N0OjMwMDAiLCJpc3MiOiJodHRwOi8vbG9jYWxob3N0OjMwMDAiLCJpYXQiOjE3OTUyNjI0MDAsImV4cCI6MTc5NTM0ODgwMH0.VIq0F77bxLZCqwyFPEbCpp789N-bwW8ANNhj4B0QggA
             */
            token: string;
        };
        /** @description The wallet of a token, and the token’s lifetime. */
        Identity: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            /** @description Whether the wallet is on the operators’ list. */
            isAdmin: boolean;
            /** @description Whether the wallet is on the labs list. */
            isLabs: boolean;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            issuedAt: string;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            expiresAt: string;
        };
        /** @description Confirms that the token is revoked. */
        Logout: {
            /** @enum {boolean} */
            revoked: true;
        };
        /**
         * @description Whether a token is hidden from lists.
         * @example {
         *       "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "hidden": true
         *     }
         */
        TokenVisibility: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
            hidden: boolean;
        };
        /**
         * @description Whether a token is featured.
         * @example {
         *       "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "featured": true
         *     }
         */
        TokenFeature: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
            featured: boolean;
        };
        /**
         * @description Whether a raise is featured.
         * @example {
         *       "id": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "featured": true
         *     }
         */
        RaiseFeature: {
            /**
             * @description Id of a raise: its contract address and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            id: string;
            featured: boolean;
        };
        /**
         * @description Whether operators have hidden a comment.
         * @example {
         *       "id": "1024",
         *       "hidden": true
         *     }
         */
        CommentVisibility: {
            /** @example 1024 */
            id: string;
            hidden: boolean;
        };
        /**
         * @description Whether a wallet is banned.
         * @example {
         *       "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "banned": true
         *     }
         */
        WalletBan: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            banned: boolean;
        };
        /**
         * @description A banned wallet.
         * @example {
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "actor": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "reason": "Asks for seed phrases.",
         *       "bannedAt": "2026-11-21T12:00:00.000Z"
         *     }
         */
        Ban: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: Address;
            /** @description The operator who banned it. */
            actor: Address | null;
            reason: string | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            bannedAt: string;
        };
        /**
         * @description A wallet’s report of a comment.
         * @example {
         *       "id": "7",
         *       "reporter": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "reason": "scam",
         *       "note": "The link asks for a seed phrase.",
         *       "status": "open",
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "comment": {
         *         "id": "1024",
         *         "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *         "author": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *         "text": "Verify your wallet at https://example.org",
         *         "hidden": false,
         *         "deleted": false,
         *         "authorBanned": false
         *       }
         *     }
         */
        Report: {
            /** @example 1024 */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            reporter: Address;
            /** @enum {string} */
            reason: "spam" | "scam" | "abuse" | "illegal" | "other";
            note: string | null;
            /**
             * @description open: not decided. upheld: the comment was hidden. dismissed: the report was rejected.
             * @enum {string}
             */
            status: "open" | "upheld" | "dismissed";
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            comment: {
                /** @example 1024 */
                id: string;
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: Address;
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                author: Address;
                /** @description Included also if the comment is hidden. Empty if it was deleted and has no open reports. */
                text: string;
                hidden: boolean;
                deleted: boolean;
                authorBanned: boolean;
            };
        };
        /**
         * @description An action of an operator or a labs member.
         * @example {
         *       "id": "31",
         *       "actor": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "action": "token.hide",
         *       "subject": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "reason": "Asks for seed phrases.",
         *       "createdAt": "2026-11-21T12:00:00.000Z"
         *     }
         */
        AuditEntry: {
            /** @example 1024 */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            actor: Address;
            /** @description token.hide, token.unhide, token.feature, token.unfeature, token.edit, raise.feature, raise.unfeature, raise.edit, comment.hide, comment.unhide, report.dismiss, wallet.ban, wallet.unban, application.approve, application.reject, application.erase, deployment.add, deployment.remove, and others. */
            action: string;
            /** @description Address or id of the target of the action. */
            subject: string;
            reason: string | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
        };
        /**
         * @description A contract that the service follows, or did.
         * @example {
         *       "address": "0x7193e46d4a812c8990f96a6e9c1f1ed338b2a6b7",
         *       "kind": "nad-fun",
         *       "startBlock": 30000000,
         *       "source": "api",
         *       "state": "backfilling",
         *       "progressPct": 41.5,
         *       "indexedBlock": 41500000,
         *       "removed": false,
         *       "addedBy": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "addedAt": "2026-11-21T12:00:00.000Z"
         *     }
         */
        Deployment: {
            /**
             * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: Address;
            /**
             * @description Kind of the contract.
             * @example nad-fun
             */
            kind: string;
            /**
             * @description Block from which its events are read.
             * @example 30000000
             */
            startBlock: number;
            /**
             * @description settings: DEPLOYMENTS names it, so it cannot be removed here. api: an operator has added it.
             * @enum {string}
             */
            source: "settings" | "api";
            /**
             * @description waiting: the indexer follows it within seconds. backfilling: new launches are indexed, and its history is being indexed. complete: all of its events are indexed, or it has none.
             * @enum {string}
             */
            state: "waiting" | "backfilling" | "complete";
            /**
             * @description Part of its history that is indexed, in percent.
             * @example 41.5
             */
            progressPct: number;
            indexedBlock: number | null;
            /** @description Whether it was removed, so that its tokens are hidden. */
            removed: boolean;
            addedBy: Address | null;
            addedAt: string | null;
        };
        /**
         * @description The latest block whose events can be read.
         * @example {
         *       "block": {
         *         "blockNumber": 22414823,
         *         "blockTimestamp": 1795176000
         *       }
         *     }
         */
        FeedLatestBlock: {
            block: {
                blockNumber: number;
                /** @description Unix seconds. */
                blockTimestamp: number;
            };
        };
        /**
         * @description A token, or the wrapped native coin as quote asset.
         * @example {
         *       "asset": {
         *         "id": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
         *         "name": "Harbour Cat",
         *         "symbol": "HCAT",
         *         "totalSupply": "1000000000",
         *         "metadata": {
         *           "website": "https://hcat.example.org"
         *         }
         *       }
         *     }
         */
        FeedAsset: {
            asset: {
                /**
                 * @description An address with EIP-55 checksum.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                id: Address;
                name: string;
                symbol: string;
                /**
                 * @description In whole tokens. Absent for the native coin.
                 * @example 0.000000041900000001
                 */
                totalSupply?: Decimal;
                /** @description Further known properties. */
                metadata?: {
                    [key: string]: string;
                };
            };
        };
        /**
         * @description A token, or the wrapped native coin as quote asset, with decimals.
         * @example {
         *       "asset": {
         *         "id": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
         *         "name": "Harbour Cat",
         *         "symbol": "HCAT",
         *         "decimals": 18,
         *         "totalSupply": "1000000000",
         *         "metadata": {
         *           "website": "https://hcat.example.org"
         *         }
         *       }
         *     }
         */
        FeedAssetWithDecimals: {
            asset: {
                /**
                 * @description An address with EIP-55 checksum.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                id: Address;
                name: string;
                symbol: string;
                decimals: number;
                /**
                 * @description In whole tokens. Absent for the native coin.
                 * @example 0.000000041900000001
                 */
                totalSupply?: Decimal;
                /** @description Further known properties. */
                metadata?: {
                    [key: string]: string;
                };
            };
        };
        /**
         * @description A market of a token. The pair of the curve has the address of the token and keeps the trades made there. After graduation, the pool is a second pair with the address of the pool, or its id.
         * @example {
         *       "pair": {
         *         "id": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
         *         "dexKey": "slipway",
         *         "asset0Id": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
         *         "asset1Id": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
         *         "createdAtBlockNumber": 22414000,
         *         "createdAtBlockTimestamp": 1795166124,
         *         "createdAtTxnId": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *         "creator": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
         *         "feeBps": 150,
         *         "metadata": {
         *           "launchpad": "0x5FbDB2315678afecb367f032d93F642f64180aa3"
         *         }
         *       }
         *     }
         */
        FeedPair: {
            pair: {
                /**
                 * @description An address with EIP-55 checksum, or the id of a pool of Uniswap V4 in lower case.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                id: string;
                /** @description Exchange of the pair: the launchpad of the curve, or the type of the pool, such as uniswap-v2. */
                dexKey: string;
                /**
                 * @description The token. The order of the assets never changes.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                asset0Id: Address;
                /**
                 * @description The wrapped native coin.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                asset1Id: Address;
                createdAtBlockNumber: number;
                /** @description Unix seconds. */
                createdAtBlockTimestamp: number;
                /**
                 * @description A 32-byte transaction hash in hexadecimal.
                 * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                 */
                createdAtTxnId: Hash;
                /**
                 * @description Wallet that launched the token.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                creator: Address;
                /** @description Swap fee in basis points. Absent if unknown. */
                feeBps?: number;
                /** @description Further known properties. */
                metadata?: {
                    [key: string]: string;
                };
            };
        };
        /** @description A swap, or liquidity added to (join) or removed from (exit) a market. Amounts are whole coins. */
        FeedEvent: {
            block: {
                blockNumber: number;
                /** @description Unix seconds. */
                blockTimestamp: number;
            };
            /** @enum {string} */
            eventType: "swap" | "join" | "exit";
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txnId: Hash;
            /** @description Orders the transactions of a block; equal for all events of one transaction. It is not the transaction index, which is not stored, but the log index of the transaction’s first trade. */
            txnIndex: number;
            /** @description Orders the events of a transaction: twice the log index, plus one for the second event of a log. */
            eventIndex: number;
            /**
             * @description The trader; for a graduation, the launchpad.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            maker: Address;
            /**
             * @description An address with EIP-55 checksum, or the id of a pool of Uniswap V4 in lower case.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            pairId: string;
            /**
             * @description Sell: tokens paid in.
             * @example 0.000000041900000001
             */
            asset0In?: Decimal;
            /**
             * @description Buy: native coin paid in.
             * @example 0.000000041900000001
             */
            asset1In?: Decimal;
            /**
             * @description Buy: tokens paid out.
             * @example 0.000000041900000001
             */
            asset0Out?: Decimal;
            /**
             * @description Sell: native coin paid out.
             * @example 0.000000041900000001
             */
            asset1Out?: Decimal;
            /**
             * @description Swap: price of asset0 in asset1 after the swap.
             * @example 0.000000041900000001
             */
            priceNative?: Decimal;
            /**
             * @description Join or exit: tokens moved.
             * @example 0.000000041900000001
             */
            amount0?: Decimal;
            /**
             * @description Join or exit: native coin moved.
             * @example 0.000000041900000001
             */
            amount1?: Decimal;
            /** @description Reserves after the event. Absent for a pool of Uniswap V3 or V4. */
            reserves?: {
                /**
                 * @description Token reserve of the market.
                 * @example 0.000000041900000001
                 */
                asset0: Decimal;
                /**
                 * @description Native coin reserve of the market.
                 * @example 0.000000041900000001
                 */
                asset1: Decimal;
            };
        };
        /**
         * @description Events in chain order: by block, txnIndex and eventIndex.
         * @example {
         *       "events": [
         *         {
         *           "block": {
         *             "blockNumber": 22414823,
         *             "blockTimestamp": 1795176000
         *           },
         *           "eventType": "swap",
         *           "txnId": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *           "txnIndex": 11,
         *           "eventIndex": 22,
         *           "maker": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
         *           "pairId": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
         *           "asset1In": "0.1",
         *           "asset0Out": "41893560.112006519471348291",
         *           "priceNative": "0.000000002363281250",
         *           "reserves": {
         *             "asset0": "958106439.887993480528651709",
         *             "asset1": "0.0985"
         *           }
         *         }
         *       ]
         *     }
         */
        FeedEvents: {
            events: components["schemas"]["FeedEvent"][];
        };
        /**
         * @description Market of a token over the last 24 hours. Numbers are decimal strings in whole coins.
         * @example {
         *       "ticker_id": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0_0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
         *       "base_currency": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
         *       "target_currency": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
         *       "pool_id": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
         *       "last_price": "0.00000000236328125",
         *       "high": "0.0000000024",
         *       "low": "0.0000000021",
         *       "base_volume": "51234567.891",
         *       "target_volume": "0.1205",
         *       "liquidity_in_usd": "295.5"
         *     }
         */
        CoingeckoTicker: {
            /**
             * @description Base and target currency, joined by an underscore.
             * @example 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0_0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2
             */
            ticker_id: string;
            /**
             * @description The token.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            base_currency: Address;
            /**
             * @description The wrapped native coin.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            target_currency: Address;
            /**
             * @description Address or id of the pool; address of the token while it is on its curve.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            pool_id: string;
            /**
             * @description Price per token of the last trade.
             * @example 0.000000041900000001
             */
            last_price: Decimal;
            /**
             * @description Highest trade price of the last 24 hours.
             * @example 0.000000041900000001
             */
            high: Decimal;
            /**
             * @description Lowest trade price of the last 24 hours.
             * @example 0.000000041900000001
             */
            low: Decimal;
            /**
             * @description Volume in tokens of the last 24 hours.
             * @example 0.000000041900000001
             */
            base_volume: Decimal;
            /**
             * @description Volume in native coin of the last 24 hours.
             * @example 0.000000041900000001
             */
            target_volume: Decimal;
            /**
             * @description Absent if no US dollar price is available.
             * @example 0.000000041900000001
             */
            liquidity_in_usd?: Decimal;
        };
        /**
         * @description Trades by side, newest first.
         * @example {
         *       "buy": [
         *         {
         *           "trade_id": 22414823000011,
         *           "price": "0.00000000238698",
         *           "base_volume": "41893560.112006519471348291",
         *           "target_volume": "0.1",
         *           "trade_timestamp": 1795176000000,
         *           "type": "buy"
         *         }
         *       ],
         *       "sell": []
         *     }
         */
        CoingeckoTrades: {
            buy: {
                /** @description Increases with every trade. Derived from block number and log index. */
                trade_id: number;
                /**
                 * @description Price per token.
                 * @example 0.000000041900000001
                 */
                price: Decimal;
                /**
                 * @description Amount of tokens.
                 * @example 0.000000041900000001
                 */
                base_volume: Decimal;
                /**
                 * @description Amount of native coin.
                 * @example 0.000000041900000001
                 */
                target_volume: Decimal;
                /** @description Unix milliseconds. */
                trade_timestamp: number;
                /** @enum {string} */
                type: "buy" | "sell";
            }[];
            sell: {
                /** @description Increases with every trade. Derived from block number and log index. */
                trade_id: number;
                /**
                 * @description Price per token.
                 * @example 0.000000041900000001
                 */
                price: Decimal;
                /**
                 * @description Amount of tokens.
                 * @example 0.000000041900000001
                 */
                base_volume: Decimal;
                /**
                 * @description Amount of native coin.
                 * @example 0.000000041900000001
                 */
                target_volume: Decimal;
                /** @description Unix milliseconds. */
                trade_timestamp: number;
                /** @enum {string} */
                type: "buy" | "sell";
            }[];
        };
        /**
         * @description A token list for import by wallets and exchanges.
         * @example {
         *       "name": "Slipway",
         *       "timestamp": "2026-11-20T12:00:00.000Z",
         *       "version": {
         *         "major": 0,
         *         "minor": 1,
         *         "patch": 1
         *       },
         *       "keywords": [
         *         "launchpad"
         *       ],
         *       "tokens": [
         *         {
         *           "chainId": 31337,
         *           "address": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
         *           "decimals": 18,
         *           "name": "Harbour Cat",
         *           "symbol": "HCAT",
         *           "logoURI": "https://images.example.org/hcat.webp"
         *         }
         *       ]
         *     }
         */
        TokenList: {
            name: string;
            /**
             * Format: date-time
             * @description Time of this version.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            /** @description Never decreases, and is equal on all replicas. */
            version: {
                /** @description Number of removals of a token. */
                major: number;
                /** @description Number of additions of a token. */
                minor: number;
                /** @description Number of changed token images. */
                patch: number;
            };
            /** Format: uri */
            logoURI?: string;
            keywords: string[];
            tokens: {
                chainId: number;
                /**
                 * @description An address with EIP-55 checksum.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                address: Address;
                decimals: number;
                /** @description Truncated to the maximum length of the token list schema. */
                name: string;
                /** @description Truncated likewise, with spaces removed. */
                symbol: string;
                /** Format: uri */
                logoURI?: string;
            }[];
        };
        /**
         * @description Body of every error response of the feed.
         * @example {
         *       "s": "error",
         *       "errmsg": "unknown_symbol"
         *     }
         */
        UdfError: {
            /** @enum {string} */
            s: "error";
            /** @description Error message. */
            errmsg: string;
        };
        /**
         * @description Capabilities of the feed.
         * @example {
         *       "supported_resolutions": [
         *         "1S",
         *         "5S",
         *         "15S",
         *         "1",
         *         "5",
         *         "15",
         *         "30",
         *         "60",
         *         "240",
         *         "1D"
         *       ],
         *       "supports_search": true,
         *       "supports_group_request": false,
         *       "supports_marks": true,
         *       "supports_timescale_marks": false,
         *       "supports_time": true,
         *       "exchanges": [
         *         {
         *           "name": "Slipway",
         *           "value": "Slipway",
         *           "desc": "Slipway"
         *         }
         *       ],
         *       "symbols_types": [
         *         {
         *           "name": "Token",
         *           "value": "crypto"
         *         },
         *         {
         *           "name": "Market cap",
         *           "value": "fundamental"
         *         }
         *       ]
         *     }
         */
        UdfConfig: {
            supported_resolutions: ("1S" | "5S" | "15S" | "1" | "5" | "15" | "30" | "60" | "240" | "1D")[];
            supports_search: boolean;
            supports_group_request: boolean;
            supports_marks: boolean;
            supports_timescale_marks: boolean;
            supports_time: boolean;
            exchanges: {
                /** @description Display name. */
                name: string;
                /** @description Value for the search parameter. */
                value: string;
                desc: string;
            }[];
            symbols_types: {
                /** @description Display name. */
                name: string;
                /** @description Value for the search parameter. */
                value: string;
            }[];
        };
        /**
         * @description The price of a token in one currency, or its market capitalisation.
         * @example {
         *       "name": "HCAT/ETH",
         *       "ticker": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "description": "Harbour Cat",
         *       "type": "crypto",
         *       "session": "24x7",
         *       "timezone": "Etc/UTC",
         *       "exchange": "Slipway",
         *       "listed_exchange": "Slipway",
         *       "exchange-traded": "Slipway",
         *       "exchange-listed": "Slipway",
         *       "currency_code": "ETH",
         *       "format": "price",
         *       "minmov": 1,
         *       "minmov2": 0,
         *       "pointvalue": 1,
         *       "pricescale": 10000000000000000,
         *       "has_intraday": true,
         *       "has_seconds": true,
         *       "has_daily": true,
         *       "has_weekly_and_monthly": false,
         *       "intraday_multipliers": [
         *         "1",
         *         "5",
         *         "15",
         *         "30",
         *         "60",
         *         "240"
         *       ],
         *       "seconds_multipliers": [
         *         "1",
         *         "5",
         *         "15"
         *       ],
         *       "supported_resolutions": [
         *         "1S",
         *         "5S",
         *         "15S",
         *         "1",
         *         "5",
         *         "15",
         *         "30",
         *         "60",
         *         "240",
         *         "1D"
         *       ],
         *       "visible_plots_set": "ohlcv",
         *       "volume_precision": 6,
         *       "data_status": "streaming"
         *     }
         */
        UdfSymbol: {
            /** @description Display name: symbol of the token, and the currency or `MC`. Not unique. */
            name: string;
            /** @description Unique; the symbol parameter of the other operations. */
            ticker: string;
            description: string;
            /** @enum {string} */
            type: "crypto" | "fundamental";
            /** @enum {string} */
            session: "24x7";
            /** @enum {string} */
            timezone: "Etc/UTC";
            exchange: string;
            listed_exchange: string;
            /** @description Same as exchange, for older clients. */
            "exchange-traded": string;
            /** @description Same as listed_exchange, for older clients. */
            "exchange-listed": string;
            /** @description Currency of prices or of the market capitalisation. */
            currency_code: string;
            /** @enum {string} */
            format: "price";
            /** @enum {number} */
            minmov: 1;
            /** @enum {number} */
            minmov2: 0;
            /** @enum {number} */
            pointvalue: 1;
            /** @description A power of ten with enough decimals for eight significant digits of the lowest price. */
            pricescale: number;
            has_intraday: boolean;
            /** @description Whether there are bars of seconds, which are of the last hour. */
            has_seconds: boolean;
            has_daily: boolean;
            has_weekly_and_monthly: boolean;
            intraday_multipliers: string[];
            /** @description Lengths of bars of seconds. */
            seconds_multipliers: string[];
            supported_resolutions: ("1S" | "5S" | "15S" | "1" | "5" | "15" | "30" | "60" | "240" | "1D")[];
            /** @enum {string} */
            visible_plots_set: "ohlcv";
            volume_precision: number;
            /** @enum {string} */
            data_status: "streaming";
        };
        /**
         * @description Bars as columns of equal length, one bar for every interval since the launch, with or without trades.
         * @example {
         *       "s": "ok",
         *       "t": [
         *         1795168500,
         *         1795168800
         *       ],
         *       "o": [
         *         2.1e-9,
         *         2.36328125e-9
         *       ],
         *       "h": [
         *         2.36328125e-9,
         *         2.36328125e-9
         *       ],
         *       "l": [
         *         2.1e-9,
         *         2.36328125e-9
         *       ],
         *       "c": [
         *         2.36328125e-9,
         *         2.36328125e-9
         *       ],
         *       "v": [
         *         0.12,
         *         0
         *       ]
         *     }
         */
        UdfHistory: {
            /** @enum {string} */
            s: "ok" | "no_data";
            /** @description Start times of the bars in Unix seconds, ascending. */
            t?: number[];
            /** @description Open prices, or market capitalisations. */
            o?: number[];
            /** @description High prices. */
            h?: number[];
            /** @description Low prices. */
            l?: number[];
            /** @description Close prices. */
            c?: number[];
            /** @description Volumes in whole coins of the currency. */
            v?: number[];
            /** @description Start of the last bar, if the range has no bar but an earlier one exists. */
            nextTime?: number;
        };
        /**
         * @description Marks for launch and graduation, as columns of equal length.
         * @example {
         *       "id": [
         *         1
         *       ],
         *       "time": [
         *         1795168500
         *       ],
         *       "color": [
         *         "blue"
         *       ],
         *       "text": [
         *         "Launched"
         *       ],
         *       "label": [
         *         "L"
         *       ],
         *       "labelFontColor": [
         *         "white"
         *       ],
         *       "minSize": [
         *         16
         *       ]
         *     }
         */
        UdfMarks: {
            id: number[];
            time: number[];
            color: string[];
            text: string[];
            label: string[];
            labelFontColor: string[];
            minSize: number[];
        };
        /**
         * @description A JSON-RPC 2.0 request.
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": 1,
         *       "method": "eth_blockNumber",
         *       "params": []
         *     }
         */
        RpcCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /** @description Returned unchanged in the response. A call without an id is a notification and gets no response. */
            id?: string | number | null;
            method: string;
            params?: unknown[];
        };
        /**
         * @description A JSON-RPC 2.0 response to a call that succeeded.
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": 1,
         *       "result": "0x1b4"
         *     }
         */
        RpcResult: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /** @description Returned unchanged in the response. A call without an id is a notification and gets no response. */
            id: string | number | null;
            result: unknown;
        };
        /**
         * @description A JSON-RPC 2.0 response to a call that failed.
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": 1,
         *       "error": {
         *         "code": -32601,
         *         "message": "The method admin_peers is not available"
         *       }
         *     }
         */
        RpcError: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /** @description Returned unchanged in the response. A call without an id is a notification and gets no response. */
            id: string | number | null;
            error: {
                /** @description -32700: not JSON. -32600: not a request. -32601: method not available here. -32602: invalid parameters. -32005: limit exceeded. -32603: no node answered. Any other code is the node’s own, with its message and data. */
                code: number;
                message: string;
                data?: unknown;
            };
        };
        /** @description Configuration that a web client needs to start from a base URL. */
        Config: {
            /** @example 0.1.0 */
            version: string;
            /** @example 8453 */
            chainId: number;
            /** @example Base */
            chainName: string;
            /** @description Native coin of the chain, as for wallet_addEthereumChain. */
            nativeCurrency: {
                /** @example Ether */
                name: string;
                /** @example ETH */
                symbol: string;
                /** @example 18 */
                decimals: number;
                wrapped: Address | null;
            };
            explorerUrl: string | null;
            /** @description When a block is final, which confirms its records. */
            finality: {
                /**
                 * @description blocks: the block is that many below the head; seconds: it is that much older than the head; finalized: the node’s block tag of this name has reached it.
                 * @enum {string}
                 */
                unit: "blocks" | "seconds" | "finalized";
                amount: number | null;
            };
            /**
             * @description Depth in blocks at which a record counts as confirmed. If the unit of finality is another one: the present distance of the newest final block from the head.
             * @example 12
             */
            finalityDepth: number;
            /** @description All indexed contracts, including older deployments. */
            contracts: {
                /**
                 * @description Kind of the contract.
                 * @example launchpad
                 */
                kind: string;
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
                /**
                 * @description Block from which to read the contract’s events.
                 * @example 19000000
                 */
                startBlock: number;
                abi: string | null;
            }[];
            /** @description Launchpads, in the order of contracts. */
            launchpads: {
                /**
                 * @description Kind of the launchpad: which contracts it runs.
                 * @example slipway
                 */
                kind: string;
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
                /** @example Slipway */
                name: string;
                /** @example 19000000 */
                startBlock: number;
                capabilities: ("launch" | "trade" | "quote" | "pool-trade" | "graduate" | "creator-fees")[];
            }[];
            quotes: {
                /**
                 * @description Contract of the asset; the zero address is the native coin.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
                /** @example ETH */
                symbol: string;
                /** @example 18 */
                decimals: number;
                usdRoute: Address[] | null;
            }[];
            /** @description Maximum lengths of a launch’s texts in bytes of UTF-8; the contract reverts above them. */
            contractLimits: {
                /** @example 64 */
                nameBytes: number;
                /** @example 16 */
                symbolBytes: number;
                /** @example 512 */
                uriBytes: number;
            };
            /** @description Paths of the ABIs, relative to either mount. */
            abis: string[];
            /**
             * @description Domain in sign-in messages.
             * @example launch.example
             */
            siweDomain: string;
            /** @example https://launch.example */
            publicUrl: string;
            /**
             * @description Path of the OpenAPI document.
             * @example /docs/json
             */
            openapi: string;
            /**
             * @description Path of the WebSocket, relative to either mount.
             * @example /ws
             */
            socket: string;
            /**
             * @description Path of the AsyncAPI document of the WebSocket.
             * @example /asyncapi.json
             */
            asyncapi: string;
            limits: {
                /** @example 20 */
                defaultLimit: number;
                /** @example 100 */
                maxLimit: number;
                /**
                 * @description Maximum of page times limit; use cursor beyond that.
                 * @example 10000
                 */
                maxDepth: number;
                /**
                 * @description Maximum size of a JSON body in bytes.
                 * @example 65536
                 */
                bodyBytes: number;
                /** @description Request quotas: the global one, that of an address, and one per bucket. */
                requests: {
                    /**
                     * @description Name of the quota, as in the headers RateLimit and x-rate-limit-bucket.
                     * @example global
                     */
                    name: string;
                    /**
                     * @description Requests allowed for one wallet or address per window.
                     * @example 300
                     */
                    limit: number;
                    /**
                     * @description Length of the window in seconds.
                     * @example 60
                     */
                    windowSeconds: number;
                }[];
            };
            brand: {
                /** @example Slipway */
                name: string;
                /** @example https://launch.example */
                url: string;
                logoUrl: string | null;
                /** @example #0ea5e9 */
                color: string;
            };
            /** @description Accounts that anyone may use. Present only on the embedded chain. */
            demo?: {
                /**
                 * @description Mnemonic of the accounts, at the path m/44’/60’/0’/0/index.
                 * @example test test test test test test test test test test test junk
                 */
                mnemonic: string;
                accounts: {
                    /** @example 1 */
                    index: number;
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    address: Address;
                    /** @example harbormaster */
                    name: string;
                }[];
            };
        };
        /** @description The state of the service and of everything that it needs. */
        Health: {
            database: {
                /** @enum {boolean} */
                ok: true;
                /**
                 * @description Duration of the check in milliseconds.
                 * @example 1.4
                 */
                latencyMs: number;
            };
            cache: {
                /** @enum {boolean} */
                ok: true;
                /**
                 * @description Duration of the check in milliseconds.
                 * @example 1.4
                 */
                latencyMs: number;
            };
            rpc: {
                /** @enum {boolean} */
                ok: true;
                /**
                 * @description Duration of the check in milliseconds.
                 * @example 1.4
                 */
                latencyMs: number;
                /**
                 * @description Latest block of the node.
                 * @example 19000123
                 */
                blockNumber: number;
                /**
                 * @description What is wrong with single nodes, such as one of another chain, which is not used.
                 * @example [
                 *       "node 2 of RPC_URL is not used, because it is on chain 5, and CHAIN_ID is 1"
                 *     ]
                 */
                problems: string[];
            };
            indexer: {
                /** @enum {boolean} */
                ok: true;
                /**
                 * @description Last indexed block.
                 * @example 19000123
                 */
                blockNumber: number;
                blockTime: string | null;
                /**
                 * @description Blocks between the last indexed block and the chain head.
                 * @example 0
                 */
                lagBlocks: number;
                /**
                 * @description Time between the last indexed block and the chain head, in seconds of the blocks’ own times.
                 * @example 0
                 */
                lagSeconds: number;
                leader: string | null;
                /**
                 * @description Age of the active indexer’s last heartbeat in seconds.
                 * @example 0.8
                 */
                heartbeatSeconds: number;
                /** @description Contracts that operators have added, whose history is being indexed beside the head. */
                backfills: {
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    address: Address;
                    /**
                     * @description Kind of the contract.
                     * @example nad-fun
                     */
                    kind: string;
                    /**
                     * @description Part of its history that is indexed, in percent.
                     * @example 41.5
                     */
                    progressPct: number;
                }[];
            };
            readReplica: {
                /**
                 * @description The replica serves reads only while its state is ok. promoted: it is a primary.
                 * @enum {string}
                 */
                state: "ok" | "behind" | "promoted" | "down";
                lagSeconds: number | null;
            } | null;
            /** @description Null without KEEPER_KEY, or before its first round. */
            keeper: {
                /**
                 * @description Account that graduates completed tokens.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
                balance: Amount | null;
                /**
                 * @description Completed tokens that wait for their graduation.
                 * @example 0
                 */
                waiting: number;
                problem: string | null;
            } | null;
            /** @example 0.1.0 */
            version: string;
            /** @example 86400 */
            uptimeSeconds: number;
        };
        /** @description The process responds. */
        Alive: {
            /** @enum {boolean} */
            alive: true;
        };
        /** @description The process can serve requests. */
        Ready: {
            /** @enum {boolean} */
            ready: true;
        };
        /**
         * @description Every reason of a failure, as the header x-error-reason carries it.
         * @enum {string}
         */
        ErrorReason: "ALERT_LIMIT" | "ALREADY_EXISTS" | "BODY_TOO_LARGE" | "CACHE_READ_ONLY" | "CACHE_UNAVAILABLE" | "CONFLICT" | "DATABASE_FULL" | "DATABASE_READ_ONLY" | "DATABASE_UNAVAILABLE" | "DEPLOYMENT_INVALID" | "EVENT_MISSING" | "EXPECTATION_FAILED" | "FILTERS_NOT_READY" | "FINALITY_BROKEN" | "FOLLOW_LIMIT" | "HEADERS_TOO_LARGE" | "HISTORY_ARCHIVED" | "HISTORY_TOO_LONG" | "HISTORY_UNKNOWN" | "IMAGE_TOO_LARGE" | "INTERNAL" | "INVALID_INPUT" | "JWT_INVALID" | "JWT_MISSING" | "MALFORMED_BODY" | "MALFORMED_HANDSHAKE" | "MALFORMED_JSON" | "MALFORMED_REQUEST" | "MALFORMED_URL" | "MARKET_NOT_FOUND" | "MESSAGE_MISMATCH" | "METHOD_NOT_ALLOWED" | "NODE_UNAVAILABLE" | "NONCE_USED" | "NOT_ADMIN" | "NOT_LABS" | "NOT_OWNER" | "NO_PAGES" | "ORIGIN_REFUSED" | "OVERLOADED" | "OWN_TRADES_ALERT" | "PAGE_TOO_DEEP" | "QUOTE_NOT_SUPPORTED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "REQUEST_TIMEOUT" | "RESOURCE_NOT_FOUND" | "ROUTE_NOT_FOUND" | "SELF_FOLLOW" | "SESSION_MISSING" | "SIGNATURE_INVALID" | "STORAGE_FULL" | "STORAGE_UNAVAILABLE" | "TOKEN_LAUNCHED_HERE" | "TOKEN_NOT_FOUND" | "TOKEN_NOT_TRADABLE" | "TRANSACTION_ALREADY_INDEXED" | "TRANSACTION_FOREIGN" | "TRANSACTION_NOT_FOUND" | "TRANSACTION_PENDING" | "TRANSACTION_REVERTED" | "UNHEALTHY" | "UNSTORABLE_TEXT" | "UNSUPPORTED_ENCODING" | "UNSUPPORTED_MEDIA_TYPE" | "UNTRADABLE" | "UPGRADE_REQUIRED" | "UPSTREAM_FAILED" | "UPSTREAM_TIMEOUT" | "URL_TOO_LONG" | "USERNAME_TAKEN" | "WALLET_BANNED" | "WATCHLIST_FULL" | "WRONG_STATE";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTokens: {
        parameters: {
            query?: {
                /** @description Page number, from 1. page times limit is at most 10000; use cursor beyond that. */
                page?: number;
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description trending: traded volume, weighted towards recent trades. newest: latest launch first. mcap: market cap. volume: volume of the last day. curve: not graduated, closest to completion first. graduated: latest graduation first. liquidity: liquidity in native coin. trades: trades of the last day. holders: wallets with a balance. change: price change of the last day. */
                sort?: "trending" | "newest" | "mcap" | "volume" | "curve" | "graduated" | "liquidity" | "trades" | "holders" | "change";
                /** @description desc: as said. asc: the other way round. Tokens whose figure is unknown come last in both. */
                direction?: "desc" | "asc";
                /**
                 * @description Only tokens in one of these states: a comma-separated list of curve, completed, graduated.
                 * @example curve,completed
                 */
                status?: string;
                /** @description Only tokens with a link, or only those without. */
                hasLinks?: boolean;
                /** @description Only featured tokens, or only those that are not. */
                featured?: boolean;
                /**
                 * @description Only tokens of this creator.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                creator?: Address;
                /** @description Only tokens of these launchpads: a comma-separated list of kinds, as /config lists them. */
                launchpad?: string;
                /**
                 * @description Only tokens priced in these assets: a comma-separated list of addresses, as /config lists them; the zero address is the native coin.
                 * @example 0x0000000000000000000000000000000000000000
                 */
                quote?: string;
                /**
                 * @description Only tokens that have none of these in their name or symbol, in any letter case: a comma-separated list of up to five words or parts of words, with at most 32 characters each.
                 * @example inu,elon
                 */
                exclude?: string;
                /** @description Seconds since the launch, by the time of the newest block: at least. */
                minAge?: number;
                /** @description Seconds since the launch, by the time of the newest block: at most. */
                maxAge?: number;
                /** @description Market cap in US dollars. Without a price of the native coin no token matches: at least. */
                minMarketCapUsd?: number;
                /** @description Market cap in US dollars. Without a price of the native coin no token matches: at most. */
                maxMarketCapUsd?: number;
                /** @description Liquidity in US dollars. Without a price of the native coin no token matches: at least. */
                minLiquidityUsd?: number;
                /** @description Liquidity in US dollars. Without a price of the native coin no token matches: at most. */
                maxLiquidityUsd?: number;
                /** @description Volume of the minutes that began in the last five in US dollars. Without a price of the native coin no token matches: at least. */
                "minVolumeUsd.m5"?: number;
                /** @description Volume of the minutes that began in the last five in US dollars. Without a price of the native coin no token matches: at most. */
                "maxVolumeUsd.m5"?: number;
                /** @description Volume of the last hour in US dollars. Without a price of the native coin no token matches: at least. */
                "minVolumeUsd.h1"?: number;
                /** @description Volume of the last hour in US dollars. Without a price of the native coin no token matches: at most. */
                "maxVolumeUsd.h1"?: number;
                /** @description Volume of the minutes that began in the last six hours in US dollars. Without a price of the native coin no token matches: at least. */
                "minVolumeUsd.h6"?: number;
                /** @description Volume of the minutes that began in the last six hours in US dollars. Without a price of the native coin no token matches: at most. */
                "maxVolumeUsd.h6"?: number;
                /** @description Volume of the last day in US dollars. Without a price of the native coin no token matches: at least. */
                "minVolumeUsd.h24"?: number;
                /** @description Volume of the last day in US dollars. Without a price of the native coin no token matches: at most. */
                "maxVolumeUsd.h24"?: number;
                /** @description Trades of the minutes that began in the last five: at least. */
                "minTrades.m5"?: number;
                /** @description Trades of the minutes that began in the last five: at most. */
                "maxTrades.m5"?: number;
                /** @description Trades of the last hour: at least. */
                "minTrades.h1"?: number;
                /** @description Trades of the last hour: at most. */
                "maxTrades.h1"?: number;
                /** @description Trades of the minutes that began in the last six hours: at least. */
                "minTrades.h6"?: number;
                /** @description Trades of the minutes that began in the last six hours: at most. */
                "maxTrades.h6"?: number;
                /** @description Trades of the last day: at least. */
                "minTrades.h24"?: number;
                /** @description Trades of the last day: at most. */
                "maxTrades.h24"?: number;
                /** @description Purchases of the minutes that began in the last five: at least. */
                "minBuys.m5"?: number;
                /** @description Purchases of the minutes that began in the last five: at most. */
                "maxBuys.m5"?: number;
                /** @description Purchases of the last hour: at least. */
                "minBuys.h1"?: number;
                /** @description Purchases of the last hour: at most. */
                "maxBuys.h1"?: number;
                /** @description Purchases of the minutes that began in the last six hours: at least. */
                "minBuys.h6"?: number;
                /** @description Purchases of the minutes that began in the last six hours: at most. */
                "maxBuys.h6"?: number;
                /** @description Purchases of the last day: at least. */
                "minBuys.h24"?: number;
                /** @description Purchases of the last day: at most. */
                "maxBuys.h24"?: number;
                /** @description Sales of the minutes that began in the last five: at least. */
                "minSells.m5"?: number;
                /** @description Sales of the minutes that began in the last five: at most. */
                "maxSells.m5"?: number;
                /** @description Sales of the last hour: at least. */
                "minSells.h1"?: number;
                /** @description Sales of the last hour: at most. */
                "maxSells.h1"?: number;
                /** @description Sales of the minutes that began in the last six hours: at least. */
                "minSells.h6"?: number;
                /** @description Sales of the minutes that began in the last six hours: at most. */
                "maxSells.h6"?: number;
                /** @description Sales of the last day: at least. */
                "minSells.h24"?: number;
                /** @description Sales of the last day: at most. */
                "maxSells.h24"?: number;
                /** @description Wallets that traded in the minutes that began in the last five: at least. */
                "minMakers.m5"?: number;
                /** @description Wallets that traded in the minutes that began in the last five: at most. */
                "maxMakers.m5"?: number;
                /** @description Wallets that traded in the minutes that began in the last hour: at least. */
                "minMakers.h1"?: number;
                /** @description Wallets that traded in the minutes that began in the last hour: at most. */
                "maxMakers.h1"?: number;
                /** @description Wallets that traded in the minutes that began in the last six hours: at least. */
                "minMakers.h6"?: number;
                /** @description Wallets that traded in the minutes that began in the last six hours: at most. */
                "maxMakers.h6"?: number;
                /** @description Wallets that traded in the last day: at least. */
                "minMakers.h24"?: number;
                /** @description Wallets that traded in the last day: at most. */
                "maxMakers.h24"?: number;
                /** @description Price change over five minutes in percent, or since a later launch: at least. */
                "minPriceChangePct.m5"?: number;
                /** @description Price change over five minutes in percent, or since a later launch: at most. */
                "maxPriceChangePct.m5"?: number;
                /** @description Price change over one hour in percent, or since a later launch: at least. */
                "minPriceChangePct.h1"?: number;
                /** @description Price change over one hour in percent, or since a later launch: at most. */
                "maxPriceChangePct.h1"?: number;
                /** @description Price change over six hours in percent, or since a later launch: at least. */
                "minPriceChangePct.h6"?: number;
                /** @description Price change over six hours in percent, or since a later launch: at most. */
                "maxPriceChangePct.h6"?: number;
                /** @description Price change over one day in percent, or since a later launch: at least. */
                "minPriceChangePct.h24"?: number;
                /** @description Price change over one day in percent, or since a later launch: at most. */
                "maxPriceChangePct.h24"?: number;
                /** @description Quote asset raised by the curve, of the target, in percent: at least. */
                minProgressPct?: number;
                /** @description Quote asset raised by the curve, of the target, in percent: at most. */
                maxProgressPct?: number;
                /** @description Wallets with a balance: at least. */
                minHolders?: number;
                /** @description Wallets with a balance: at most. */
                maxHolders?: number;
                /** @description Share of the ten largest holders in percent: at least. */
                minTop10Pct?: number;
                /** @description Share of the ten largest holders in percent: at most. */
                maxTop10Pct?: number;
                /** @description Share of the creator in percent: at least. */
                minCreatorHeldPct?: number;
                /** @description Share of the creator in percent: at most. */
                maxCreatorHeldPct?: number;
                /** @description Share of the wallets that bought within seconds of the first trade in percent: at least. */
                minSniperPct?: number;
                /** @description Share of the wallets that bought within seconds of the first trade in percent: at most. */
                maxSniperPct?: number;
                /** @description Share of the wallets that bought in a bundle at the launch in percent: at least. */
                minBundlerPct?: number;
                /** @description Share of the wallets that bought in a bundle at the launch in percent: at most. */
                maxBundlerPct?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Token"][];
                            page: number | null;
                            /** @example 20 */
                            limit: number;
                            /**
                             * @description Number of matching items, over all pages.
                             * @example 1204
                             */
                            total: number;
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listTrendingTokens: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Token"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listNewTokens: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Token"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Token"];
                    };
                };
            };
        };
    };
    patchToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        /** @description Fields to change. null clears a field; omitted fields stay unchanged. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "The cat that sleeps on the slipway.",
                 *       "links": {
                 *         "twitter": null
                 *       }
                 *     }
                 */
                "application/json": {
                    description?: string | null;
                    imageUrl?: string | null;
                    bannerUrl?: string | null;
                    links?: {
                        website?: string | null;
                        twitter?: string | null;
                        telegram?: string | null;
                        discord?: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Token"];
                    };
                };
            };
        };
    };
    getTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    addresses: Address[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Token"][];
                        };
                    };
                };
            };
        };
    };
    quoteTrade: {
        parameters: {
            query: {
                /** @description Whether to buy or to sell tokens. */
                side: "buy" | "sell";
                /**
                 * @description Input amount in base units: native coin for a buy (fees included), tokens for a sell.
                 * @example 100000000000000000
                 */
                amount: Amount;
                /** @description Slippage tolerance in basis points: the call reverts if the output is further below the quote. */
                slippageBps?: number;
                /**
                 * @description Wallet that receives the output. Default: the authenticated wallet.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                recipient?: Address;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Quote"];
                    };
                };
            };
        };
    };
    listTokenComments: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description Only replies in the thread of this comment; `none` selects comments that started a thread. Default: all comments. */
                parentId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Comment"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    postTokenComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Text of the comment. Plain text of at most 500 characters as a reader counts them (graphemes). Links stay text.
                     * @example The cat is back on the slipway.
                     */
                    text: string;
                    parentId?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Comment"];
                    };
                };
            };
        };
    };
    getTokenChart: {
        parameters: {
            query?: {
                /** @description Length of a candle. Those below a minute are of the last hour. */
                interval?: "1s" | "5s" | "15s" | "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d";
                /** @description Start in Unix seconds. Times before the launch are replaced by the launch. */
                from?: number;
                /** @description End in Unix seconds, inclusive. Default: now, by the chain’s clock. */
                to?: number;
                /** @description Maximum number of candles: the last ones between from and to. */
                limit?: number;
                /** @description Unit of open, high, low and close: the price in native coin, quote asset or US dollars, or the market capitalisation. */
                currency?: "native" | "usd" | "marketCapUsd" | "quote";
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Chart"];
                    };
                };
            };
        };
    };
    listTokenTrades: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /**
                 * @description Only trades of this wallet, the `trader`.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: Address;
                /** @description Only purchases, or only sales. */
                side?: "buy" | "sell";
                /**
                 * @description Only trades of this `quoteAmount` or more; at most `maxQuote`.
                 * @example 1000000000000000000
                 */
                minQuote?: Amount;
                /**
                 * @description Only trades of at most this `quoteAmount`, in base units.
                 * @example 1000000000000000000
                 */
                maxQuote?: Amount;
                /** @description Start in Unix seconds, inclusive. Not after `to`. */
                from?: number;
                /** @description End in Unix seconds, inclusive. */
                to?: number;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Trade"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listTokenHolders: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description Balances after this block, at most the last indexed one. Default: the present ones. `lastActiveAt` is always of the present. */
                at?: number;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Holder"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    getTokenRevenue: {
        parameters: {
            query?: {
                /**
                 * @description Only what this wallet was paid and can claim, as the creator or by a split. Default: all recipients.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: Address;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description One item for each asset. */
                            items: components["schemas"]["Revenue"][];
                        };
                    };
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                 *       "description": "The cat that sleeps on the slipway.",
                 *       "imageUrl": "https://images.example.org/hcat.webp"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                    description?: string | null;
                    imageUrl?: string | null;
                    bannerUrl?: string | null;
                    links?: {
                        website?: string | null;
                        twitter?: string | null;
                        telegram?: string | null;
                        discord?: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedTokens"];
                    };
                };
            };
        };
    };
    likeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Like"];
                    };
                };
            };
        };
    };
    unlikeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Like"];
                    };
                };
            };
        };
    };
    listFirstBuyers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["FirstBuyer"][];
                        };
                    };
                };
            };
        };
    };
    listTopTraders: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description realized: profit of sales. unrealized: profit of what is held, of the 1,000 largest balances. volume: quote asset of all trades. */
                by?: "realized" | "unrealized" | "volume";
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["TopTrader"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    getTokenCreator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["CreatorHistory"];
                    };
                };
            };
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /**
                 * @description Only actions of this wallet.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: Address;
                /**
                 * @description Only actions on this token.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token?: Address;
                /**
                 * @description Only actions on this raise and its proposals.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                raise?: string;
                /**
                 * @description Only actions on this proposal.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                proposal?: string;
                /**
                 * @description Only actions at this staking pool.
                 * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
                 */
                pool?: string;
                /** @description Only actions of this type. */
                type?: "create" | "buy" | "sell" | "graduate" | "claim_creator_fee" | "split_creator_fees" | "transfer_fee_right" | "raise_create" | "update_metadata" | "register" | "commit" | "claim_raise" | "refund" | "propose" | "vote" | "execute" | "finalize" | "cancel_raise" | "reclaim_tokens" | "dissolve" | "cancel_proposal" | "exit" | "stake" | "unstake" | "withdraw" | "claim" | "fund";
                /**
                 * @description Only actions in this transaction.
                 * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                 */
                txHash?: Hash;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Transaction"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    syncBuy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedTrades"];
                    };
                };
            };
        };
    };
    syncSell: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedTrades"];
                    };
                };
            };
        };
    };
    search: {
        parameters: {
            query: {
                /**
                 * @description A name, a symbol, a username, an address or the start of an address. Case-insensitive.
                 * @example cat
                 */
                q: string;
                /**
                 * @description Only tokens of this kind of launchpad, among the best 1,000 matches of each sort, as /config lists them.
                 * @example slipway
                 */
                launchpad?: string;
                /** @description Maximum number of items to return. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SearchMatches"];
                    };
                };
            };
        };
    };
    listLeaderboard: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description Period that ends now, by the chain’s clock. */
                period?: "24h" | "7d" | "30d" | "all";
                /** @description Ranking figure in native coin. volume: traded volume. pnl: realized profit of sales over average cost. */
                by?: "volume" | "pnl";
                /**
                 * @description Only trades of tokens of this kind of launchpad; no wallets if it has none, as /config lists them.
                 * @example slipway
                 */
                launchpad?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["LeaderboardEntry"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    getStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Statistics"];
                    };
                };
            };
        };
    };
    listLaunchpadStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["LaunchpadStatistics"][];
                        };
                    };
                };
            };
        };
    };
    listDailyStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day (UTC). Default: 30 days up to `to`. Of a longer range, the last 366 days are returned.
                 * @example 2026-11-29
                 */
                from?: string;
                /**
                 * @description Last day (UTC), inclusive. Default: today, by the chain’s clock.
                 * @example 2026-11-29
                 */
                to?: string;
                /**
                 * @description Only trades of tokens of this kind of launchpad; no days if it is unknown, as /config lists them.
                 * @example slipway
                 */
                launchpad?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description Every day since the first trade, with or without trades, in ascending order. */
                            items: components["schemas"]["DayStatistics"][];
                        };
                    };
                };
            };
        };
    };
    getPortfolio: {
        parameters: {
            query?: {
                /**
                 * @description The wallet. Default: the authenticated wallet.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: Address;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Portfolio"];
                    };
                };
            };
        };
    };
    listHoldings: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /**
                 * @description The wallet. Default: the authenticated wallet.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: Address;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Holding"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    getHolding: {
        parameters: {
            query?: {
                /**
                 * @description The wallet. Default: the authenticated wallet.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: Address;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Holding"] | null;
                    };
                };
            };
        };
    };
    getWalletStats: {
        parameters: {
            query?: {
                /** @description Period that ends now, by the chain’s clock. */
                period?: "24h" | "7d" | "30d" | "all";
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WalletStats"];
                    };
                };
            };
        };
    };
    getExternalMarket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ExternalMarket"];
                    };
                };
            };
        };
    };
    getExternalChart: {
        parameters: {
            query?: {
                /** @description Length of a candle. */
                interval?: "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d";
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ExternalChart"];
                    };
                };
            };
        };
    };
    listRaises: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description Only raises in this status now. */
                status?: "upcoming" | "registration" | "active" | "succeeded" | "failed" | "finalized" | "cancelled";
                /**
                 * @description Only raises created by this wallet.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                creator?: Address;
                /**
                 * @description Only raises that sell this token.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token?: Address;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Raise"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    createRaise: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
                 *       "description": "Moorings, and fish.",
                 *       "links": {
                 *         "website": "https://hcat.example.org"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                    description?: string | null;
                    imageUrl?: string | null;
                    links?: {
                        website?: string | null;
                        twitter?: string | null;
                        telegram?: string | null;
                        discord?: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedRaises"];
                    };
                };
            };
        };
    };
    getRaise: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Raise"];
                    };
                };
            };
        };
    };
    patchRaise: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Fields to change. null clears a field; omitted fields stay unchanged. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Moorings, fish, and a roof.",
                 *       "links": {
                 *         "twitter": null
                 *       }
                 *     }
                 */
                "application/json": {
                    description?: string | null;
                    imageUrl?: string | null;
                    links?: {
                        website?: string | null;
                        twitter?: string | null;
                        telegram?: string | null;
                        discord?: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Raise"];
                    };
                };
            };
        };
    };
    listProposals: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description Only proposals in this state now. */
                state?: "pending" | "active" | "defeated" | "succeeded" | "executed" | "cancelled" | "expired";
            };
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Proposal"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    getProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a proposal: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Proposal"];
                    };
                };
            };
        };
    };
    listCommitments: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Commitment"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    syncRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedRaise"];
                    };
                };
            };
        };
    };
    syncCommitment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedRaise"];
                    };
                };
            };
        };
    };
    syncTokenClaim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedRaise"];
                    };
                };
            };
        };
    };
    syncRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedRaise"];
                    };
                };
            };
        };
    };
    syncFinalization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedRaise"];
                    };
                };
            };
        };
    };
    syncProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
                 *       "description": "Timber and nails, from the mill up the river."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                    /** @description Plain text. Clients must not render it as markup. */
                    description?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedProposals"];
                    };
                };
            };
        };
    };
    syncVote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a proposal: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedProposal"];
                    };
                };
            };
        };
    };
    syncExit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a proposal: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedProposal"];
                    };
                };
            };
        };
    };
    syncExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a proposal: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedProposal"];
                    };
                };
            };
        };
    };
    listStakingPools: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /**
                 * @description Only pools where this token is staked.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token?: Address;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["StakingPool"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    getStakingPool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a staking pool: its contract address and its number there.
                 * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["StakingPool"];
                    };
                };
            };
        };
    };
    listStakingPositions: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /**
                 * @description The wallet. Default: the authenticated wallet.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: Address;
                /**
                 * @description Only the position at this pool.
                 * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
                 */
                pool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["StakingPosition"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    syncStake: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedStaking"];
                    };
                };
            };
        };
    };
    syncUnstake: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedStaking"];
                    };
                };
            };
        };
    };
    syncWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedStaking"];
                    };
                };
            };
        };
    };
    syncRewardClaim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedStaking"];
                    };
                };
            };
        };
    };
    syncFunding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 32-byte transaction hash in hexadecimal.
                     * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                     */
                    txHash: Hash;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["SyncedStaking"];
                    };
                };
            };
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Profile"];
                    };
                };
            };
        };
    };
    getNamedProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Username in any letter case.
                 * @example harbour_cat
                 */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Profile"];
                    };
                };
            };
        };
    };
    listCreatedTokens: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Token"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listFeed: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description all: launches, graduations, comments, and trades of at least one native coin. following: launches, comments and all trades of wallets that you follow; requires a bearer token. */
                scope?: "all" | "following";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["FeedItem"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listFollowers: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Followed"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listFollowing: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Followed"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listAuthors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallets": [
                 *         "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
                 *       ]
                 *     }
                 */
                "application/json": {
                    wallets: Address[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Author"][];
                        };
                    };
                };
            };
        };
    };
    patchProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Fields to change. null clears a field; omitted fields stay unchanged. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "harbour_cat",
                 *       "bio": "I launch cats."
                 *     }
                 */
                "application/json": {
                    username?: string | null;
                    bio?: string | null;
                    avatarUrl?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Profile"];
                    };
                };
            };
        };
    };
    followWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Follow"];
                    };
                };
            };
        };
    };
    unfollowWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Follow"];
                    };
                };
            };
        };
    };
    deleteComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id, as returned by a list or on creation.
                 * @example 1024
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["CommentDeletion"];
                    };
                };
            };
        };
    };
    likeComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id, as returned by a list or on creation.
                 * @example 1024
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Like"];
                    };
                };
            };
        };
    };
    unlikeComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id, as returned by a list or on creation.
                 * @example 1024
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Like"];
                    };
                };
            };
        };
    };
    reportComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id, as returned by a list or on creation.
                 * @example 1024
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "scam",
                 *       "note": "The link asks for a seed phrase."
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    reason: "spam" | "scam" | "abuse" | "illegal" | "other";
                    note?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ReportReceipt"];
                    };
                };
            };
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /**
                 * @description Only unread notifications: `?unread` or `?unread=true`.
                 * @example true
                 */
                unread?: "" | "true" | "1" | "false" | "0";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Notification"][];
                            nextCursor: string | null;
                            /**
                             * @description Number of unread notifications, capped at 1000.
                             * @example 2
                             */
                            unreadCount: number;
                        };
                    };
                };
            };
        };
    };
    readNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Notifications to mark: by ids, or all. */
        requestBody: {
            content: {
                "application/json": {
                    ids?: string[];
                    /** @enum {boolean} */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["NotificationsRead"];
                    };
                };
            };
        };
    };
    watchToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Watch"];
                    };
                };
            };
        };
    };
    unwatchToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Watch"];
                    };
                };
            };
        };
    };
    listWatchedTokens: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Token"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token?: Address;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Alert"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    createAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description An alert about the price, the change of the price or the graduation of a token, or about trades of a wallet. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "price",
                 *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                 *       "metric": "marketCapUsd",
                 *       "direction": "above",
                 *       "value": 100000
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "price";
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    token: Address;
                    /**
                     * @description Native: in whole native coins. In US dollars it never triggers while no price feed is configured.
                     * @enum {string}
                     */
                    metric: "priceNative" | "priceUsd" | "marketCapNative" | "marketCapUsd";
                    /**
                     * @description Triggers at or above the value, or at or below it.
                     * @enum {string}
                     */
                    direction: "above" | "below";
                    /** @description The price or market capitalisation. */
                    value: number;
                } | {
                    /** @enum {string} */
                    type: "price_change";
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    token: Address;
                    /**
                     * @description The time before the trade.
                     * @enum {string}
                     */
                    window: "m5" | "h1" | "h6" | "h24";
                    /**
                     * @description Triggers at or above the value, or at or below it.
                     * @enum {string}
                     */
                    direction: "above" | "below";
                    /** @description Percent, as in `priceChangePct`: `below` -10 triggers on a fall by a tenth. */
                    value: number;
                } | {
                    /** @enum {string} */
                    type: "graduation";
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    token: Address;
                } | {
                    /** @enum {string} */
                    type: "trade";
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    wallet: Address;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Alert"];
                    };
                };
            };
        };
    };
    deleteAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id, as returned by a list or on creation.
                 * @example 1024
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AlertDeletion"];
                    };
                };
            };
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of the file, as returned by the upload.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": Blob;
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The part of the file that the Range header selects. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": Blob;
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    uploadImage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "(the bytes of a picture)"
                 *     }
                 */
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description PNG, JPEG, WebP or GIF, at most 5 MB and 4096 pixels a side.
                     */
                    file: Blob;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["UploadedImage"];
                    };
                };
            };
        };
    };
    uploadMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Contract metadata by ERC-7572, with links to communities. Upload paths are stored as URLs. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Harbour Cat",
                 *       "symbol": "HCAT",
                 *       "description": "The cat that sleeps on the slipway.",
                 *       "image": "/uploads/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
                 *       "external_link": "https://hcat.example.org"
                 *     }
                 */
                "application/json": {
                    /** @description Name of the token. */
                    name: string;
                    /** @description Ticker. */
                    symbol?: string;
                    /** @description Plain text. */
                    description?: string;
                    /** @description Square image: an https or ipfs URL, or the path returned by an upload. */
                    image?: string;
                    /** @description Wide image: an https or ipfs URL, or the path returned by an upload. */
                    banner_image?: string;
                    /** @description Image for highlights: an https or ipfs URL, or the path returned by an upload. */
                    featured_image?: string;
                    /** @description Home page: an https URL. */
                    external_link?: string;
                    /**
                     * @description Profile or community on X.
                     * @example https://x.com/harbourcat
                     */
                    twitter?: string;
                    /**
                     * @description Channel or group on Telegram.
                     * @example https://t.me/harbourcat
                     */
                    telegram?: string;
                    /**
                     * @description Invitation to a Discord server.
                     * @example https://discord.gg/harbourcat
                     */
                    discord?: string;
                    /** @description Addresses of wallets that may edit. */
                    collaborators?: Address[];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["UploadedMetadata"];
                    };
                };
            };
        };
    };
    applyAsAmbassador: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Mira",
                 *       "email": "mira@example.org",
                 *       "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
                 *       "country": "PT",
                 *       "socials": {
                 *         "x": "https://x.com/mira"
                 *       },
                 *       "audience": "4,000 followers who collect cat tokens.",
                 *       "motivation": "I have launched three tokens here and answer questions every day."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Name of the applicant. Plain text of at most 80 characters as a reader counts them (graphemes). Links stay text.
                     * @example Mira
                     */
                    name: string;
                    /**
                     * @description Returned to operators only.
                     * @example mira@example.org
                     */
                    email: string;
                    wallet?: Address | null;
                    /**
                     * @description ISO 3166-1 alpha-2 country code.
                     * @example PT
                     */
                    country: string;
                    /**
                     * @description Profile URLs on other networks, keyed by network name. At most ten.
                     * @example {
                     *       "x": "https://x.com/mira"
                     *     }
                     */
                    socials?: {
                        [key: string]: string;
                    };
                    /**
                     * @description Audience of the applicant. Plain text of at most 500 characters as a reader counts them (graphemes). Links stay text.
                     * @example 4,000 followers who collect cat tokens.
                     */
                    audience: string;
                    /**
                     * @description Motivation of the applicant. Plain text of at most 2000 characters as a reader counts them (graphemes). Links stay text.
                     * @example I have launched three tokens here and answer questions every day.
                     */
                    motivation: string;
                    homepage?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AmbassadorApplicationReceipt"];
                    };
                };
            };
        };
    };
    issueNonce: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    wallet: Address;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Nonce"];
                    };
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                     */
                    wallet: Address;
                    /**
                     * @description EIP-191 signature of the message by a key, in 65 bytes or 64 (EIP-2098). Smart accounts sign by EIP-1271, EIP-6492 or ERC-8010; a contract that approved the message signs with `0x`.
                     * @example 0x6f9b36e03e9ae2a370250d06e7f5fbd10bbf1b1a9a4ca212f94765e7b7f80f3047315fbe4b99668d76a7dfe5ad011e91e08143450a7b591055b0fda4051505521c
                     */
                    signature: Hex;
                    /**
                     * @description The message exactly as issued.
                     * @example localhost:3000 wants you to sign in with your Ethereum account:
                     *     0x70997970C51812dc3A010C7d01b50e0d17dc79C8
                     *
                     *     Sign in with this wallet. It costs nothing and moves no funds.
                     *
                     *     URI: http://localhost:3000
                     *     Version: 1
                     *     Chain ID: 31337
                     *     Nonce: 3f1d5c9a0b7e48d2a6c4f8e1d2b3a495
                     *     Issued At: 2026-11-21T12:00:00.000Z
                     *     Expiration Time: 2026-11-21T12:05:00.000Z
                     */
                    message: string;
                    /**
                     * @description Also sets an HttpOnly cookie, with which a page on the origin of the service gets its next tokens from `POST /auth/refresh`, for a week.
                     * @example false
                     */
                    remember?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Login"];
                    };
                };
            };
        };
    };
    refreshToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Login"];
                    };
                };
            };
        };
    };
    getIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Identity"];
                    };
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Logout"];
                    };
                };
            };
        };
    };
    hideToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["TokenVisibility"];
                    };
                };
            };
        };
    };
    unhideToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["TokenVisibility"];
                    };
                };
            };
        };
    };
    hideComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id, as returned by a list or on creation.
                 * @example 1024
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["CommentVisibility"];
                    };
                };
            };
        };
    };
    unhideComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id, as returned by a list or on creation.
                 * @example 1024
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["CommentVisibility"];
                    };
                };
            };
        };
    };
    banWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WalletBan"];
                    };
                };
            };
        };
    };
    unbanWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: Address;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WalletBan"];
                    };
                };
            };
        };
    };
    listBans: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Ban"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    listReports: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description Only reports with this status. open: not decided. */
                status?: "open" | "upheld" | "dismissed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Report"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    dismissReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id, as returned by a list or on creation.
                 * @example 1024
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Report"];
                    };
                };
            };
        };
    };
    listAmbassadorApplications: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /** @description Only applications with this status. Default: all. */
                status?: "pending" | "approved" | "rejected";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["AmbassadorApplication"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    eraseAmbassadorApplication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id returned when the application was sent.
                 * @example 0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AmbassadorApplicationErasure"];
                    };
                };
            };
        };
    };
    reviewAmbassadorApplication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id returned when the application was sent.
                 * @example 0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "approved",
                 *       "note": "Knows the product well."
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    status: "approved" | "rejected";
                    note?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AmbassadorApplication"];
                    };
                };
            };
        };
    };
    listDeployments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["Deployment"][];
                        };
                    };
                };
            };
        };
    };
    addDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "nad-fun",
                 *       "address": "0x7193e46d4a812c8990f96a6e9c1f1ed338b2a6b7",
                 *       "startBlock": 30000000,
                 *       "reason": "Asked for by many traders."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Kind of the contract, as in DEPLOYMENTS: that of a launchpad, of a contract whose events name the pools of its tokens, or of a router or quoter.
                     * @example nad-fun
                     */
                    kind: string;
                    /**
                     * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    address: Address;
                    /**
                     * @description Block of its creation, or an earlier one.
                     * @example 30000000
                     */
                    startBlock: number;
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
        };
    };
    removeDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Deployment"];
                    };
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description nextCursor of the previous response; the list continues after its last item. Overrides page. */
                cursor?: string;
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                actor?: Address;
                /** @description Only actions on this address or id. */
                subject?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            items: components["schemas"]["AuditEntry"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
        };
    };
    featureToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["TokenFeature"];
                    };
                };
            };
        };
    };
    unfeatureToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Requests accept any letter case; responses use lower case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: Address;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["TokenFeature"];
                    };
                };
            };
        };
    };
    featureRaise: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["RaiseFeature"];
                    };
                };
            };
        };
    };
    unfeatureRaise: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract address and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["RaiseFeature"];
                    };
                };
            };
        };
    };
    dexScreenerLatestBlock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The latest block whose events can be read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedLatestBlock"];
                };
            };
        };
    };
    dexScreenerAsset: {
        parameters: {
            query: {
                /**
                 * @description Address of a token, or of the wrapped native coin.
                 * @example 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0
                 */
                id: Address;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token, or the wrapped native coin as quote asset. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedAsset"];
                };
            };
        };
    };
    dexScreenerPair: {
        parameters: {
            query: {
                /**
                 * @description Address of a token for its curve, or address or id of a pool.
                 * @example 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0
                 */
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A market of a token. The pair of the curve has the address of the token and keeps the trades made there. After graduation, the pool is a second pair with the address of the pool, or its id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedPair"];
                };
            };
        };
    };
    dexScreenerEvents: {
        parameters: {
            query: {
                /** @description First block, inclusive. */
                fromBlock: number;
                /** @description Last block, inclusive. At most the latest block, and at most 10000 blocks per request. */
                toBlock: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events in chain order: by block, txnIndex and eventIndex. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedEvents"];
                };
            };
        };
    };
    geckoTerminalLatestBlock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The latest block whose events can be read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedLatestBlock"];
                };
            };
        };
    };
    geckoTerminalAsset: {
        parameters: {
            query: {
                /**
                 * @description Address of a token, or of the wrapped native coin.
                 * @example 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0
                 */
                id: Address;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token, or the wrapped native coin as quote asset, with decimals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedAssetWithDecimals"];
                };
            };
        };
    };
    geckoTerminalPair: {
        parameters: {
            query: {
                /**
                 * @description Address of a token for its curve, or address or id of a pool.
                 * @example 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0
                 */
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A market of a token. The pair of the curve has the address of the token and keeps the trades made there. After graduation, the pool is a second pair with the address of the pool, or its id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedPair"];
                };
            };
        };
    };
    geckoTerminalEvents: {
        parameters: {
            query: {
                /** @description First block, inclusive. */
                fromBlock: number;
                /** @description Last block, inclusive. At most the latest block, and at most 10000 blocks per request. */
                toBlock: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events in chain order: by block, txnIndex and eventIndex. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedEvents"];
                };
            };
        };
    };
    coingeckoTickers: {
        parameters: {
            query?: {
                /** @description Tickers per page. */
                limit?: number;
                /** @description Page number, from 1. */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ordered by volume, highest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CoingeckoTicker"][];
                };
            };
        };
    };
    coingeckoHistoricalTrades: {
        parameters: {
            query: {
                /**
                 * @description ticker_id of a ticker. Any letter case is accepted.
                 * @example 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0_0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2
                 */
                ticker_id: string;
                /** @description Only trades of this side. */
                type?: "buy" | "sell";
                /** @description Maximum number of trades, both sides together. 0 returns as many as possible: at most 1000. */
                limit?: number;
                /** @description Earliest time, inclusive. Unix seconds, or milliseconds. */
                start_time?: number;
                /** @description Latest time, inclusive. Unix seconds, or milliseconds. */
                end_time?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Trades by side, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CoingeckoTrades"];
                };
            };
        };
    };
    udfConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Capabilities of the feed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UdfConfig"];
                };
            };
        };
    };
    udfSymbol: {
        parameters: {
            query: {
                /**
                 * @description Ticker: the address of a token for prices in native coin; with the suffix `:USD` for prices in US dollars, with `:MC` for the market capitalisation in US dollars.
                 * @example 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0
                 */
                symbol: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The price of a token in one currency, or its market capitalisation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UdfSymbol"];
                };
            };
        };
    };
    udfSearch: {
        parameters: {
            query?: {
                /** @description Part of a name or symbol, or an address. If empty, the most traded tokens are returned. */
                query?: string;
                /** @description Symbol type; only `crypto` and `fundamental` exist. */
                type?: string;
                /** @description Exchange; only this one exists. */
                exchange?: string;
                /** @description Maximum number of symbols to return. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Best match first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        symbol: string;
                        full_name: string;
                        description: string;
                        exchange: string;
                        ticker: string;
                        /** @enum {string} */
                        type: "crypto" | "fundamental";
                    }[];
                };
            };
        };
    };
    udfHistory: {
        parameters: {
            query: {
                /**
                 * @description Ticker: the address of a token for prices in native coin; with the suffix `:USD` for prices in US dollars, with `:MC` for the market capitalisation in US dollars.
                 * @example 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0
                 */
                symbol: string;
                /** @description Bar length in minutes, `1D` or `D` for a day, or in seconds with the suffix `S`. Bars of seconds are of the last hour. */
                resolution: "1S" | "5S" | "15S" | "1" | "5" | "15" | "30" | "60" | "240" | "1D" | "D";
                /** @description Earliest start of a bar, in Unix seconds. Required without countback. */
                from?: number;
                /** @description Latest start of a bar, in Unix seconds. May lie in the future. */
                to: number;
                /** @description Number of bars to return, ending at to; overrides from. At most 5000 are returned. */
                countback?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bars as columns of equal length, one bar for every interval since the launch, with or without trades. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UdfHistory"];
                };
            };
        };
    };
    udfMarks: {
        parameters: {
            query: {
                /**
                 * @description Ticker: the address of a token for prices in native coin; with the suffix `:USD` for prices in US dollars, with `:MC` for the market capitalisation in US dollars.
                 * @example 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0
                 */
                symbol: string;
                /** @description Bar length in minutes, `1D` or `D` for a day, or in seconds with the suffix `S`. Bars of seconds are of the last hour. */
                resolution: "1S" | "5S" | "15S" | "1" | "5" | "15" | "30" | "60" | "240" | "1D" | "D";
                /** @description Unix seconds. */
                from: number;
                /** @description Unix seconds. */
                to: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Marks for launch and graduation, as columns of equal length. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UdfMarks"];
                };
            };
        };
    };
    udfTime: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server time in Unix seconds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getTokenList: {
        parameters: {
            query?: {
                /** @description graduated: tokens that have graduated to a pool, which any exchange can trade. all: all launched tokens. */
                include?: "graduated" | "all";
                /** @description Part of the list. Each part has up to 10000 tokens; later tokens are in the next part. */
                part?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token list for import by wallets and exchanges. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
        };
    };
    getTokenListFile: {
        parameters: {
            query?: {
                /** @description graduated: tokens that have graduated to a pool, which any exchange can trade. all: all launched tokens. */
                include?: "graduated" | "all";
                /** @description Part of the list. Each part has up to 10000 tokens; later tokens are in the next part. */
                part?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token list for import by wallets and exchanges. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
        };
    };
    getTokenCard: {
        parameters: {
            query?: {
                /** @description 1.91:1 is 1200 by 630 pixels, for link previews; 3:2 is 1200 by 800 pixels, for mini app embeds. */
                ratio?: "1.91:1" | "3:2";
            };
            header?: never;
            path: {
                /**
                 * @description Address of a token. For any other value, the service’s own card is returned.
                 * @example 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": Blob;
                };
            };
        };
    };
    getProfitCard: {
        parameters: {
            query?: {
                /** @description 1.91:1 is 1200 by 630 pixels, for link previews; 3:2 is 1200 by 800 pixels, for mini app embeds. */
                ratio?: "1.91:1" | "3:2";
            };
            header?: never;
            path: {
                /**
                 * @description Address of a token. For any other value, the service’s own card is returned.
                 * @example 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0
                 */
                token: string;
                /**
                 * @description A wallet that traded it. For any other value, the service’s own card is returned.
                 * @example 0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc
                 */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": Blob;
                };
            };
        };
    };
    callNode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One call, or a batch of calls. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RpcCall"] | components["schemas"]["RpcCall"][];
            };
        };
        responses: {
            /** @description A JSON-RPC response, result or error, without the envelope. For a batch, a list of responses in any order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcResult"] | components["schemas"]["RpcError"] | (components["schemas"]["RpcResult"] | components["schemas"]["RpcError"])[];
                };
            };
            /** @description The request contained notifications only, so there is no response body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Config"];
                    };
                };
            };
        };
    };
    getAbi: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the contract. */
                name: "launchpad" | "launch-token" | "erc20" | "price-feed" | "wrapped-native" | "uniswap-factory" | "uniswap-pair" | "uniswap-router" | "staking" | "raises" | "fee-splitter";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** @description A contract ABI in Solidity’s JSON format. */
                        data: ({
                            /** @example event */
                            type: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                    };
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Health"];
                    };
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Alive"];
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Ready"];
                    };
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All metrics of this process, or of all workers of the service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
}
