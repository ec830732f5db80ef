import fc from 'fast-check'
import t from 'tap'
import { type Abi, type AbiParameter, decodeFunctionData, encodeErrorResult, type Hex, zeroAddress } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { profileReasons } from '../../db/queries/profiles.ts'
import { catalogue } from '../../errors.ts'
import * as abis from '../../sdk/src/abi/index.ts'
import type { UnsignedTransaction } from '../../sdk/src/index.ts'
import * as sdk from '../../sdk/src/index.ts'

const addressOf = (byte: string) => privateKeyToAddress(`0x${byte.repeat(32)}`)
const [launchpad, router, wrapped, raises, staking] = ['01', '02', '03', '04', '05'].map(addressOf) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
]
const [token, wallet] = [addressOf('06'), addressOf('07')]
const config: sdk.Deployments = {
  contracts: [
    { kind: 'launchpad', address: addressOf('08') },
    { kind: 'launchpad', address: launchpad },
    { kind: 'wrapped-native', address: wrapped },
    { kind: 'uniswap-router', address: router },
    { kind: 'raises', address: raises },
  ],
}
const [raise, proposal, pool] = [`${raises}-7`, `${raises}-8`, `${staking}-9`]

const trade = { token, amount: 5n, minimumOut: '4', recipient: wallet, deadline: 1_800_000_000 }
const raiseTerms = {
  token,
  tokenAmount: 1n,
  goalMin: 2n,
  goalMax: 3n,
  endAt: 1_800_000_000,
  title: 'Häfen ⚓ für Katzen',
}

const salt: Hex = `0x${'AB'.repeat(32)}`
const terms = { targetQuote: 6n, protocolFeeBps: 100, creatorFeeBps: 50 }
const launch = {
  ...{ name: 'Häfen ⚓', symbol: 'CAT', contractURI: 'ipfs://x', salt: salt.toLowerCase() },
  ...{ terms, minTokenOut: 1n, deadline: 1_800_000_000n },
}

