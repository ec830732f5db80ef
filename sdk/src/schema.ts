// Generated from openapi.yaml and asyncapi.yaml by scripts/sdk.ts. Do not edit: npm run generate:sdk
export interface paths {
    "/tokens/{address}/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Candles of a token
         * @description A series without holes, from the launch on: an interval without trades keeps the price.
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
         * @description The newest first; those on the curve and, after graduation, those in the pool.
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
         * List who holds a token
         * @description By balance. Together they hold the whole supply: what is no plain wallet is labelled.
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
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens in an order
         * @description Tokens that an operator has hidden are in no list. Page by page, or from item to item by cursor.
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
         * List what is traded most lately
         * @description By traded volume, whose weight fades with every hour that passes. As sort=trending of the token list.
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
         * List the latest launches
         * @description The last launched first. As sort=newest of the token list.
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
         * One token
         * @description A token that an operator has hidden is still served here, with `hidden` true.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what is said about a token
         * @description For the wallet that launched it, and for operators. The token itself, on the chain, stays as it is.
         */
        patch: operations["patchToken"];
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
         * What a trade would do, and the call that does it
         * @description Computed with the arithmetic of the contracts, to the last unit. 409 when the token cannot be traded at the moment (its curve is completed and its pool not open, or no router is known for its pool), 422 when this amount cannot.
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
         * @description The newest first, replies among them; `parentId` picks one thread, or the comments that began one. What was deleted, what operators have hidden and what banned wallets wrote is left out. Replies to it stay: what began their thread keeps its place as `removed`, without text and author, until the last of them is gone.
         */
        get: operations["listTokenComments"];
        put?: never;
        /**
         * Comment on a token
         * @description Tells the creator of the token, or the author of the comment that it answers. The same text again, by the same wallet in the same place and within a minute (a double click, a retry), is answered with the comment that there is.
         */
        post: operations["postTokenComment"];
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
         * @description After launching on the chain, send the hash of the transaction: the service indexes it at once and answers with the tokens that your wallet launched in it. What is said about them here can be changed later.
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
         * @description Liking it again changes nothing. You are told when it graduates.
         */
        post: operations["likeToken"];
        /**
         * Take back a like of a token
         * @description Taking back what was never given changes nothing. Its graduation is news to you no more.
         */
        delete: operations["unlikeToken"];
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
         * List what wallets did on the chain
         * @description Trades and all other actions, the newest first. Filters add up: all of them must hold.
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
         * @description After a buy on the chain, send the hash of its transaction: the service indexes it at once and answers with the buys that your wallet made in it. A transaction that is not mined yet answers 425; retry then.
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
         * @description After a sell on the chain, send the hash of its transaction: the service indexes it at once and answers with the sells that your wallet made in it. A transaction that is not mined yet answers 425; retry then.
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
         * Find tokens and wallets
         * @description Tokens by name, symbol or address, wallets by address or username. Hidden tokens are not found, nor banned wallets by name.
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
         * Rank wallets by what they trade or earn
         * @description Wallets that traded within the period: the most active, or those whose sales earned most, first.
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
         * Figures of the whole platform
         * @description Of the last day and of all time, and how far the chain has been read.
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
    "/portfolio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a wallet holds, launched and earned
         * @description Of any wallet by `wallet`, or of the one that signed in. Profit is at average cost: a sale earns what it brings over the average cost of what the wallet bought. Tokens received from others have no cost and make no profit; tokens sent to others take their cost with them.
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
         * List every token that a wallet holds
         * @description By address of the token, however many there are. Of any wallet, or of the one that signed in.
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
    "/market/external/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Market data of a token that was not launched here
         * @description A third party’s data, for display only: it is not settlement, and nothing here is computed from it. `stale` tells when it is older than it should be, which is when the third party is slow or down. A token that was launched here is 409: ask /tokens/{address}.
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
         * Candles of a token that was not launched here
         * @description A third party’s candles in US dollars, for display only: they are not settlement. A token that was launched here is 409: ask /tokens/{address}/chart.
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
    "/raises/{id}/commitments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who committed to a raise
         * @description The largest commitments first. Wallets that only registered are not among them.
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
    "/raises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List raises
         * @description The last opened first. Filters add up. A status follows the clock of the chain, so that a page read later may lack what has moved on.
         */
        get: operations["listRaises"];
        put?: never;
        /**
         * Sync the opening of a raise
         * @description After opening it on the chain, send the hash of the transaction: the service indexes it at once and answers with the raises that your wallet opened in it. What else is sent is shown with them, and can be changed later.
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
         * One raise
         * @description As of the newest block; to a wallet that signed in, with its own commitment.
         */
        get: operations["getRaise"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what is said about a raise
         * @description For the wallet that opened it, and for operators. Terms and title are on the chain, and stay as they are; `describedAt` says when the rest was last changed.
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
         * @description The last made first. A state follows the clock of the chain, so that a page read later may lack what has moved on.
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
         * One proposal
         * @description As of the newest block; to a wallet that signed in, with its own vote.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with what your wallet did to this raise in it. A transaction that is not mined yet answers 425; retry then.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with what your wallet did to this raise in it. A transaction that is not mined yet answers 425; retry then.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with what your wallet did to this raise in it. A transaction that is not mined yet answers 425; retry then.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with what your wallet did to this raise in it. A transaction that is not mined yet answers 425; retry then.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with what your wallet did to this raise in it. A transaction that is not mined yet answers 425; retry then.
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
         * @description After proposing on the chain, send the hash of the transaction: the service indexes it at once and answers with what your wallet proposed to this raise in it. A description is shown with it.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with what your wallet did to this proposal in it, and with the proposal as it is then.
         */
        post: operations["syncVote"];
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with what your wallet did to this proposal in it, and with the proposal as it is then.
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
         * @description The last opened first.
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
         * One staking pool
         * @description With its figures as of the newest block.
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
         * List what a wallet has staked
         * @description Of the wallet given, which needs no token of sign-in, or else of your own. Positions that the wallet did something to last come first; one that was emptied stays, for what it has claimed.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with the stakes that your wallet made in it, and with pool and position as they are then. A transaction that is not mined yet answers 425; retry then.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with the requests that your wallet made in it, and with pool and position as they are then. A transaction that is not mined yet answers 425; retry then.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with the withdrawals that your wallet made in it, and with pool and position as they are then. A transaction that is not mined yet answers 425; retry then.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with the claims that your wallet made in it, and with pool and position as they are then. A transaction that is not mined yet answers 425; retry then.
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
         * @description Send the hash of the transaction after it was sent to the chain: the service indexes it at once and answers with the fundings that your wallet made in it, and with pool and position as they are then. A transaction that is not mined yet answers 425; retry then.
         */
        post: operations["syncFunding"];
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
         * List who follows a wallet
         * @description The latest first.
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
         * List whom a wallet follows
         * @description The latest first.
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
    "/profiles/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who a wallet is
         * @description Any address has a profile. What a banned wallet says of itself is not served.
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
    "/profiles/{wallet}/created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens that a wallet launched
         * @description The newest first. Tokens that an operator has hidden are in no list.
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
         * What happens here, or among those whom you follow
         * @description The latest first. Nothing of hidden tokens, and no hidden comments.
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
         * Change what your profile says
         * @description 409 when the username, or one that looks like it, is somebody else’s.
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
         * @description Following it again changes nothing. A wallet follows at most 1000 others: 409 beyond.
         */
        post: operations["followWallet"];
        /**
         * Follow a wallet no more
         * @description Its doings leave your feed. Where there was no follow, nothing changes.
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
         * Take back a comment of yours
         * @description Replies to it stay, under a place that is kept as `removed`. 403 for the comments of others.
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
         * @description Liking it again changes nothing.
         */
        post: operations["likeComment"];
        /**
         * Take back a like of a comment
         * @description Answers the count of likes that is left. Where there was no like, nothing changes.
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
         * @description Once a wallet: 409 afterwards. Nobody but operators learns who reported what.
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
         * What you were told
         * @description The newest first. What is told of a comment goes when the comment does.
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
         * @description Ids that are not of yours are passed over.
         */
        post: operations["readNotifications"];
        delete?: never;
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
         * An uploaded file
         * @description Never changes: keep it for as long as you like. Takes Range.
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
         * Upload a picture
         * @description What the file is counts, not what it is called. It is encoded anew as WebP, without metadata; of an animation the first frame is kept. The same picture always has the same address.
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
         * @description An ERC-7572 document. What is answered goes into the launch as contractURI. Direction marks and characters that show nothing are taken out of its texts, as they are of texts on the chain.
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
         * @description Needs no sign-in. 409 while another application of the same e-mail address or wallet is undecided. Answers nothing of what was sent. A body that is refused (400, 413, 415) is not counted in the quota `ambassador`.
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
         * Ask for a message to sign
         * @description The message is good for one login attempt within five minutes.
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
         * @description Uses the nonce up, whether it succeeds or not. Accepts keys and smart accounts.
         */
        post: operations["login"];
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
         * Who the token says you are
         * @description The wallet, what it may do here beyond others, and until when the token is good. A banned wallet may still ask.
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
         * @description From now on the token that comes with this request is refused, at every replica. Other tokens of the wallet stay good.
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
         * Take a token out of all lists
         * @description By its address it is served all the same.
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
         * Put a token back into the lists
         * @description By its address it is served all the same.
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
         * Hide a comment from everybody
         * @description Upholds the open reports of it.
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
         * Show a comment again
         * @description What reports of it came to stays as it is.
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
         * Silence a wallet everywhere
         * @description It may read, and write nothing; its comments and what it says of itself are served to nobody. 409 for operators.
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
         * Let a wallet speak again
         * @description Its comments come back with it.
         */
        post: operations["unbanWallet"];
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
         * @description The latest first, open ones unless asked otherwise.
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
         * Decide that a report is no matter
         * @description To uphold it, hide the comment. 409 when it is decided already.
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
         * List applications of ambassadors
         * @description The latest first. The only place that serves their personal data.
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
         * Erase an application and its personal data
         * @description The audit log keeps that it was erased, and by whom.
         */
        delete: operations["eraseAmbassadorApplication"];
        options?: never;
        head?: never;
        /**
         * Approve or reject an application
         * @description Tells its wallet, if it names one. 409 when it is decided already.
         */
        patch: operations["reviewAmbassadorApplication"];
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
         * List what operators and labs did
         * @description The latest first. Entries are written with what they tell of, and never change.
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
         * @description Sets `featured` of the token. Featuring it again changes nothing.
         */
        post: operations["featureToken"];
        /**
         * Feature a token no more
         * @description Takes the mark away; the token stays in every list. The audit log keeps who did it.
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
         * @description Sets `featured` of the raise. Featuring it again changes nothing.
         */
        post: operations["featureRaise"];
        /**
         * Feature a raise no more
         * @description Takes it off the featured ones; of one that is not featured, nothing changes.
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
         * The latest block that DEX Screener may read
         * @description Its events, and those of every block before it, are complete and final: a reader asks for each block once, so none is shown that a reorg could still change. FINALITY_DEPTH says how far behind the head that is.
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
         * An asset, for DEX Screener
         * @description A token that was launched here, or the wrapped native coin. 404 for a token that is hidden.
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
         * A pair, for DEX Screener
         * @description By a token’s address its curve, by a pool’s address the Uniswap V2 pool that the token graduated into: two pairs with the same assets. Nothing of a pair ever changes. 404 for one of a token that is hidden.
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
         * What happened in some blocks, for DEX Screener
         * @description Swaps on curves and in pools, and the liquidity that a graduation takes from the one to the other. At most 10000 blocks and, unless it is one block, 5000 events: 400 says to ask for fewer blocks. Swaps of which one side rounded to nothing, and those of hidden tokens, are left out.
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
         * The latest block that GeckoTerminal may read
         * @description Its events, and those of every block before it, are complete and final: a reader asks for each block once, so none is shown that a reorg could still change. FINALITY_DEPTH says how far behind the head that is.
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
         * An asset, for GeckoTerminal
         * @description A token that was launched here, or the wrapped native coin. 404 for a token that is hidden.
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
         * A pair, for GeckoTerminal
         * @description By a token’s address its curve, by a pool’s address the Uniswap V2 pool that the token graduated into: two pairs with the same assets. Nothing of a pair ever changes. 404 for one of a token that is hidden.
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
         * What happened in some blocks, for GeckoTerminal
         * @description Swaps on curves and in pools, and the liquidity that a graduation takes from the one to the other. At most 10000 blocks and, unless it is one block, 5000 events: 400 says to ask for fewer blocks. Swaps of which one side rounded to nothing, and those of hidden tokens, are left out.
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
         * Price and volume of every market, for CoinGecko
         * @description One ticker a token that was traded in the last day, in the market where it trades now. Prices are what trades paid, so a price is the traded native coin over the traded tokens.
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
         * Trades of a market, for CoinGecko
         * @description Those on the curve and, after graduation, those in the pool. Both times are included.
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
         * What the chart feed can do
         * @description The first thing that TradingView’s library asks of a feed.
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
         * A symbol of the chart feed
         * @description Symbols of tokens are not unique, so a token goes by its address. Prices are in the native coin, which is always known; `:USD` after the address asks for US dollars, known where there is a price feed.
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
         * Search the chart feed for symbols
         * @description By name, symbol or address, as /search ranks them. Nothing is found in another exchange or type.
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
         * Bars of a chart
         * @description Those that begin between from and to, both included, or as many up to `to` as countback says. They begin at the launch and have no holes; each opens where the one before it closed. Without any, `s` is `no_data`. Without countback, from is required, and must not be after to.
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
         * What to mark on a chart
         * @description The launch and the graduation of a token, each at the bar of this resolution that it falls into.
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
         * The server’s time, for charts
         * @description From it the library counts down to the end of a bar.
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
         * Tokens as a token list
         * @description In the format of Uniswap’s token lists, oldest first, and only what is final. Its version rises by its rules: major when a token goes, minor when one comes, patch when a picture changes. 404 while there is nothing to list, which the format has no form for.
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
         * The token list, by a path that ends in .json
         * @description In the format of Uniswap’s token lists, oldest first, and only what is final. Its version rises by its rules: major when a token goes, minor when one comes, patch when a picture changes. 404 while there is nothing to list, which the format has no form for.
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
         * Link preview of a token
         * @description A picture with the token’s name, price, market cap, last day and progress. For an unknown or malformed address, and for a token that an operator has hidden, it is the service’s own card, with status 200.
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
         * @description A JSON-RPC 2.0 proxy, single or batch, without the envelope of the other operations: errors are raw JSON-RPC with status 200. Serves what reads the chain, what tells fees, and eth_sendRawTransaction; filters, subscriptions and the node’s own accounts are -32601. At most 50 calls in a batch, 128 KB in a request, 10 MB in an answer.
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
         * Everything a web client needs to start
         * @description The chain and its contracts with the blocks they begin at, the domain to sign in to, the limits and the brand: with this and a base URL alone a client can be built.
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
         * The ABI of a contract
         * @description What a client needs to encode calls to the contract, and to read its events. The addresses are in /config.
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
         * Check everything the service stands on
         * @description Fails with 503 and names the failed ones of database, cache, rpc and indexer. rpc fails when no node answers, or when the newest block is too old for the chain. The indexer fails when it has halted, is too far behind, or when no active one has sent a heartbeat for 30 s. A read replica that is late or down is told of and fails nothing: the primary is read instead. Checked at most once a second, for all who ask.
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
         * Tell whether the process runs
         * @description Looks at nothing but itself: for an orchestrator that must know whether to start the process anew.
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
         * Tell whether this replica can answer
         * @description Checks the database, without which nothing can be answered. Without the cache or a node most can, and no other replica could do better, so they do not count here; /health tells of them. Checked at most once a second.
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
         * Measurements for Prometheus
         * @description The text format of Prometheus: requests by operation, connections, caches, the indexer, nodes, the process. Rendered at most once a second, for all who ask. Not served here where the operator has given metrics a port of their own.
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
         * @description A wallet and what it says of itself, as others see it.
         * @example {
         *       "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "username": "harbour_cat",
         *       "avatarUrl": "https://images.example.org/cat.webp"
         *     }
         */
        Author: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            username: string | null;
            avatarUrl: string | null;
        };
        /**
         * @description Something said about a token.
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            author: components["schemas"]["Author"] | null;
            /** @description Plain text. Clients must not render it as markup. Empty of one that was removed, and of no other. */
            text: string;
            parentId: string | null;
            likeCount: number;
            /** @description Replies in the thread that it began. */
            replyCount: number;
            likedByMe: boolean | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            /** @description Taken out of sight by an operator; always false in public lists. */
            hidden: boolean;
            /** @description It was deleted, or taken out of sight, and keeps its place while there are replies to it: to be shown as “removed”. It can be neither answered, liked nor reported. */
            removed: boolean;
        };
        /**
         * @description A wallet at a raise. blockNumber, txHash and logIndex are those of the last thing that it did there.
         * @example {
         *       "raiseId": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "title": "A harbour for cats",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "registered": false,
         *       "amount": "2000000000000000000",
         *       "status": "finalized",
         *       "sharePct": 25,
         *       "claimed": true,
         *       "tokensClaimed": "250000000000000000000",
         *       "claimable": "0",
         *       "refunded": false,
         *       "refundedAmount": "0",
         *       "refundable": "0",
         *       "blockNumber": 22410004,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 17,
         *       "confirmed": true
         *     }
         */
        Commitment: {
            /**
             * @description Id of a raise: its contract, and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            raiseId: string;
            title: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            registered: boolean;
            /**
             * @description Native coin: what the wallet committed, which is its weight in votes. A refund leaves it.
             * @example 1000000000000000000
             */
            amount: string;
            /**
             * @description Of the raise.
             * @enum {string}
             */
            status: "upcoming" | "registration" | "active" | "succeeded" | "failed" | "finalized" | "cancelled";
            sharePct: number | null;
            claimed: boolean;
            /**
             * @description Tokens: that it has claimed.
             * @example 1000000000000000000
             */
            tokensClaimed: string;
            /**
             * @description Tokens: that a claim would pay now.
             * @example 1000000000000000000
             */
            claimable: string;
            refunded: boolean;
            /**
             * @description Native coin: that it got back.
             * @example 1000000000000000000
             */
            refundedAmount: string;
            /**
             * @description Native coin: that a refund would pay now.
             * @example 1000000000000000000
             */
            refundable: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /**
         * @description What the charts of a token now end with, after a trade or after one was retracted.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "candles": {
         *         "1m": {
         *           "time": 1795168500,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
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
         *           "volumeUsd": 360,
         *           "trades": 3
         *         }
         *       }
         *     }
         */
        CurrentCandles: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            /** @description By interval, the last candle of the chart in native coin. It replaces the one of the same time. */
            candles: {
                "1m": {
                    /** @description Start of the candle, unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Traded native coin in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: string;
                    volumeUsd: number | null;
                    trades: number;
                };
                "5m": {
                    /** @description Start of the candle, unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Traded native coin in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: string;
                    volumeUsd: number | null;
                    trades: number;
                };
                "15m": {
                    /** @description Start of the candle, unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Traded native coin in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: string;
                    volumeUsd: number | null;
                    trades: number;
                };
                "30m": {
                    /** @description Start of the candle, unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Traded native coin in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: string;
                    volumeUsd: number | null;
                    trades: number;
                };
                "1h": {
                    /** @description Start of the candle, unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Traded native coin in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: string;
                    volumeUsd: number | null;
                    trades: number;
                };
                "4h": {
                    /** @description Start of the candle, unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Traded native coin in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: string;
                    volumeUsd: number | null;
                    trades: number;
                };
                "1d": {
                    /** @description Start of the candle, unix seconds. */
                    time: number;
                    open: number | null;
                    high: number | null;
                    low: number | null;
                    close: number | null;
                    /**
                     * @description Traded native coin in base units.
                     * @example 1000000000000000000
                     */
                    volumeNative: string;
                    volumeUsd: number | null;
                    trades: number;
                };
            };
        };
        /**
         * @description Something that a wallet was told.
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
         *         "imageUrl": "https://images.example.org/hcat.webp"
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
             * @description comment: on your token; reply: to your comment; comment_like: of your comment; token_like: of your token; follow: of you; trade_on_my_token: by somebody else; followed_creator_launched: a token; graduated: your token, or one that you like; reward_funded: a pool that you stake in; raise_opened: by a creator whom you follow; raise_finalized: a raise that you committed to, as the following, has succeeded; raise_failed: it stayed below its goal, and pays back; raise_cancelled: its creator called it off, and it pays back; raise_dissolved: it pays back what proposals have left; raise_proposal_opened: there is something to vote on; raise_proposal_executed: and paid out; ambassador_approved: your application; ambassador_rejected: your application.
             * @example comment
             * @enum {string}
             */
            type: "comment" | "reply" | "comment_like" | "token_like" | "follow" | "trade_on_my_token" | "followed_creator_launched" | "graduated" | "reward_funded" | "raise_opened" | "raise_finalized" | "raise_failed" | "raise_cancelled" | "raise_dissolved" | "raise_proposal_opened" | "raise_proposal_executed" | "ambassador_approved" | "ambassador_rejected";
            actor: components["schemas"]["Author"] | null;
            /** @description What it is about: the id of the comment of comment, reply and comment_like, the wallet of follow, else the address of the token or the id of the raise, pool or application. */
            subject: string;
            token: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
                name: string;
                symbol: string;
                imageUrl: string | null;
            } | null;
            /** @description More, by type: text and parentId of comments; side, amounts, title, proposal (its id) and position of what is on the chain. */
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
         * @description A sale of a token whose money leaves by votes. blockNumber, txHash and logIndex are those of its creation.
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
         *       "dissolvedAt": null,
         *       "released": "3000000000000000000",
         *       "escrow": "5000000000000000000",
         *       "refunded": "0",
         *       "tokensClaimed": "250000000000000000000",
         *       "tokensReclaimable": "0",
         *       "quorumBps": 4000,
         *       "votingDelaySeconds": 3600,
         *       "votingPeriodSeconds": 86400,
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
             * @description Id of a raise: its contract, and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            id: string;
            /**
             * @description The contract to call.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            contract: string;
            /**
             * @description The raise’s number in its contract: the raiseId of every call.
             * @example 1000000000000000000
             */
            number: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            creator: string;
            /**
             * @description What is sold.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
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
             * @description As of asOf, by the clock alone but for finalized and cancelled. succeeded: waits to be finalized. failed: open to refunds.
             * @enum {string}
             */
            status: "upcoming" | "registration" | "active" | "succeeded" | "failed" | "finalized" | "cancelled";
            /**
             * @description Tokens: all that is sold, shared out by commitment.
             * @example 1000000000000000000
             */
            tokenAmount: string;
            /**
             * @description Native coin: below it, the raise fails.
             * @example 1000000000000000000
             */
            goalMin: string;
            /**
             * @description Native coin: reaching it ends the raise.
             * @example 1000000000000000000
             */
            goalMax: string;
            /**
             * @description Native coin: the least that a wallet may have committed.
             * @example 1000000000000000000
             */
            walletMin: string;
            /**
             * @description Native coin: the most.
             * @example 1000000000000000000
             */
            walletMax: string;
            /**
             * @description Native coin: committed by all.
             * @example 1000000000000000000
             */
            totalCommitted: string;
            totalCommittedUsd: number | null;
            /** @description totalCommitted of goalMax. */
            progressPct: number;
            participantCount: number;
            /** @description Wallets register from registrationStart until startAt. */
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
            released: string;
            /**
             * @description Native coin: what proposals have left of a finalized raise; 0 of any other.
             * @example 1000000000000000000
             */
            escrow: string;
            /**
             * @description Native coin: paid back.
             * @example 1000000000000000000
             */
            refunded: string;
            /**
             * @description Tokens: claimed by all.
             * @example 1000000000000000000
             */
            tokensClaimed: string;
            /**
             * @description Tokens: given up by refunds, for the creator to fetch.
             * @example 1000000000000000000
             */
            tokensReclaimable: string;
            /** @description Of all that was committed, in hundredths of a percent. */
            quorumBps: number;
            votingDelaySeconds: number;
            votingPeriodSeconds: number;
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
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /**
         * @description A comment that its author or an operator took away. With replies left to it, the lists keep its place as `removed`.
         * @example {
         *       "id": "17",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"
         *     }
         */
        RemovedComment: {
            /** @description The id of the comment. */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
        };
        /**
         * @description A notification of something that a reorganisation of the chain has undone. It is no longer listed.
         * @example {
         *       "id": "311"
         *     }
         */
        RetractedNotification: {
            /** @description The id of the notification. */
            id: string;
        };
        /**
         * @description A launch or a graduation that a reorganisation of the chain has undone. It may come again in another block.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "blockNumber": 22414823,
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "logIndex": 3
         *     }
         */
        RetractedToken: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            logIndex: number;
        };
        /**
         * @description A trade that a reorganisation of the chain has undone. It may come again in another block, as a new trade.
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
            /** @description The id of the trade that is no more. */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            trader: string;
            /** @enum {string} */
            side: "buy" | "sell";
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            logIndex: number;
        };
        /**
         * @description What a wallet did in a block that a reorganisation of the chain has undone. It may come again in another block.
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
            /** @description The transaction and the log in it. */
            id: string;
            /** @enum {string} */
            type: "create" | "buy" | "sell" | "graduate" | "claim_creator_fee" | "raise_create" | "register" | "commit" | "claim_raise" | "refund" | "propose" | "vote" | "execute" | "finalize" | "cancel_raise" | "reclaim_tokens" | "dissolve" | "cancel_proposal" | "stake" | "unstake" | "withdraw" | "claim" | "fund";
            /**
             * @description Who did it. Of a graduation, which anybody may trigger, the launchpad.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            token: string | null;
            raise: string | null;
            proposal: string | null;
            pool: string | null;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            logIndex: number;
        };
        /**
         * @description Figures of the whole platform, hidden tokens included.
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
         *         "chainHead": 22414830,
         *         "lagBlocks": 0
         *       }
         *     }
         */
        Statistics: {
            tokens: {
                total: number;
                /** @description Not graduated. */
                onCurve: number;
                graduated: number;
                created24h: number;
            };
            /** @description The last 24 hours. Amounts are native coin in base units. */
            h24: {
                trades: number;
                /** @description Wallets that traded. */
                traders: number;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                volume: string;
                volumeUsd: number | null;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                protocolFees: string;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                creatorFees: string;
            };
            /** @description Since the first launch. */
            total: {
                trades: number;
                /** @description Wallets that traded. */
                traders: number;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                volume: string;
                volumeUsd: number | null;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                protocolFees: string;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                creatorFees: string;
            };
            staking: {
                pools: number;
                /** @description Wallets with a stake, once a pool. */
                positions: number;
                stakedValue: string | null;
                stakedValueUsd: number | null;
            };
            raises: {
                total: number;
                /** @description Taking commitments now. */
                open: number;
                proposals: number;
                /**
                 * @description Native coin committed to all raises, refunded or not.
                 * @example 1000000000000000000
                 */
                committed: string;
                committedUsd: number | null;
                /**
                 * @description What proposals have paid out of it.
                 * @example 1000000000000000000
                 */
                released: string;
                /**
                 * @description What committers got back.
                 * @example 1000000000000000000
                 */
                refunded: string;
            };
            quoteUsd: number | null;
            /** @description How far the chain has been read. Null before the first block. */
            indexer: {
                blockNumber: number | null;
                blockTime: string | null;
                finalizedBlock: number | null;
                chainHead: number | null;
                lagBlocks: number | null;
            };
        };
        /**
         * @description A launched token: what its creator says, its curve or pool, and its market figures.
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
         *       "progressPct": 12.5,
         *       "graduatedAt": null,
         *       "poolAddress": null,
         *       "virtualQuote": "1833333333333333334",
         *       "virtualToken": "775757575757575757575757576",
         *       "realQuote": "500000000000000000",
         *       "realToken": "509090909090909090909090908",
         *       "targetQuote": "4000000000000000000",
         *       "protocolFeeBps": 100,
         *       "creatorFeeBps": 50,
         *       "priceNative": "0.0000000023632812500000000008593749992614746",
         *       "priceUsd": 0.00000708984375,
         *       "marketCapUsd": 7089.84375,
         *       "athMarketCapUsd": 7411.2,
         *       "liquidityUsd": 1500,
         *       "volume": {
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
         *       "commentCount": 0,
         *       "likeCount": 0,
         *       "likedByMe": null,
         *       "featured": false,
         *       "hidden": false,
         *       "symbolTakenBefore": false
         *     }
         */
        Token: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: string;
            chainId: number;
            /** @description As the contract says; anybody may have used it before. */
            name: string;
            symbol: string;
            decimals: number;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            totalSupply: string;
            description: string | null;
            imageUrl: string | null;
            bannerUrl: string | null;
            /** @description contractURI of the token (ERC-7572), as given at its creation. */
            metadataUri: string;
            /** @description Where else the token is at home, as its creator says. */
            links: {
                website: string | null;
                twitter: string | null;
                telegram: string | null;
                discord: string | null;
            };
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            creator: string;
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
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
            /**
             * @description curve: for sale; completed: sold out, about to move; graduated: trades in its pool.
             * @enum {string}
             */
            status: "curve" | "completed" | "graduated";
            /** @description How much of the target the curve has taken in, in percent. */
            progressPct: number;
            graduatedAt: string | null;
            poolAddress: string | null;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            virtualQuote: string;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            virtualToken: string;
            /**
             * @description Native coin that the curve holds, in base units.
             * @example 1000000000000000000
             */
            realQuote: string;
            /**
             * @description Tokens that the curve still has for sale, in base units.
             * @example 1000000000000000000
             */
            realToken: string;
            /**
             * @description Native coin at which the curve is completed, in base units.
             * @example 1000000000000000000
             */
            targetQuote: string;
            protocolFeeBps: number;
            creatorFeeBps: number;
            priceNative: string | null;
            priceUsd: number | null;
            marketCapUsd: number | null;
            athMarketCapUsd: number | null;
            liquidityUsd: number | null;
            /** @description Traded within the last hour, the last day, and ever; native coin in base units. */
            volume: {
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                h1: string;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                h24: string;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                total: string;
            };
            volumeUsd24h: number | null;
            priceChangePct: {
                m5: number | null;
                h1: number | null;
                h24: number | null;
            };
            buys24h: number;
            sells24h: number;
            traders24h: number;
            lastTradeAt: string | null;
            /** @description Wallets that hold some. Curve, pool and burn addresses do not count. */
            holderCount: number;
            top10Pct: number | null;
            creatorHeldPct: number | null;
            commentCount: number;
            likeCount: number;
            likedByMe: boolean | null;
            featured: boolean;
            /** @description Taken out of all lists by an operator; still served by address. */
            hidden: boolean;
            /** @description An older token has this symbol: this may be a copycat. */
            symbolTakenBefore: boolean;
        };
        /**
         * @description One trade, on the curve or in the pool. A transaction may hold many.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "trader": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "recipient": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "side": "buy",
         *       "venue": "curve",
         *       "tokenAmount": "41893560112006519471348291",
         *       "quoteAmount": "100000000000000000",
         *       "priceNative": "0.0000000023632812500000000008593749992614746",
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
            /** @description The transaction and the log in it that the trade is. */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            /**
             * @description The wallet that paid. Of a sale in a pool whose seller cannot be told, the recipient.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            trader: string;
            /**
             * @description Who received.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            recipient: string;
            /** @enum {string} */
            side: "buy" | "sell";
            /** @enum {string} */
            venue: "curve" | "pool";
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            tokenAmount: string;
            /**
             * @description Native coin in base units: what a buyer paid, fees included, or a seller received, after fees.
             * @example 1000000000000000000
             */
            quoteAmount: string;
            priceNative: string | null;
            priceUsd: number | null;
            valueUsd: number | null;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            protocolFee: string;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            creatorFee: string;
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
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /**
         * @description Something that a wallet did on the chain: a trade, or another action.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11",
         *       "type": "buy",
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "raise": null,
         *       "proposal": null,
         *       "pool": null,
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
            /** @description The transaction and the log in it. */
            id: string;
            /** @enum {string} */
            type: "create" | "buy" | "sell" | "graduate" | "claim_creator_fee" | "raise_create" | "register" | "commit" | "claim_raise" | "refund" | "propose" | "vote" | "execute" | "finalize" | "cancel_raise" | "reclaim_tokens" | "dissolve" | "cancel_proposal" | "stake" | "unstake" | "withdraw" | "claim" | "fund";
            /**
             * @description Who did it. Of a graduation, which anybody may trigger, the launchpad.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            token: string | null;
            raise: string | null;
            proposal: string | null;
            pool: string | null;
            /** @description What moved, by name, in base units: tokenAmount, quoteAmount, protocolFee and creatorFee of a trade; the weight of a vote. */
            amounts: {
                [key: string]: string;
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
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /** @description The answer of every failure. */
        Error: {
            /** @enum {boolean} */
            success: false;
            data: null;
            /** @description What went wrong, for a person to read. */
            error: string;
        };
        /**
         * @description What an address holds of a token. Curve, pool and burnt supply are listed and labelled.
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: string;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            balance: string;
            pct: number | null;
            label: ("creator" | "curve" | "pool" | "burn") | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            firstSeenAt: string;
            /**
             * Format: date-time
             * @description Its last trade of the token, or when it was first seen.
             * @example 2026-11-21T12:00:00.000Z
             */
            lastActiveAt: string;
        };
        /**
         * @description Candles in ascending order, one for every interval since the launch, traded in or not. Between two trades the price of a curve cannot move, so each candle opens where the one before it closed. Prices are those of one whole token; in US dollars they are null where no feed knew one.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "interval": "5m",
         *       "currency": "native",
         *       "candles": [
         *         {
         *           "time": 1795168500,
         *           "open": 2.1e-9,
         *           "high": 2.36328125e-9,
         *           "low": 2.1e-9,
         *           "close": 2.36328125e-9,
         *           "volumeNative": "120000000000000000",
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
         *           "volumeUsd": 0,
         *           "trades": 0
         *         }
         *       ]
         *     }
         */
        Chart: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            /** @enum {string} */
            interval: "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d";
            /** @enum {string} */
            currency: "native" | "usd";
            candles: {
                /** @description Start of the candle, unix seconds. */
                time: number;
                open: number | null;
                high: number | null;
                low: number | null;
                close: number | null;
                /**
                 * @description Traded native coin in base units.
                 * @example 1000000000000000000
                 */
                volumeNative: string;
                volumeUsd: number | null;
                trades: number;
            }[];
        };
        /**
         * @description What a trade would do, to the last unit, in the state of the last block read. `call` is null when no recipient is known.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "side": "buy",
         *       "venue": "curve",
         *       "amountIn": "100000000000000000",
         *       "amountOut": "39554199574905294846782497",
         *       "minimumOut": "39158657579156241898314672",
         *       "refund": "0",
         *       "protocolFee": "1000000000000000",
         *       "creatorFee": "500000000000000",
         *       "poolFee": "0",
         *       "priceImpactPct": 5.372727,
         *       "completesCurve": false,
         *       "slippageBps": 100,
         *       "deadline": 1795170000,
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            /** @enum {string} */
            side: "buy" | "sell";
            /**
             * @description Where it trades: on the curve, or in the pool after graduation.
             * @enum {string}
             */
            venue: "curve" | "pool";
            /**
             * @description What is paid in the end: the amount, less the refund.
             * @example 1000000000000000000
             */
            amountIn: string;
            /**
             * @description What comes out after all fees: tokens, or native coin.
             * @example 1000000000000000000
             */
            amountOut: string;
            /**
             * @description Less than this and the call reverts.
             * @example 1000000000000000000
             */
            minimumOut: string;
            /**
             * @description What a buy that completes the curve gives back.
             * @example 1000000000000000000
             */
            refund: string;
            /**
             * @description In native coin.
             * @example 1000000000000000000
             */
            protocolFee: string;
            /**
             * @description In native coin.
             * @example 1000000000000000000
             */
            creatorFee: string;
            /**
             * @description Kept by the pool, in the currency that goes in.
             * @example 1000000000000000000
             */
            poolFee: string;
            /** @description How much worse than the price before it the trade is for its size alone, fees left out, in percent. */
            priceImpactPct: number;
            /** @description Whether this buy takes all that is left on the curve. */
            completesCurve: boolean;
            slippageBps: number;
            /** @description Unix seconds after which the call reverts. */
            deadline: number;
            call: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                to: string;
                /** @description Bytes in 0x-prefixed hexadecimal. */
                data: string;
                /**
                 * @description Native coin to send along.
                 * @example 1000000000000000000
                 */
                value: string;
            } | null;
            approval: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                spender: string;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                amount: string;
            } | null;
        };
        /** @description The trades of this kind that the wallet made in the transaction. */
        SyncedTrades: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            trades: components["schemas"]["Trade"][];
        };
        /** @description The tokens that the wallet launched in the transaction. */
        SyncedTokens: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            tokens: components["schemas"]["Token"][];
        };
        /** @description What a search found. */
        SearchResult: {
            /** @description The best matches first: of the address, the symbol, the beginning of the symbol, of the name, anything within either; equals by market cap. */
            tokens: components["schemas"]["Token"][];
            /** @description The wallet of the address searched for, if it has a name or has traded or launched anything; or those whose usernames begin so, the shortest first. */
            wallets: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
                username: string | null;
                avatarUrl: string | null;
                /** @example 129 */
                tradeCount: number;
                /** @example 3 */
                createdTokens: number;
            }[];
        };
        /**
         * @description A wallet and its place among those that traded within the period.
         * @example {
         *       "rank": 1,
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "profile": {
         *         "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *         "username": "gull",
         *         "avatarUrl": null
         *       },
         *       "volumeNative": "18400000000000000000",
         *       "volumeUsd": 55200,
         *       "tradeCount": 129,
         *       "realizedPnl": {
         *         "native": "2150000000000000000",
         *         "usd": 6450
         *       },
         *       "period": "24h",
         *       "by": "volume"
         *     }
         */
        LeaderboardEntry: {
            rank: number;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            profile: components["schemas"]["Author"] | null;
            /**
             * @description Traded native coin in base units.
             * @example 1000000000000000000
             */
            volumeNative: string;
            volumeUsd: number | null;
            tradeCount: number;
            /** @description What sales earned over the average cost of what the wallet had bought. */
            realizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: string;
                usd: number | null;
            };
            /** @enum {string} */
            period: "24h" | "7d" | "30d" | "all";
            /** @enum {string} */
            by: "volume" | "pnl";
        };
        /**
         * @description What a wallet holds of a token.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "name": "Harbour Cat",
         *       "symbol": "HCAT",
         *       "imageUrl": "https://images.example.org/hcat.webp",
         *       "hidden": false,
         *       "balance": "52000000000000000000000000",
         *       "boughtAmount": "50000000000000000000000000",
         *       "receivedAmount": "2000000000000000000000000",
         *       "priceNative": "0.0000000419",
         *       "priceUsd": 0.0001257,
         *       "valueNative": "2178800000000000000",
         *       "valueUsd": 6536.4,
         *       "costNative": "1500000000000000000",
         *       "costUsd": 4500,
         *       "unrealizedPnl": {
         *         "native": "595000000000000000",
         *         "usd": 1785
         *       },
         *       "realizedPnl": {
         *         "native": "-20000000000000000",
         *         "usd": -60
         *       },
         *       "firstSeenAt": "2026-11-19T08:12:44.000Z",
         *       "lastTradeAt": "2026-11-20T11:58:12.000Z"
         *     }
         */
        Holding: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            name: string;
            symbol: string;
            imageUrl: string | null;
            /** @description Taken out of discovery by an operator. */
            hidden: boolean;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            balance: string;
            /**
             * @description The part of the balance that the wallet bought itself, and so has a cost.
             * @example 1000000000000000000
             */
            boughtAmount: string;
            /**
             * @description The rest: received from others. It counts to the value, and makes no profit.
             * @example 1000000000000000000
             */
            receivedAmount: string;
            priceNative: string | null;
            priceUsd: number | null;
            /**
             * @description At the price now, before the effect that a sale has on it.
             * @example 1000000000000000000
             */
            valueNative: string;
            valueUsd: number | null;
            /**
             * @description Average cost of the bought part, fees included.
             * @example 1000000000000000000
             */
            costNative: string;
            costUsd: number | null;
            /** @description Value of the bought part less its cost. */
            unrealizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: string;
                usd: number | null;
            };
            /** @description What sales of this token earned over average cost. */
            realizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: string;
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
         * @description A token that the wallet launched, and what it earns.
         * @example {
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "name": "Harbour Cat",
         *       "symbol": "HCAT",
         *       "imageUrl": "https://images.example.org/hcat.webp",
         *       "hidden": false,
         *       "status": "curve",
         *       "marketCapUsd": 125700,
         *       "feesEarned": "41000000000000000",
         *       "feesClaimed": "30000000000000000",
         *       "feesClaimable": "11000000000000000",
         *       "createdAt": "2026-11-19T08:12:44.000Z"
         *     }
         */
        Creation: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            token: string;
            name: string;
            symbol: string;
            imageUrl: string | null;
            /** @description Taken out of discovery by an operator. */
            hidden: boolean;
            /** @description curve, completed or graduated. */
            status: string;
            marketCapUsd: number | null;
            /**
             * @description Native coin that its trades brought the creator so far.
             * @example 1000000000000000000
             */
            feesEarned: string;
            /**
             * @description What of it the creator has taken out.
             * @example 1000000000000000000
             */
            feesClaimed: string;
            /**
             * @description What is left to take out.
             * @example 1000000000000000000
             */
            feesClaimable: string;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
        };
        /** @description What a wallet holds, launched and earned. */
        Portfolio: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            /**
             * @description What the holdings are worth, native coin in base units.
             * @example 1000000000000000000
             */
            totalValueNative: string;
            totalValueUsd: number | null;
            /** @description What all sales earned over average cost, of tokens held or not. */
            realizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: string;
                usd: number | null;
            };
            /** @description Over all holdings. */
            unrealizedPnl: {
                /**
                 * @description Native coin in base units; negative for a loss.
                 * @example -250000000000000000
                 */
                native: string;
                usd: number | null;
            };
            /**
             * @description How many tokens were valued.
             * @example 7
             */
            holdingCount: number;
            /** @description Whether it holds more tokens than one answer values; the totals are then of those valued. /portfolio/holdings lists all. */
            truncated: boolean;
            /** @description The most valuable first, at most 100. */
            holdings: components["schemas"]["Holding"][];
            /** @description The newest first, at most 100. */
            created: components["schemas"]["Creation"][];
            /** @description Those it did something to last come first, at most 100. */
            staking: components["schemas"]["StakingPosition"][];
            /** @description To raises; those it did something to last come first, at most 100. */
            commitments: components["schemas"]["Commitment"][];
        };
        /**
         * @description A third party’s data on a token that was not launched here. For display only, not for settlement: nobody here has checked it against the chain. Null is unknown.
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: string;
            name: string | null;
            symbol: string | null;
            decimals: number | null;
            totalSupply: string | null;
            imageUrl: string | null;
            priceUsd: number | null;
            marketCapUsd: number | null;
            fdvUsd: number | null;
            liquidityUsd: number | null;
            volumeUsd24h: number | null;
            /** @description In the token’s most traded pool, in percent. */
            priceChangePct: {
                m5: number | null;
                h1: number | null;
                h24: number | null;
            };
            /** @description The most traded pools, at most ten, the first one first. */
            pools: {
                /** @description Address of the pool, or its 32-byte id where pools have no address. */
                address: string;
                dex: string | null;
                name: string | null;
                baseToken: string | null;
                quoteToken: string | null;
                liquidityUsd: number | null;
                volumeUsd24h: number | null;
                createdAt: string | null;
            }[];
            /** @description The chain, by the provider’s name for it. */
            network: string;
            /** @description The provider. */
            source: string;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            fetchedAt: string;
            /** @description Whether it is older than is fresh: a newer one is on its way, or cannot be had. */
            stale: boolean;
        };
        /**
         * @description A third party’s candles of a token that was not launched here, of its most traded pool. For display only, not for settlement: nobody here has checked it against the chain. Ascending and without holes: an interval without trades keeps the price. At most 300, the last ones; none where the provider has no chart.
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: string;
            /** @enum {string} */
            interval: "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d";
            /** @enum {string} */
            currency: "usd";
            candles: {
                /** @description Start of the candle, unix seconds. */
                time: number;
                open: number;
                high: number;
                low: number;
                close: number;
                volumeUsd: number;
            }[];
            /** @description The chain, by the provider’s name for it. */
            network: string;
            /** @description The provider. */
            source: string;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            fetchedAt: string;
            /** @description Whether it is older than is fresh: a newer one is on its way, or cannot be had. */
            stale: boolean;
        };
        /**
         * @description What committers vote on. Votes weigh what the wallet committed, in native base units.
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
         *       "amount": "3000000000000000000",
         *       "recipient": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "voteStart": "2026-11-18T12:00:00.000Z",
         *       "voteEnd": "2026-11-19T12:00:00.000Z",
         *       "forVotes": "6000000000000000000",
         *       "againstVotes": "0",
         *       "abstainVotes": "2000000000000000000",
         *       "quorum": "3200000000000000000",
         *       "voterCount": 2,
         *       "state": "executed",
         *       "executedAt": "2026-11-19T12:10:00.000Z",
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
             * @description Id of a proposal: its contract, and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            id: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            contract: string;
            /**
             * @description The proposal’s number in its contract.
             * @example 1000000000000000000
             */
            number: string;
            /**
             * @description Id of a raise: its contract, and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            raiseId: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            proposer: string;
            /**
             * @description dissolve: gives what is left back to the committers.
             * @enum {string}
             */
            kind: "release" | "dissolve";
            title: string;
            description: string | null;
            /** @description As the chain has it. */
            descriptionUri: string;
            /**
             * @description Native coin: to be paid out.
             * @example 1000000000000000000
             */
            amount: string;
            recipient: string | null;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            voteStart: string;
            /**
             * Format: date-time
             * @description The first moment at which no vote counts any more.
             * @example 2026-11-21T12:00:00.000Z
             */
            voteEnd: string;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            forVotes: string;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            againstVotes: string;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            abstainVotes: string;
            /**
             * @description What for and abstain together must reach.
             * @example 1000000000000000000
             */
            quorum: string;
            voterCount: number;
            /**
             * @description As of asOf. succeeded: waits to be executed.
             * @enum {string}
             */
            state: "pending" | "active" | "defeated" | "succeeded" | "executed" | "cancelled";
            executedAt: string | null;
            myVote: {
                /** @enum {string} */
                support: "against" | "for" | "abstain";
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                weight: string;
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
                txHash: string;
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
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /**
         * @description Something that a wallet did to a raise or a proposal.
         * @example {
         *       "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-17",
         *       "type": "commit",
         *       "raiseId": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "proposalId": null,
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
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
            /** @description The transaction and the log in it. */
            id: string;
            /** @enum {string} */
            type: "register" | "commit" | "claim_raise" | "refund" | "finalize" | "vote" | "execute";
            /**
             * @description Id of a raise: its contract, and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            raiseId: string;
            proposalId: string | null;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            amount: string | null;
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
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /** @description The raises that the wallet opened in the transaction. */
        SyncedRaises: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            raises: components["schemas"]["Raise"][];
        };
        /** @description What the wallet did, and the raise as it is then. */
        SyncedRaise: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            /** @description What the wallet did here in the transaction. */
            events: components["schemas"]["RaiseEvent"][];
            raise: components["schemas"]["Raise"];
        };
        /** @description What the wallet proposed in the transaction. */
        SyncedProposals: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            proposals: components["schemas"]["Proposal"][];
        };
        /** @description What the wallet did, and the proposal as it is then. */
        SyncedProposal: {
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            /** @description What the wallet did here in the transaction. */
            events: components["schemas"]["RaiseEvent"][];
            proposal: components["schemas"]["Proposal"];
        };
        /**
         * @description A pool that pays rewards to those who stake in it. blockNumber, txHash and logIndex are those of its creation.
         * @example {
         *       "id": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1",
         *       "contract": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9",
         *       "number": "1",
         *       "stakingToken": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "rewardToken": "0x0000000000000000000000000000000000000000",
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
             * @description Id of a staking pool: its contract, and its number there.
             * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
             */
            id: string;
            /**
             * @description The contract to call.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            contract: string;
            /**
             * @description The pool’s number in its contract: the poolId of every call.
             * @example 1000000000000000000
             */
            number: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            stakingToken: string;
            /**
             * @description The zero address stands for the native coin.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            rewardToken: string;
            /** @description From a request to unstake to the withdrawal. */
            cooldownSeconds: number;
            /** @description How long a funding of an idle pool is paid out. */
            periodSeconds: number;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            totalStaked: string;
            totalStakedUsd: number | null;
            /**
             * @description Base units of the reward a second, times 10^36, as the contract keeps it. See rewardPerDay.
             * @example 1000000000000000000
             */
            rewardRate: string;
            /**
             * @description What the pool pays to all stakers in a day at the present rate; 0 once the stream has ended.
             * @example 1000000000000000000
             */
            rewardPerDay: string;
            periodFinish: string | null;
            aprPct: number | null;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            totalFunded: string;
            /**
             * @description An unsigned integer in base units, in decimal digits.
             * @example 1000000000000000000
             */
            totalPaid: string;
            /** @description Wallets with a stake; one that only waits to withdraw is none. */
            stakerCount: number;
            /**
             * Format: date-time
             * @description UTC, ISO 8601 with milliseconds.
             * @example 2026-11-21T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The time of the newest block, which all of this is as of.
             * @example 2026-11-21T12:00:00.000Z
             */
            asOf: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /**
         * @description A wallet at a pool. blockNumber, txHash and logIndex are those of the last thing that it did there.
         * @example {
         *       "poolId": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1",
         *       "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "stakingToken": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "rewardToken": "0x0000000000000000000000000000000000000000",
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
             * @description Id of a staking pool: its contract, and its number there.
             * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
             */
            poolId: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            stakingToken: string;
            /**
             * @description The zero address stands for the native coin.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            rewardToken: string;
            /**
             * @description What earns.
             * @example 1000000000000000000
             */
            staked: string;
            /**
             * @description Taken out of the stake, and not withdrawn yet.
             * @example 1000000000000000000
             */
            pendingUnstake: string;
            withdrawableAt: string | null;
            /**
             * @description What a claim would pay at the time of the newest block (asOf), to the last unit. Later, it pays no less.
             * @example 1000000000000000000
             */
            earned: string;
            /**
             * @description All that was ever paid.
             * @example 1000000000000000000
             */
            claimed: string;
            /**
             * Format: date-time
             * @description The time of the newest block, which `earned` is as of.
             * @example 2026-11-21T12:00:00.000Z
             */
            asOf: string;
            blockNumber: number;
            /**
             * @description A 32-byte transaction hash in hexadecimal.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /** @description Something that a wallet did at a pool. */
        StakingEvent: {
            /** @description The transaction and the log in it. */
            id: string;
            /** @enum {string} */
            type: "stake" | "unstake" | "withdraw" | "claim" | "fund";
            /**
             * @description Id of a staking pool: its contract, and its number there.
             * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
             */
            poolId: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            /**
             * @description Of the staking token; of a claim and a funding, of the reward token.
             * @example 1000000000000000000
             */
            amount: string;
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
            txHash: string;
            logIndex: number;
            /** @description False until the block lies deeper than the finality depth. */
            confirmed: boolean;
        };
        /**
         * @description What the wallet did in the transaction, of this kind.
         * @example {
         *       "txHash": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77",
         *       "events": [
         *         {
         *           "id": "0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-17",
         *           "type": "unstake",
         *           "poolId": "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1",
         *           "wallet": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *           "amount": "250000000000000000000000",
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
            txHash: string;
            events: components["schemas"]["StakingEvent"][];
            /** @description The pools of these events as they are now. */
            pools: components["schemas"]["StakingPool"][];
            /** @description The positions of the wallet at these pools as they are now; none where it only ever funded. */
            positions: components["schemas"]["StakingPosition"][];
        };
        /**
         * @description Something that happened. `actor` of a graduation is the creator of the token.
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
         *         "imageUrl": "https://images.example.org/hcat.webp"
         *       },
         *       "trade": {
         *         "side": "buy",
         *         "tokenAmount": "418935601120065194713482910",
         *         "quoteAmount": "1000000000000000000",
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
            /** @description The token that it is about. */
            token: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
                name: string;
                symbol: string;
                imageUrl: string | null;
            };
            trade: {
                /** @enum {string} */
                side: "buy" | "sell";
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                tokenAmount: string;
                /**
                 * @description An unsigned integer in base units, in decimal digits.
                 * @example 1000000000000000000
                 */
                quoteAmount: string;
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
            txHash: string | null;
            logIndex: number | null;
            confirmed: boolean | null;
        };
        /**
         * @example {
         *       "read": 1,
         *       "unreadCount": 0
         *     }
         */
        NotificationsRead: {
            /** @description How many were unread before. */
            read: number;
            /**
             * @description Up to 1000: there may be more.
             * @example 2
             */
            unreadCount: number;
        };
        /**
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
         * @description A wallet liking a token or a comment.
         * @example {
         *       "actor": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "target": "1024",
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "likeCount": 4
         *     }
         */
        Like: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            actor: string;
            /** @description The address of the token, or the id of the comment. */
            target: string;
            createdAt: string | null;
            /** @description How many like the target now. */
            likeCount: number;
        };
        /**
         * @description That a report has reached the operators.
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
         * @description A wallet as a person. Every address has one, if only an empty one.
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            username: string | null;
            bio: string | null;
            avatarUrl: string | null;
            followerCount: number;
            followingCount: number;
            /** @description Tokens launched, without those that operators have hidden. */
            createdTokens: number;
            joinedAt: string | null;
            followedByMe: boolean | null;
        };
        /**
         * @description One wallet following another.
         * @example {
         *       "actor": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "target": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "followerCount": 41
         *     }
         */
        Follow: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            actor: string;
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            target: string;
            createdAt: string | null;
            /** @description How many follow the target now. */
            followerCount: number;
        };
        /**
         * @description A wallet that follows or is followed.
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
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
         * @description An image as it is kept and served: WebP, without metadata.
         * @example {
         *       "url": "/uploads/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
         *       "width": 512,
         *       "height": 512,
         *       "bytes": 18432,
         *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *     }
         */
        UploadedImage: {
            /** @description Path of the image, at either mount; what imageUrl of a token takes. */
            url: string;
            width: number;
            height: number;
            bytes: number;
            /** @description SHA-256 of the file, in hexadecimal. */
            sha256: string;
        };
        /**
         * @example {
         *       "uri": "https://api.slipway.example/uploads/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.json"
         *     }
         */
        UploadedMetadata: {
            /** @description Where the document is served: contractURI of the token to be launched. */
            uri: string;
        };
        /**
         * @description That an application has arrived.
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
         * @description Personal data: for operators alone.
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
             * @description Served to operators alone.
             * @example mira@example.org
             */
            email: string;
            wallet: string | null;
            /**
             * @description ISO 3166-1 alpha-2.
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
            reviewer: string | null;
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
        Nonce: {
            /**
             * @description Single use, for five minutes.
             * @example 3f1d5c9a0b7e48d2a6c4f8e1d2b3a495
             */
            nonce: string;
            /**
             * @description The EIP-4361 message: the exact text the wallet must sign.
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
        Login: {
            /**
             * @description A JWT, for `Authorization: Bearer <token>`. Valid for a day.
             * @example eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImV4YW1wbGUifQ.eyJzdWIiOiIweDcwOTk3OTcwYzUxODEyZGMzYTAxMGM3ZDAxYjUwZTBkMTdkYzc5YzgiLCJqdGkiOiIyODAwZWQ3Ny04OWVkLTQwZWYtYWMzZS1kMzBiNjQzYTFjNjAiLCJhdWQiOiJodHRwOi8vbG9jYWxob3N0OjMwMDAiLCJpc3MiOiJodHRwOi8vbG9jYWxob3N0OjMwMDAiLCJpYXQiOjE3OTUyNjI0MDAsImV4cCI6MTc5NTM0ODgwMH0.VIq0F77bxLZCqwyFPEbCpp789N-bwW8ANNhj4B0QggA
             */
            token: string;
        };
        Identity: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            /** @description On the operators’ list. */
            isAdmin: boolean;
            /** @description On the labs list. */
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
        Logout: {
            /** @enum {boolean} */
            revoked: true;
        };
        /**
         * @example {
         *       "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "hidden": true
         *     }
         */
        TokenVisibility: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: string;
            hidden: boolean;
        };
        /**
         * @example {
         *       "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "featured": true
         *     }
         */
        TokenFeature: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            address: string;
            featured: boolean;
        };
        /**
         * @example {
         *       "id": "0x0165878a594ca255338adfa4d48449f69242eb8f-1",
         *       "featured": true
         *     }
         */
        RaiseFeature: {
            /**
             * @description Id of a raise: its contract, and its number there.
             * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
             */
            id: string;
            featured: boolean;
        };
        /**
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
         * @example {
         *       "wallet": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "banned": true
         *     }
         */
        WalletBan: {
            /**
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            wallet: string;
            banned: boolean;
        };
        /**
         * @description A comment that a wallet reported.
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            reporter: string;
            /** @enum {string} */
            reason: "spam" | "scam" | "abuse" | "illegal" | "other";
            note: string | null;
            /**
             * @description upheld: the comment was hidden.
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: string;
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                author: string;
                /** @description Also of a comment that is hidden, or was deleted after it was reported. */
                text: string;
                hidden: boolean;
                deleted: boolean;
                authorBanned: boolean;
            };
        };
        /**
         * @description What an operator or a labs member did.
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
             * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
             * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
             */
            actor: string;
            /** @description token.hide, token.unhide, token.feature, token.unfeature, raise.feature, raise.unfeature, comment.hide, comment.unhide, report.dismiss, wallet.ban, wallet.unban, application.approve, application.reject, application.erase, and others. */
            action: string;
            /** @description The address or id of what it was done to. */
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
         * @description How far the events can be read.
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
         * @description A token, or the wrapped native coin that tokens are priced in.
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
                 * @description An address with the checksum of EIP-55.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                id: string;
                name: string;
                symbol: string;
                /**
                 * @description Whole tokens. Absent of the native coin, whose supply is not ours to tell.
                 * @example 0.000000041900000001
                 */
                totalSupply?: string;
                /** @description Whatever else is known. */
                metadata?: {
                    [key: string]: string;
                };
            };
        };
        /**
         * @description A token, or the wrapped native coin that tokens are priced in, with its decimals.
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
                 * @description An address with the checksum of EIP-55.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                id: string;
                name: string;
                symbol: string;
                decimals: number;
                /**
                 * @description Whole tokens. Absent of the native coin, whose supply is not ours to tell.
                 * @example 0.000000041900000001
                 */
                totalSupply?: string;
                /** @description Whatever else is known. */
                metadata?: {
                    [key: string]: string;
                };
            };
        };
        /**
         * @description A market of a token. While it is on its curve, and for the trades that were made there, the pair has the token’s own address; the pool that it graduates into is another pair, with the pool’s address.
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
                 * @description An address with the checksum of EIP-55.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                id: string;
                /** @description Where it trades: on our curve, or in a Uniswap V2 pool. */
                dexKey: string;
                /**
                 * @description The token. The order of the assets never changes.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                asset0Id: string;
                /**
                 * @description The wrapped native coin.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                asset1Id: string;
                createdAtBlockNumber: number;
                /** @description Unix seconds. */
                createdAtBlockTimestamp: number;
                /**
                 * @description A 32-byte transaction hash in hexadecimal.
                 * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                 */
                createdAtTxnId: string;
                /**
                 * @description Who launched the token.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                creator: string;
                /** @description Of a swap, in basis points. */
                feeBps: number;
                /** @description Whatever else is known. */
                metadata?: {
                    [key: string]: string;
                };
            };
        };
        /** @description A swap, or liquidity that joins or leaves a market. Amounts are whole coins. */
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
            txnId: string;
            /** @description Orders the transactions of a block, and is the same for all events of one. Not its index at the node, which is not kept, but where in the block its first trade stands among all logs. */
            txnIndex: number;
            /** @description Orders the events of a transaction: twice the log index, and one more for a second event of a log. */
            eventIndex: number;
            /**
             * @description Who traded; of a graduation the launchpad.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            maker: string;
            /**
             * @description An address with the checksum of EIP-55.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            pairId: string;
            /**
             * @description Of a sale: tokens paid in.
             * @example 0.000000041900000001
             */
            asset0In?: string;
            /**
             * @description Of a purchase: native coin paid in.
             * @example 0.000000041900000001
             */
            asset1In?: string;
            /**
             * @description Of a purchase: tokens paid out.
             * @example 0.000000041900000001
             */
            asset0Out?: string;
            /**
             * @description Of a sale: native coin paid out.
             * @example 0.000000041900000001
             */
            asset1Out?: string;
            /**
             * @description Of a swap: the price of asset0 in asset1 that it left the market at.
             * @example 0.000000041900000001
             */
            priceNative?: string;
            /**
             * @description Of a join or an exit: tokens moved.
             * @example 0.000000041900000001
             */
            amount0?: string;
            /**
             * @description Of a join or an exit: native coin moved.
             * @example 0.000000041900000001
             */
            amount1?: string;
            /** @description After the event. */
            reserves: {
                /**
                 * @description Tokens in the market.
                 * @example 0.000000041900000001
                 */
                asset0: string;
                /**
                 * @description Native coin in the market.
                 * @example 0.000000041900000001
                 */
                asset1: string;
            };
        };
        /**
         * @description In the order of the chain: by block, txnIndex and eventIndex.
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
         * @description The market of a token over the last day. All numbers are decimal strings of whole coins.
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
             * @description The two currencies, joined.
             * @example 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0_0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2
             */
            ticker_id: string;
            /**
             * @description The token.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            base_currency: string;
            /**
             * @description The wrapped native coin.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            target_currency: string;
            /**
             * @description The pool; while on its curve, the token itself.
             * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
             */
            pool_id: string;
            /**
             * @description What the last trade paid for one token.
             * @example 0.000000041900000001
             */
            last_price: string;
            /**
             * @description The highest price of a trade of the last day.
             * @example 0.000000041900000001
             */
            high: string;
            /**
             * @description The lowest price of a trade of the last day.
             * @example 0.000000041900000001
             */
            low: string;
            /**
             * @description Tokens traded in the last day.
             * @example 0.000000041900000001
             */
            base_volume: string;
            /**
             * @description Native coin traded in the last day.
             * @example 0.000000041900000001
             */
            target_volume: string;
            /**
             * @description Absent where no feed knows a price in US dollars.
             * @example 0.000000041900000001
             */
            liquidity_in_usd?: string;
        };
        /**
         * @description Trades by their side, the newest first.
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
                /** @description Rises with every trade. Made of its block and its log index. */
                trade_id: number;
                /**
                 * @description What was paid for one token.
                 * @example 0.000000041900000001
                 */
                price: string;
                /**
                 * @description Tokens.
                 * @example 0.000000041900000001
                 */
                base_volume: string;
                /**
                 * @description Native coin.
                 * @example 0.000000041900000001
                 */
                target_volume: string;
                /** @description Unix milliseconds. */
                trade_timestamp: number;
                /** @enum {string} */
                type: "buy" | "sell";
            }[];
            sell: {
                /** @description Rises with every trade. Made of its block and its log index. */
                trade_id: number;
                /**
                 * @description What was paid for one token.
                 * @example 0.000000041900000001
                 */
                price: string;
                /**
                 * @description Tokens.
                 * @example 0.000000041900000001
                 */
                base_volume: string;
                /**
                 * @description Native coin.
                 * @example 0.000000041900000001
                 */
                target_volume: string;
                /** @description Unix milliseconds. */
                trade_timestamp: number;
                /** @enum {string} */
                type: "buy" | "sell";
            }[];
        };
        /**
         * @description A token list as wallets and exchanges import it.
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
             * @description When this version came to be.
             * @example 2026-11-21T12:00:00.000Z
             */
            timestamp: string;
            /** @description Never goes back, and is the same at every replica. */
            version: {
                /** @description How often a token was taken off. */
                major: number;
                /** @description How often one was put on. */
                minor: number;
                /** @description How often the picture of one was changed. */
                patch: number;
            };
            /** Format: uri */
            logoURI?: string;
            keywords: string[];
            tokens: {
                chainId: number;
                /**
                 * @description An address with the checksum of EIP-55.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                address: string;
                decimals: number;
                /** @description Cut to what the schema of lists takes. */
                name: string;
                /** @description The same, without spaces. */
                symbol: string;
                /** Format: uri */
                logoURI?: string;
            }[];
        };
        /**
         * @description The answer of every failure of the feed.
         * @example {
         *       "s": "error",
         *       "errmsg": "unknown_symbol"
         *     }
         */
        UdfError: {
            /** @enum {string} */
            s: "error";
            /** @description What went wrong. */
            errmsg: string;
        };
        /**
         * @description What the feed can do.
         * @example {
         *       "supported_resolutions": [
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
         *         }
         *       ]
         *     }
         */
        UdfConfig: {
            supported_resolutions: ("1" | "5" | "15" | "30" | "60" | "240" | "1D")[];
            supports_search: boolean;
            supports_group_request: boolean;
            supports_marks: boolean;
            supports_timescale_marks: boolean;
            supports_time: boolean;
            exchanges: {
                /** @description For people. */
                name: string;
                /** @description For the search. */
                value: string;
                desc: string;
            }[];
            symbols_types: {
                /** @description For people. */
                name: string;
                /** @description For the search. */
                value: string;
            }[];
        };
        /**
         * @description A token in one currency.
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
         *       "supported_resolutions": [
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
            /** @description For people: the symbol of the token and the currency. Not unique. */
            name: string;
            /** @description Unique: what the other routes take as symbol. */
            ticker: string;
            description: string;
            /** @enum {string} */
            type: "crypto";
            /** @enum {string} */
            session: "24x7";
            /** @enum {string} */
            timezone: "Etc/UTC";
            exchange: string;
            listed_exchange: string;
            /** @description As exchange, for older readers. */
            "exchange-traded": string;
            /** @description As listed_exchange, for older readers. */
            "exchange-listed": string;
            currency_code: string;
            /** @enum {string} */
            format: "price";
            /** @enum {number} */
            minmov: 1;
            /** @enum {number} */
            minmov2: 0;
            /** @enum {number} */
            pointvalue: 1;
            /** @description A power of ten: as many decimals as keep eight digits of the lowest price. */
            pricescale: number;
            has_intraday: boolean;
            has_daily: boolean;
            has_weekly_and_monthly: boolean;
            intraday_multipliers: string[];
            supported_resolutions: ("1" | "5" | "15" | "30" | "60" | "240" | "1D")[];
            /** @enum {string} */
            visible_plots_set: "ohlcv";
            volume_precision: number;
            /** @enum {string} */
            data_status: "streaming";
        };
        /**
         * @description Bars as columns of equal length. One for every interval since the launch, traded in or not.
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
            /** @description Starts of the bars, unix seconds, ascending. */
            t?: number[];
            /** @description Opens. */
            o?: number[];
            /** @description Highs. */
            h?: number[];
            /** @description Lows. */
            l?: number[];
            /** @description Closes. */
            c?: number[];
            /** @description Volumes, in whole coins of the currency. */
            v?: number[];
            /** @description Where there is no bar in the range, but one before it: the start of the last. */
            nextTime?: number;
        };
        /**
         * @description The launch and the graduation, as columns of equal length.
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
            /** @description Comes back as it was sent. Without one it is a notification, which is not answered. */
            id?: string | number | null;
            method: string;
            params?: unknown[];
        };
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": 1,
         *       "result": "0x1b4"
         *     }
         */
        RpcResult: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /** @description Comes back as it was sent. Without one it is a notification, which is not answered. */
            id: string | number | null;
            result: unknown;
        };
        /**
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
            /** @description Comes back as it was sent. Without one it is a notification, which is not answered. */
            id: string | number | null;
            error: {
                /** @description -32700 not JSON; -32600 not a request; -32601 not a method served here; -32602 bad parameters; -32005 over a limit; -32603 no node answered. Any other code is the node’s own, with its message and data. */
                code: number;
                message: string;
                data?: unknown;
            };
        };
        /** @description All that a web client needs to start from a base URL. */
        Config: {
            /** @example 0.1.0 */
            version: string;
            /** @example 8453 */
            chainId: number;
            /**
             * @description Blocks after which a record counts as confirmed.
             * @example 12
             */
            finalityDepth: number;
            /** @description Every contract followed, older deployments included. */
            contracts: {
                /**
                 * @description What the contract is.
                 * @example launchpad
                 */
                kind: string;
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
                /**
                 * @description The block to read its events from.
                 * @example 19000000
                 */
                startBlock: number;
                abi: string | null;
            }[];
            /** @description Where ABIs are served, relative to either mount. */
            abis: string[];
            /**
             * @description The domain that sign-in messages name.
             * @example launch.example
             */
            siweDomain: string;
            /** @example https://launch.example */
            publicUrl: string;
            /**
             * @description Where this API’s document is served.
             * @example /docs/json
             */
            openapi: string;
            /**
             * @description Where the WebSocket is, relative to either mount.
             * @example /ws
             */
            socket: string;
            /**
             * @description Where the document of the WebSocket is served.
             * @example /asyncapi.json
             */
            asyncapi: string;
            limits: {
                /** @example 20 */
                defaultLimit: number;
                /** @example 100 */
                maxLimit: number;
                /**
                 * @description Most that page times limit may come to; go on by cursor.
                 * @example 10000
                 */
                maxDepth: number;
                /**
                 * @description Largest JSON body.
                 * @example 65536
                 */
                bodyBytes: number;
                /** @description Quotas of requests: the global one and each bucket. */
                requests: {
                    /**
                     * @description As in RateLimit and x-rate-limit-bucket.
                     * @example global
                     */
                    name: string;
                    /**
                     * @description Requests of one wallet or address.
                     * @example 300
                     */
                    limit: number;
                    /**
                     * @description Seconds within which they may be made.
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
        };
        Health: {
            database: {
                /** @enum {boolean} */
                ok: true;
                /**
                 * @description How long the check took.
                 * @example 1.4
                 */
                latencyMs: number;
            };
            cache: {
                /** @enum {boolean} */
                ok: true;
                /**
                 * @description How long the check took.
                 * @example 1.4
                 */
                latencyMs: number;
            };
            rpc: {
                /** @enum {boolean} */
                ok: true;
                /**
                 * @description How long the check took.
                 * @example 1.4
                 */
                latencyMs: number;
                /**
                 * @description Head of the chain.
                 * @example 19000123
                 */
                blockNumber: number;
            };
            indexer: {
                /** @enum {boolean} */
                ok: true;
                /**
                 * @description The last block indexed.
                 * @example 19000123
                 */
                blockNumber: number;
                blockTime: string | null;
                /**
                 * @description How many blocks the chain is ahead.
                 * @example 0
                 */
                lagBlocks: number;
                /**
                 * @description Age of the last block indexed while blocks are missing; else 0.
                 * @example 0
                 */
                lagSeconds: number;
                leader: string | null;
                /**
                 * @description Age of its last heartbeat.
                 * @example 0.8
                 */
                heartbeatSeconds: number;
            };
            readReplica: {
                /**
                 * @description Only while it is ok is it read.
                 * @enum {string}
                 */
                state: "ok" | "behind" | "down";
                lagSeconds: number | null;
            } | null;
            /** @example 0.1.0 */
            version: string;
            /** @example 86400 */
            uptimeSeconds: number;
        };
        Alive: {
            /** @enum {boolean} */
            alive: true;
        };
        Ready: {
            /** @enum {boolean} */
            ready: true;
        };
        /**
         * @description Every reason of a failure, as the header x-error-reason carries it.
         * @enum {string}
         */
        ErrorReason: "ALREADY_EXISTS" | "BODY_TOO_LARGE" | "CACHE_UNAVAILABLE" | "CONFLICT" | "DATABASE_UNAVAILABLE" | "EVENT_MISSING" | "EXPECTATION_FAILED" | "FINALITY_BROKEN" | "FOLLOW_LIMIT" | "HEADERS_TOO_LARGE" | "IMAGE_TOO_LARGE" | "INTERNAL" | "INVALID_INPUT" | "JWT_INVALID" | "JWT_MISSING" | "MALFORMED_BODY" | "MALFORMED_HANDSHAKE" | "MALFORMED_JSON" | "MALFORMED_REQUEST" | "MALFORMED_URL" | "MARKET_NOT_FOUND" | "MESSAGE_MISMATCH" | "METHOD_NOT_ALLOWED" | "NODE_UNAVAILABLE" | "NONCE_USED" | "NOT_ADMIN" | "NOT_COMMITTER" | "NOT_LABS" | "NOT_OWNER" | "NO_PAGES" | "ORIGIN_REFUSED" | "OVERLOADED" | "PAGE_TOO_DEEP" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "REQUEST_TIMEOUT" | "RESOURCE_NOT_FOUND" | "ROUTE_NOT_FOUND" | "SELF_FOLLOW" | "SIGNATURE_INVALID" | "STORAGE_UNAVAILABLE" | "TOKEN_LAUNCHED_HERE" | "TOKEN_NOT_FOUND" | "TOKEN_NOT_TRADABLE" | "TRANSACTION_ALREADY_INDEXED" | "TRANSACTION_FOREIGN" | "TRANSACTION_NOT_FOUND" | "TRANSACTION_PENDING" | "TRANSACTION_REVERTED" | "UNHEALTHY" | "UNSTORABLE_TEXT" | "UNSUPPORTED_ENCODING" | "UNSUPPORTED_MEDIA_TYPE" | "UNTRADABLE" | "UPGRADE_REQUIRED" | "UPSTREAM_FAILED" | "UPSTREAM_TIMEOUT" | "URL_TOO_LONG" | "USERNAME_TAKEN" | "WALLET_BANNED" | "WRONG_STATE";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getTokenChart: {
        parameters: {
            query?: {
                /** @description Length of a candle. */
                interval?: "1m" | "5m" | "15m" | "30m" | "1h" | "4h" | "1d";
                /** @description Unix seconds. Before the launch, it is the launch. */
                from?: number;
                /** @description Unix seconds, included. Default: now, on the chain. */
                to?: number;
                /** @description Candles to answer: of those between from and to, the last ones. */
                limit?: number;
                /** @description Currency of open, high, low and close. */
                currency?: "native" | "usd";
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
    listTokens: {
        parameters: {
            query?: {
                /** @description The page, from 1. page times limit is at most 10000; go on by cursor. */
                page?: number;
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /** @description trending: traded volume, of which the recent counts most; newest; mcap: market cap; volume: of the last day; curve: not graduated, the closest to it first; graduated: the last to graduate first. */
                sort?: "trending" | "newest" | "mcap" | "volume" | "curve" | "graduated";
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
                             * @description How many items match, over all pages.
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
            };
            cookie?: never;
        };
        /** @description What to change: null clears, what is left out stays. */
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
    quoteTrade: {
        parameters: {
            query: {
                /** @description Whether tokens are bought or sold. */
                side: "buy" | "sell";
                /**
                 * @description What goes in, in base units: native coin of a buy (fees included), tokens of a sell.
                 * @example 100000000000000000
                 */
                amount: string;
                /** @description How far below the quote the outcome may be before the call reverts, in basis points. */
                slippageBps?: number;
                /**
                 * @description Who receives what comes out. Default: the wallet of the token of sign-in.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                recipient?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /** @description The replies in the thread of this comment, or with `none` those that began a thread. Default: all. */
                parentId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What to say. Plain text of at most 500 characters as a reader counts them (graphemes); links stay text.
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
                    txHash: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
    listTransactions: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /**
                 * @description Only what this wallet did.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: string;
                /**
                 * @description Only what was done to this token.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token?: string;
                /**
                 * @description Only what was done to this raise and its proposals.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                raise?: string;
                /**
                 * @description Only what was done to this proposal.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                proposal?: string;
                /**
                 * @description Only what was done at this staking pool.
                 * @example 0xdc64a140aa3e981100a9beca4e685f962f0cf6c9-1
                 */
                pool?: string;
                /** @description Only this type. */
                type?: "create" | "buy" | "sell" | "graduate" | "claim_creator_fee" | "raise_create" | "register" | "commit" | "claim_raise" | "refund" | "propose" | "vote" | "execute" | "finalize" | "cancel_raise" | "reclaim_tokens" | "dissolve" | "cancel_proposal" | "stake" | "unstake" | "withdraw" | "claim" | "fund";
                /**
                 * @description Only what this transaction holds.
                 * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
                 */
                txHash?: string;
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
                    txHash: string;
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
                    txHash: string;
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
                 * @description A name, a symbol, a username, or an address or the beginning of one. Letter case does not matter.
                 * @example cat
                 */
                q: string;
                /** @description How many items to answer. */
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
                        data: components["schemas"]["SearchResult"];
                    };
                };
            };
        };
    };
    listLeaderboard: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /** @description Up to now, on the chain. */
                period?: "24h" | "7d" | "30d" | "all";
                /** @description What ranks, in native coin: traded volume, or what sales earned over their average cost. */
                by?: "volume" | "pnl";
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
    getPortfolio: {
        parameters: {
            query?: {
                /**
                 * @description Whose. Without it, the wallet that signed in.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: string;
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /**
                 * @description Whose. Without it, the wallet that signed in.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: string;
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
    getExternalMarket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
    listCommitments: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract, and its number there.
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
    listRaises: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /** @description Only raises in this status now. */
                status?: "upcoming" | "registration" | "active" | "succeeded" | "failed" | "finalized" | "cancelled";
                /**
                 * @description Only raises of this wallet.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                creator?: string;
                /**
                 * @description Only raises that sell this token.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token?: string;
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
                    txHash: string;
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
                 * @description Id of a raise: its contract, and its number there.
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
                 * @description Id of a raise: its contract, and its number there.
                 * @example 0x0165878a594ca255338adfa4d48449f69242eb8f-1
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What to change: null clears, what is left out stays. */
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /** @description Only proposals in this state now. */
                state?: "pending" | "active" | "defeated" | "succeeded" | "executed" | "cancelled";
            };
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract, and its number there.
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
                 * @description Id of a proposal: its contract, and its number there.
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
    syncRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a raise: its contract, and its number there.
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
                    txHash: string;
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
                 * @description Id of a raise: its contract, and its number there.
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
                    txHash: string;
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
                 * @description Id of a raise: its contract, and its number there.
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
                    txHash: string;
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
                 * @description Id of a raise: its contract, and its number there.
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
                    txHash: string;
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
                 * @description Id of a raise: its contract, and its number there.
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
                    txHash: string;
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
                 * @description Id of a raise: its contract, and its number there.
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
                    txHash: string;
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
                 * @description Id of a proposal: its contract, and its number there.
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
                    txHash: string;
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
                 * @description Id of a proposal: its contract, and its number there.
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
                    txHash: string;
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /**
                 * @description Only pools where this token is staked.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token?: string;
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
                 * @description Id of a staking pool: its contract, and its number there.
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /**
                 * @description Whose positions; by default your own.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet?: string;
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
                    txHash: string;
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
                    txHash: string;
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
                    txHash: string;
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
                    txHash: string;
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
                    txHash: string;
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
    listFollowers: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
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
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /** @description all: launches, graduations, comments, and trades of at least one native coin. following: launches, comments and all trades of the wallets that you follow; needs a token of sign-in. */
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
    patchProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What to change: null clears, what is left out stays. */
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
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
                 * @description Its id, as a list or its creation told it.
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
                 * @description Its id, as a list or its creation told it.
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
                 * @description Its id, as a list or its creation told it.
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
                 * @description Its id, as a list or its creation told it.
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /**
                 * @description Only what was not read yet: `?unread` or `?unread=true`.
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
                             * @description Up to 1000: there may be more.
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
        /** @description Which to mark: some by id, or all. */
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
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description What the upload answered.
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
            /** @description The part of the file that Range asked for. */
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
        /** @description Metadata of a contract as ERC-7572 has it. Paths of uploads become URLs in what is kept. */
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
                    /** @description Square picture: an https or ipfs URL, or the path that an upload answered. */
                    image?: string;
                    /** @description Wide picture: an https or ipfs URL, or the path that an upload answered. */
                    banner_image?: string;
                    /** @description Picture for highlights: an https or ipfs URL, or the path that an upload answered. */
                    featured_image?: string;
                    /** @description Home page: an https URL. */
                    external_link?: string;
                    /** @description Who may edit, by address. */
                    collaborators?: string[];
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
                     * @description What to call you. Plain text of at most 80 characters as a reader counts them (graphemes); links stay text.
                     * @example Mira
                     */
                    name: string;
                    /**
                     * @description Served to operators alone.
                     * @example mira@example.org
                     */
                    email: string;
                    wallet?: string | null;
                    /**
                     * @description ISO 3166-1 alpha-2.
                     * @example PT
                     */
                    country: string;
                    /**
                     * @description Profiles elsewhere, by the name of the network: at most ten.
                     * @example {
                     *       "x": "https://x.com/mira"
                     *     }
                     */
                    socials?: {
                        [key: string]: string;
                    };
                    /**
                     * @description Whom you reach. Plain text of at most 500 characters as a reader counts them (graphemes); links stay text.
                     * @example 4,000 followers who collect cat tokens.
                     */
                    audience: string;
                    /**
                     * @description Why you. Plain text of at most 2000 characters as a reader counts them (graphemes); links stay text.
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
                     * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                     * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                     */
                    wallet: string;
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
                     * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                     * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                     */
                    wallet: string;
                    /**
                     * @description EIP-191 signature of the message. Smart accounts: EIP-1271 or EIP-6492.
                     * @example 0x6f9b36e03e9ae2a370250d06e7f5fbd10bbf1b1a9a4ca212f94765e7b7f80f3047315fbe4b99668d76a7dfe5ad011e91e08143450a7b591055b0fda4051505521c
                     */
                    signature: string;
                    /**
                     * @description Exactly as issued.
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                 * @description Its id, as a list or its creation told it.
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
                 * @description Its id, as a list or its creation told it.
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                wallet: string;
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
    listReports: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /** @description Open are those that nobody has judged. */
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
                 * @description Its id, as a list or its creation told it.
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
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /** @description Only those that stand so; without it, all. */
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
                 * @description The id that its sender was told.
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
                 * @description The id that its sender was told.
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
    listAuditLog: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description nextCursor of the previous answer: goes on after its last item. Replaces page. */
                cursor?: string;
                /**
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                actor?: string;
                /** @description The address or id of what was acted on. */
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                 * @description A 20-byte address in hexadecimal. Any letter case is accepted; answers are lower-case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address: string;
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
                 * @description Id of a raise: its contract, and its number there.
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
                 * @description Id of a raise: its contract, and its number there.
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
            /** @description How far the events can be read. */
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
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token, or the wrapped native coin that tokens are priced in. */
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
                 * @description Address of a token, for its curve, or of a pool.
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
            /** @description A market of a token. While it is on its curve, and for the trades that were made there, the pair has the token’s own address; the pool that it graduates into is another pair, with the pool’s address. */
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
                /** @description The first block, included. */
                fromBlock: number;
                /** @description The last block, included: not above the latest block, and at most 10000 blocks in all. */
                toBlock: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of the chain: by block, txnIndex and eventIndex. */
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
            /** @description How far the events can be read. */
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
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token, or the wrapped native coin that tokens are priced in, with its decimals. */
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
                 * @description Address of a token, for its curve, or of a pool.
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
            /** @description A market of a token. While it is on its curve, and for the trades that were made there, the pair has the token’s own address; the pool that it graduates into is another pair, with the pool’s address. */
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
                /** @description The first block, included. */
                fromBlock: number;
                /** @description The last block, included: not above the latest block, and at most 10000 blocks in all. */
                toBlock: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of the chain: by block, txnIndex and eventIndex. */
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
                /** @description How many tickers a page has. */
                limit?: number;
                /** @description From 1. */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The most traded first. */
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
                 * @description As in the tickers. Any letter case is accepted.
                 * @example 0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0_0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2
                 */
                ticker_id: string;
                /** @description Only this side. */
                type?: "buy" | "sell";
                /** @description How many trades, of both sides together. 0 asks for as many as there are: at most 1000. */
                limit?: number;
                /** @description No trade before it. Unix seconds, or milliseconds. */
                start_time?: number;
                /** @description No trade after it. Unix seconds, or milliseconds. */
                end_time?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Trades by their side, the newest first. */
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
            /** @description What the feed can do. */
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
                 * @description The ticker: a token’s address, for prices in native coin; with `:USD` after it, for prices in US dollars.
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
            /** @description A token in one currency. */
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
                /** @description Part of a name or symbol, or an address. Empty for the most traded tokens. */
                query?: string;
                /** @description A type of symbols; there is but `crypto`. */
                type?: string;
                /** @description An exchange; there is but this one. */
                exchange?: string;
                /** @description How many symbols to answer. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The best match first. */
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
                        type: "crypto";
                    }[];
                };
            };
        };
    };
    udfHistory: {
        parameters: {
            query: {
                /**
                 * @description The ticker: a token’s address, for prices in native coin; with `:USD` after it, for prices in US dollars.
                 * @example 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0
                 */
                symbol: string;
                /** @description Minutes of a bar, or a day. */
                resolution: "1" | "5" | "15" | "30" | "60" | "240" | "1D" | "D";
                /** @description Unix seconds. No bar begins before it. Needed unless there is a countback. */
                from?: number;
                /** @description Unix seconds. No bar begins after it. May lie in the future. */
                to: number;
                /** @description Bars to answer, the last of them at to; then from does not matter. At most 5000 come. */
                countback?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bars as columns of equal length. One for every interval since the launch, traded in or not. */
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
                 * @description The ticker: a token’s address, for prices in native coin; with `:USD` after it, for prices in US dollars.
                 * @example 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0
                 */
                symbol: string;
                /** @description Minutes of a bar, or a day. */
                resolution: "1" | "5" | "15" | "30" | "60" | "240" | "1D" | "D";
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
            /** @description The launch and the graduation, as columns of equal length. */
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
            /** @description The time of the server, unix seconds. */
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
                /** @description Tokens that have graduated into a pool, which any exchange can trade, or all that were launched. */
                include?: "graduated" | "all";
                /** @description A list holds 10000 tokens; those that came later are in the next part. */
                part?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token list as wallets and exchanges import it. */
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
                /** @description Tokens that have graduated into a pool, which any exchange can trade, or all that were launched. */
                include?: "graduated" | "all";
                /** @description A list holds 10000 tokens; those that came later are in the next part. */
                part?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token list as wallets and exchanges import it. */
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
                /** @description 1.91:1 is 1200 by 630 pixels, for link previews; 3:2 is 1200 by 800, for embeds of mini apps. */
                ratio?: "1.91:1" | "3:2";
            };
            header?: never;
            path: {
                /**
                 * @description Address of a token. For anything else the service’s own card is answered.
                 * @example 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
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
        /** @description One call, or a batch of them. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RpcCall"] | components["schemas"]["RpcCall"][];
            };
        };
        responses: {
            /** @description The answer in raw JSON-RPC, whether it is a result or an error; of a batch, a list of them in any order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcResult"] | components["schemas"]["RpcError"] | (components["schemas"]["RpcResult"] | components["schemas"]["RpcError"])[];
                };
            };
            /** @description There were only notifications, and nothing to answer. */
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
                name: "launchpad" | "launch-token" | "erc20" | "price-feed" | "wrapped-native" | "uniswap-factory" | "uniswap-pair" | "uniswap-router" | "staking" | "raises";
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
                        /** @description An ABI, as Solidity compilers write it. */
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
            /** @description Every metric of this process. */
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