/** Every builder, with the call that viem must read from its data. */
const built: [UnsignedTransaction, Hex, Abi, string, readonly unknown[], bigint?][] = [
  [
    sdk.buildLaunch(config, {
      name: 'Häfen ⚓',
      symbol: 'CAT',
      metadataUri: 'ipfs://x',
      initialBuy: 6n,
      minimumOut: 1n,
      terms,
      salt,
      deadline: 1_800_000_000,
    }),
    ...([launchpad, abis.launchpadAbi, 'create', [launch], 6n] as const),
  ],
  [
    sdk.buildLaunch(config, { name: 'A', symbol: 'B', terms, salt, deadline: 1_800_000_000 }),
    ...([
      ...[launchpad, abis.launchpadAbi, 'create'],
      [{ ...launch, name: 'A', symbol: 'B', contractURI: '', minTokenOut: 0n }],
    ] as const),
  ],
  [
    sdk.buildBuy(config, trade),
    ...([launchpad, abis.launchpadAbi, 'buy', [token, wallet, 4n, 1_800_000_000n], 5n] as const),
  ],
  [
    sdk.buildSell(config, { ...trade, launchpad: wallet }),
    ...([wallet, abis.launchpadAbi, 'sell', [token, 5n, wallet, 4n, 1_800_000_000n]] as const),
  ],
  [
    sdk.buildBuy(config, { ...trade, venue: 'pool' }),
    ...([router, abis.uniswapV2Router02Abi, 'swapExactETHForTokens'] as const),
    [4n, [wrapped, token], wallet, 1_800_000_000n],
    5n,
  ],
  [
    sdk.buildSell({ ...config, nativeCurrency: { wrapped: wallet } }, { ...trade, venue: 'pool' }),
    ...([router, abis.uniswapV2Router02Abi, 'swapExactTokensForETH'] as const),
    [5n, 4n, [token, wallet], wallet, 1_800_000_000n],
  ],
  [
    sdk.buildApproval({ token, spender: launchpad, amount: '12' }),
    ...([token, abis.erc20Abi, 'approve', [launchpad, 12n]] as const),
  ],
  [sdk.buildGraduation(config, { token }), launchpad, abis.launchpadAbi, 'graduate', [token]],
  [sdk.buildCreatorFeeClaim(config, { token }), launchpad, abis.launchpadAbi, 'claimCreatorFee', [token]],
  [
    sdk.buildFeeShares(config, {
      token,
      shares: [
        { recipient: wallet, bps: 9_999 },
        { recipient: router, bps: 1 },
      ],
    }),
    ...([launchpad, abis.launchpadAbi, 'setFeeShares', [token, [wallet, router], [9_999, 1]]] as const),
  ],
  [
    sdk.buildFeeRightTransfer(config, { token, to: wallet }),
    ...([launchpad, abis.launchpadAbi, 'transferFeeRight', [token, wallet]] as const),
  ],
  [sdk.buildHeldFeeWithdrawal(config, { to: wallet }), launchpad, abis.launchpadAbi, 'withdrawHeldFees', [wallet]],
  [
    sdk.buildMetadataChange({ token, metadataUri: 'ipfs://y' }),
    ...([token, abis.launchTokenAbi, 'setContractURI', ['ipfs://y']] as const),
  ],
  [
    sdk.buildRaise(config, {
      ...raiseTerms,
      registrationStart: 5,
      startAt: 6,
      walletMax: '2',
      metadataUri: 'ipfs://z',
    }),
    ...([raises, abis.raisesAbi, 'createRaise'] as const),
    [
      {
        ...{ token, registrationRequired: true, quorumBps: 4_000, votingDelay: 86_400, votingPeriod: 259_200 },
        ...{ registrationStart: 5n, startAt: 6n, endAt: 1_800_000_000n, tokenAmount: 1n, goalMin: 2n, goalMax: 3n },
        ...{ walletMin: 0n, walletMax: 2n, title: 'Häfen ⚓ für Katzen', metadataURI: 'ipfs://z' },
      },
    ],
  ],
  [sdk.buildRegistration(raise), raises, abis.raisesAbi, 'register', [7n]],
  [sdk.buildCommitment(raise, '3'), raises, abis.raisesAbi, 'commit', [7n], 3n],
  [sdk.buildFinalization(raise), raises, abis.raisesAbi, 'finalize', [7n]],
  [sdk.buildRaiseCancellation(raise), raises, abis.raisesAbi, 'cancel', [7n]],
  [sdk.buildTokenClaim(raise), raises, abis.raisesAbi, 'claim', [7n]],
  [sdk.buildRefund(raise), raises, abis.raisesAbi, 'refund', [7n]],
  [sdk.buildTokenReclaim(raise), raises, abis.raisesAbi, 'reclaimTokens', [7n]],
  [sdk.buildDissolution(raise), raises, abis.raisesAbi, 'dissolve', [7n]],
  [
    sdk.buildProposal(raise, { amount: 1n, recipient: wallet, title: 'A pier', descriptionUri: 'ipfs://p' }),
    ...([raises, abis.raisesAbi, 'propose', [7n, 1n, wallet, 'A pier', 'ipfs://p']] as const),
  ],
  [
    sdk.buildDissolutionProposal(raise, { title: 'Give it back' }),
    ...([raises, abis.raisesAbi, 'proposeDissolution', [7n, 'Give it back', '']] as const),
  ],
  [sdk.buildVote(proposal, 'against'), raises, abis.raisesAbi, 'vote', [8n, 0]],
  [sdk.buildVote(proposal, 'for'), raises, abis.raisesAbi, 'vote', [8n, 1]],
  [sdk.buildVote(proposal, 'abstain'), raises, abis.raisesAbi, 'vote', [8n, 2]],
  [sdk.buildExit(proposal), raises, abis.raisesAbi, 'exit', [8n]],
  [sdk.buildExecution(proposal), raises, abis.raisesAbi, 'execute', [8n]],
  [sdk.buildProposalCancellation(proposal), raises, abis.raisesAbi, 'cancelProposal', [8n]],
  [sdk.buildStake(pool, 5n), staking, abis.feeStakingAbi, 'stake', [9n, 5n]],
  [sdk.buildUnstake(pool, 5n), staking, abis.feeStakingAbi, 'requestUnstake', [9n, 5n]],
  [sdk.buildWithdrawal(pool), staking, abis.feeStakingAbi, 'withdraw', [9n]],
  [sdk.buildRewardClaim(pool), staking, abis.feeStakingAbi, 'claim', [9n]],
  [
    sdk.buildFunding(pool, 5n, { rewardToken: zeroAddress }),
    ...([staking, abis.feeStakingAbi, 'fund', [9n, 5n], 5n] as const),
  ],
  [sdk.buildFunding(pool, 5n, { rewardToken: token }), staking, abis.feeStakingAbi, 'fund', [9n, 5n]],
]

t.test('viem decodes the intended call from each transaction', async (t) => {
  for (const [transaction, to, abi, functionName, args, value = 0n] of built) {
    t.equal(transaction.to.toLowerCase(), to.toLowerCase(), functionName)
    t.equal(transaction.value, value, functionName)
    t.same(decodeFunctionData({ abi, data: transaction.data }), { functionName, args })
  }
  const names = Object.keys(sdk).filter((name) => name.startsWith('build') && name !== 'buildTrade')
  const source = built.map(([transaction]) => transaction.data.slice(0, 10))
  t.ok(new Set(source).size >= names.length - 1, 'no builder is left out: two trades share the venue’s function')
})

t.test('every text and amount is encoded as by viem', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 })
  fc.assert(
    fc.property(text, text, text, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (name, symbol, metadataUri, amount) => {
      const { data } = sdk.buildLaunch(config, { name, symbol, metadataUri, minimumOut: amount, terms, salt })
      const { args } = decodeFunctionData({ abi: abis.launchpadAbi, data }) as unknown as { args: [typeof launch] }
      const read = [args[0].name, args[0].symbol, args[0].contractURI, args[0].minTokenOut]
      return JSON.stringify(read, bigints) === JSON.stringify([name, symbol, metadataUri, amount], bigints)
    }),
  )
  fc.assert(
    fc.property(text, text, (title, metadataUri) => {
      const { data } = sdk.buildRaise(config, { ...raiseTerms, title, metadataUri })
      const { args } = decodeFunctionData({ abi: abis.raisesAbi as Abi, data }) as unknown as {
        args: [{ title: string; metadataURI: string }]
      }
      return args[0].title === title && args[0].metadataURI === metadataUri
    }),
  )
})
const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

t.test('a quote is built into its trade, at its own launchpad and for any recipient', async (t) => {
  const amounts = { amountIn: '90', refund: '10', amountOut: '10001' }
  const common = {
    token,
    slippageBps: 100,
    deadline: 1_800_000_000,
    call: null,
    approval: null,
    recipient: null,
  } as const
  const quote = { ...common, ...amounts, side: 'buy', venue: 'curve' } as unknown as sdk.TradeQuote
  const buy = sdk.buildTrade(config, quote, { recipient: wallet })
  t.same(buy, sdk.buildBuy(config, { ...trade, amount: 100n, minimumOut: 9_900n }))
  const sell = { ...quote, side: 'sell' as const, call: { to: wallet } } as sdk.TradeQuote
  t.same(
    sdk.buildTrade(config, sell, { recipient: wallet, slippageBps: 0 }),
    sdk.buildSell(config, { ...trade, amount: 90n, minimumOut: 10_001n, launchpad: wallet }),
  )
  t.equal(sdk.buildTrade(config, quote, { recipient: wallet, launchpad: wallet }).to, wallet)
})

t.test(
  'the call of a quote is its trade for its recipient and slippage, and in a pool of another launchpad the only one',
  async (t) => {
    const call = { to: launchpad, data: '0x1234', value: '5' }
    const amounts = { amountIn: '90', refund: '10', amountOut: '10001', deadline: 1_800_000_000 }
    const common = { ...amounts, token, side: 'buy', venue: 'pool', slippageBps: 100, approval: null }
    const quote = {
      ...common,
      router: wallet,
      recipient: wallet.toLowerCase(),
      call,
    } as unknown as sdk.TradeQuote
    t.same(sdk.buildTrade(config, quote, { recipient: wallet }), { ...call, value: 5n })
    t.same(sdk.buildTrade(config, quote, { recipient: wallet.toLowerCase() }).value, 5n)
    const another = { message: /Request another quote/ }
    t.throws(() => sdk.buildTrade(config, quote, { recipient: token }), another)
    t.throws(() => sdk.buildTrade(config, quote, { recipient: wallet, slippageBps: 50 }), another)
    t.throws(() => sdk.buildTrade(config, { ...quote, call: null }, { recipient: wallet }), another)
    const inPair = {
      ...quote,
      router: config.contracts.find(({ kind }) => kind === 'uniswap-router')!.address,
    } as sdk.TradeQuote
    const built = sdk.buildBuy(config, { ...trade, venue: 'pool', amount: 100n, minimumOut: 9_950n })
    t.same(sdk.buildTrade(config, inPair, { recipient: wallet, slippageBps: 50 }), built)
  },
)

t.test('arguments that do not fit the ABI are rejected before signing', async (t) => {
  t.throws(() => sdk.buildApproval({ token: '0x12', spender: launchpad, amount: 1n }), /Not an address: 0x12/)
  t.throws(() => sdk.buildApproval({ token, spender: 'vitalik.eth', amount: 1n }), /Not an address/)
  t.throws(() => sdk.buildApproval({ token, spender: launchpad, amount: -1n }), RangeError)
  t.throws(() => sdk.buildApproval({ token, spender: launchpad, amount: 2n ** 256n }), RangeError)
  t.throws(() => sdk.buildApproval({ token, spender: launchpad, amount: '1.5' }), SyntaxError)
  t.throws(() => sdk.buildRaise(config, { ...raiseTerms, quorumBps: 65_536 }), /does not fit uint16/)
  t.throws(() => sdk.buildVote('8', 'for'), /Not an id/)
  t.throws(() => sdk.buildLaunch(config, { name: 'A', symbol: 'B', terms, salt: '0x12' }), /Not 32 bytes: 0x12/)
  t.throws(() => sdk.buildLaunch({ contracts: [] }, { name: 'A', symbol: 'B', terms }), /no contract of kind launchpad/)
})

/** A value of a parameter's type. */
const sample = ({ type }: AbiParameter): unknown =>
  type === 'address' ? wallet : type === 'string' ? 'text ⚓' : type === 'bytes32' ? `0x${'ab'.repeat(32)}` : 5n

t.test('every custom error is decoded to its arguments and a sentence', async (t) => {
  const seen = new Set<string>()
  for (const abi of [abis.launchpadAbi, abis.launchTokenAbi, abis.feeStakingAbi, abis.raisesAbi] as Abi[])
    for (const item of abi) {
      if (item.type !== 'error') continue
      const values = item.inputs.map(sample)
      const data = encodeErrorResult({ abi: [item], errorName: item.name, args: values })
      const revert = sdk.describeRevert(data)
      const args = Object.fromEntries(
        item.inputs.map(({ name = '', type }, index) => [
          name,
          type === 'address' ? wallet.toLowerCase() : values[index],
        ]),
      )
      t.match(revert, { name: item.name, message: /^[A-Z].*\.$/ })
      t.same(revert?.args, args, item.name)
      seen.add(item.name)
    }
  t.ok(seen.size > 60)
})

t.test('reverts are found in the errors of libraries and wallets', async (t) => {
  const data = encodeErrorResult({ abi: abis.launchpadAbi, errorName: 'Slippage', args: [1n, 2n] })
  const slippage = { name: 'Slippage', args: { amountOut: 1n, minimum: 2n } }
  for (const error of [
    data,
    { code: 3, message: 'execution reverted', data },
    { code: -32603, data: { originalError: { code: 3, data, message: 'execution reverted' } } },
    new Error('failed', { cause: new Error('inner', { cause: { data } }) }),
    { info: { error: { data } } },
  ])
    t.match(sdk.describeRevert(error), slippage)
  const text = encodeErrorResult({
    abi: [{ type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] }],
    args: ['UniswapV2Router: EXPIRED'],
  })
  t.equal(sdk.describeRevert(text)?.message, 'The deadline of the trade has passed.')
  const panic = `0x4e487b71${'11'.padStart(64, '0')}`
  t.match(sdk.describeRevert(panic), { name: 'Panic', args: { code: 17n } })
  for (const other of [undefined, null, 5, '0x', '0x12345678', 'text', new Error('none'), data.slice(0, 40), {}])
    t.equal(sdk.describeRevert(other), undefined)
  const circle: { cause?: unknown } = {}
  circle.cause = circle
  t.equal(sdk.describeRevert(circle), undefined)
})

const describe = (status: number, reason: string, message: string) =>
  sdk.toUserMessage(new sdk.SlipwayError({ status, message, reason: reason as sdk.ErrorReason, operation: 'GET /' }))

t.test('messages for users contain no wording of the API', async (t) => {
  const reasons = Object.entries({ ...catalogue, ...profileReasons })
  for (const [name, { status, example, message }] of reasons) {
    const text = describe(status, name, (message as (data: unknown) => string)(example))
    t.match(text, /^[A-Z].+\.$/s, name)
    t.notMatch(text, /\b(body|query|path)\b|<=|JSON|bearer|route|0x[0-9a-f]{40}/i, `${name}: ${text}`)
  }
  for (const [message, text] of [
    ['body.username is reserved', 'The username is reserved.'],
    [
      'body.username must be 3 to 20 letters a to z, digits and underscores, with a letter, and not begin with 0x',
      'The username must be 3 to 20 letters a to z, digits and underscores, with a letter, and not begin with 0x.',
    ],
    ['body.bio must have at most 300 characters', 'The text about you must have at most 300 characters.'],
    ['body.links.website must be a string', 'The website link is not accepted.'],
    ['body.text is required', 'The text is missing.'],
    ['query.limit must be <= 100', 'The service does not accept this input.'],
    ['body must have at least 1 field', 'The service does not accept this input.'],
  ] as const)
    t.equal(describe(400, 'INVALID_INPUT', message), text)
})

t.test('every error is described in a sentence for users', async (t) => {
  const failure = { status: 429, message: 'Too many requests', retryAfter: 3, operation: 'POST /buy' }
  t.equal(sdk.toUserMessage(new sdk.SlipwayError(failure)), 'Too many requests. Try again in 3 s.')
  t.match(
    sdk.toUserMessage(new sdk.SlipwayError({ status: 502, message: '<html>', operation: '' })),
    /^The service has a/,
  )
  t.equal(sdk.toUserMessage({ code: 4001, message: 'User rejected' }), 'The request was declined in the wallet.')
  for (const [code, text] of [
    ['ACTION_REJECTED', 'The request was declined in the wallet.'],
    ['INSUFFICIENT_FUNDS', 'The wallet has too little native coin for the amount and the gas.'],
    [4902, 'The wallet does not know the chain of this service.'],
    [4900, 'The wallet is not connected.'],
    [-32002, 'The wallet is waiting for an answer already. Open it.'],
  ])
    t.equal(sdk.toUserMessage(Object.assign(new Error('raw'), { code })), text)
  t.equal(sdk.toUserMessage(new Error('Out of gas\n\nRequest: 0x\nVersion: 1')), 'Out of gas')
  const slippage = encodeErrorResult({
    abi: [{ type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] }],
    args: ['UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT'],
  })
  t.match(sdk.toUserMessage({ code: 3, message: 'execution reverted', data: slippage }), /price/)
  t.equal(sdk.describeError(new Error('Something else')), 'Something else', 'the former name is the same')
  t.ok(sdk.isRejectedByUser(new Error('outer', { cause: { code: 4001 } })))
  t.notOk(sdk.isRejectedByUser(new Error('outer')))
  t.match(sdk.toUserMessage(new Error('insufficient funds for gas * price + value')), /too little native coin/)
  t.match(sdk.toUserMessage(new DOMException('late', 'TimeoutError')), /in time/)
  t.match(sdk.toUserMessage(new TypeError('fetch failed')), /unreachable/)
  t.equal(sdk.toUserMessage(new Error('Something else')), 'Something else')
  t.equal(sdk.toUserMessage(undefined), 'An unknown error occurred.')
})
