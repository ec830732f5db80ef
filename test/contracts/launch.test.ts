import t from 'tap'
import { parseEventLogs, parseSignature, zeroAddress, zeroHash } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { contractLimits } from '../../chain/contract-limits.ts'
import { newCurve, totalSupply } from '../../chain/curve.ts'
import { predictToken } from '../../chain/token-address.ts'
import { never, rejectsWith, startTestChain } from './fixtures/chain.ts'
import { makeLaunch, TERMS } from './fixtures/launches.ts'

const chain = await startTestChain(t)
const { pad, accounts, mine, launch } = chain
const [owner, creator, stranger] = accounts
const fee = (gwei: bigint) => ({ maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: gwei * 10n ** 9n })

t.test('a launch mints the whole supply to the launchpad, then emits CurveCreate', async (t) => {
  const { token, receipt } = await launch(creator)
  const [mint] = parseEventLogs({ abi: launchTokenAbi, logs: receipt.logs, eventName: 'Transfer' })
  const [event] = chain.events(receipt)
  t.equal(mint!.args.from, zeroAddress)
  t.equal(mint!.args.value, totalSupply)
  t.equal(event!.eventName, 'CurveCreate')
  t.ok(mint!.logIndex < event!.logIndex, 'the mint comes first')
  const { virtualQuote, virtualToken } = newCurve(6n * 10n ** 18n, 100, 50)
  t.match(event!.args, {
    token,
    creator,
    quoteToken: zeroAddress,
    name: 'Ketch',
    symbol: 'KTCH',
    contractURI: 'ipfs://ketch',
    totalSupply,
    virtualQuote,
    virtualToken,
    targetQuote: 6n * 10n ** 18n,
    protocolFeeBps: 100,
    creatorFeeBps: 50,
  })
  t.equal(await chain.token(token).read.balanceOf([pad.address]), totalSupply)
  t.equal(await pad.read.launchCount(), 1n)
  t.equal((await pad.read.curves([token])).realToken, 800_000_000n * 10n ** 18n, 'four fifths are for sale')
})

t.test('value sent with a launch buys for the creator in the same transaction', async (t) => {
  const [tokenOut] = await pad.read.quoteBuy([(await launch(creator)).token, 10n ** 18n])
  const { token, receipt } = await launch(creator, 10n ** 18n)
  t.strictSame(
    chain.events(receipt).map((event) => event.eventName),
    ['CurveCreate', 'CurveBuy'],
  )
  t.match(chain.events(receipt)[1]!.args, { token, trader: creator, recipient: creator, quoteIn: 10n ** 18n, tokenOut })
  t.equal(await chain.token(token).read.balanceOf([creator]), tokenOut)
})

t.test('the first buy reverts below its minimum amount of tokens', async (t) => {
  const { token } = await launch(creator)
  const [tokenOut] = await pad.read.quoteBuy([token, 10n ** 18n])
  const options = { account: creator, value: 10n ** 18n }
  await rejectsWith(t, pad.simulate.create([makeLaunch('A', 'A', { minTokenOut: tokenOut + 1n })], options), 'Slippage')
  await t.resolves(pad.simulate.create([makeLaunch('A', 'A', { minTokenOut: tokenOut })], options))
  await rejectsWith(
    t,
    pad.simulate.create([makeLaunch('A', 'A', { minTokenOut: 1n })], { account: creator }),
    'Slippage',
  )
})

t.test('name, symbol and URI are limited in bytes', async (t) => {
  const create = (name: string, symbol: string, contractURI: string) =>
    pad.simulate.create([makeLaunch(name, symbol, { contractURI })])
  await t.resolves(create('n'.repeat(64), 's'.repeat(16), 'u'.repeat(512)))
  await t.resolves(create('n', 's', ''))
  await rejectsWith(t, create('', 's', ''), 'NameLength', 'empty name')
  await rejectsWith(t, create('n'.repeat(contractLimits.nameBytes + 1), 's', ''), 'NameLength', 'long name')
  await rejectsWith(t, create('é'.repeat(33), 's', ''), 'NameLength', 'bytes count, not characters')
  await rejectsWith(t, create('n', '', ''), 'SymbolLength', 'empty symbol')
  await rejectsWith(t, create('n', 's'.repeat(contractLimits.symbolBytes + 1), ''), 'SymbolLength', 'long symbol')
  await rejectsWith(t, create('n', 's', 'u'.repeat(contractLimits.uriBytes + 1)), 'ContractURILength', 'long URI')
})

t.test('a permit replaces an approval, for tokens with short and long names', async (t) => {
  const holder = privateKeyToAccount(generatePrivateKey())
  for (const name of ['Ketch', 'n'.repeat(31), 'é'.repeat(16), 'n'.repeat(64)]) {
    const { token: address } = await launch(creator, 0n, { name, symbol: 'KTCH', uri: '' })
    const token = chain.token(address)
    const [, domainName, version, chainId, verifyingContract] = await token.read.eip712Domain()
    t.equal(domainName, name)
    t.equal(verifyingContract, address)
    t.equal(await token.read.name(), name)
    const message = { owner: holder.address, spender: stranger, value: 7n, nonce: 0n, deadline: never }
    const signature = await holder.signTypedData({
      domain: { name: domainName, version, chainId: Number(chainId), verifyingContract },
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'Permit',
      message,
    })
    const { r, s, yParity } = parseSignature(signature)
    await mine(token.write.permit([holder.address, stranger, 7n, never, yParity + 27, r, s], { account: stranger }))
    t.equal(await token.read.allowance([holder.address, stranger]), 7n)
    const other = chain.token((await launch(creator, 0n, { name, symbol: 'KTCH', uri: '' })).token)
    const again = [holder.address, stranger, 7n, never, yParity + 27, r, s] as const
    await rejectsWith(t, other.simulate.permit(again), 'ERC2612InvalidSigner', 'not at another clone of the same name')
    await rejectsWith(t, token.simulate.permit(again), 'ERC2612InvalidSigner', 'nor twice')
    t.not(await other.read.DOMAIN_SEPARATOR(), await token.read.DOMAIN_SEPARATOR())
  }
  const token = chain.token((await launch(creator)).token)
  const late = [holder.address, stranger, 7n, 1n, 27, zeroHash, zeroHash] as const
  await rejectsWith(t, token.simulate.permit(late), 'ERC2612ExpiredSignature')
})

t.test('a token is a minimal clone, and neither it nor its implementation can be initialized again', async (t) => {
  const { token } = await launch(creator)
  const implementation = await pad.read.tokenImplementation()
  const bare = implementation.slice(2).toLowerCase()
  t.equal(
    await chain.publicClient.getCode({ address: token }),
    `0x363d3d373d3d3d363d73${bare}5af43d82803e903d91602b57fd5bf3`,
  )
  const texts = ['Other', 'OTHR', '', stranger, totalSupply] as const
  for (const address of [token, implementation]) {
    await rejectsWith(t, chain.token(address).simulate.initialize(texts, { account: stranger }), 'OnlyLaunchpad')
    await chain.testClient.impersonateAccount({ address: pad.address })
    await rejectsWith(
      t,
      chain.token(address).simulate.initialize(texts, { account: pad.address }),
      'AlreadyInitialized',
    )
  }
  t.equal(await chain.token(implementation).read.totalSupply(), 0n)
  t.equal((await chain.token(token).read.launchpad()).toLowerCase(), pad.address.toLowerCase())
  t.equal(await chain.token(token).read.creator(), creator)
  t.equal(await chain.token(token).read.pair(), await pad.read.pairFor([token]))
})

t.test('only the launchpad can move tokens without an allowance', async (t) => {
  const token = chain.token((await launch(creator, 10n ** 18n)).token)
  for (const account of [stranger, creator, owner])
    await rejectsWith(t, token.simulate.pull([creator, 1n], { account }), 'OnlyLaunchpad')
  await rejectsWith(
    t,
    token.simulate.transferFrom([creator, stranger, 1n], { account: stranger }),
    'ERC20InsufficientAllowance',
  )
})

t.test('two tokens may have the same name and symbol', async (t) => {
  t.not((await launch(creator)).token, (await launch(creator)).token)
})

t.test('only the creator changes the contract URI, within its limit', async (t) => {
  const token = chain.token((await launch(creator)).token)
  t.equal(await token.read.contractURI(), 'ipfs://ketch')
  await rejectsWith(t, token.simulate.setContractURI(['ipfs://x'], { account: stranger }), 'OnlyCreator')
  await rejectsWith(t, token.simulate.setContractURI(['u'.repeat(513)], { account: creator }), 'ContractURILength')
  const { logs } = await mine(token.write.setContractURI(['ipfs://sloop'], { account: creator }))
  t.equal(parseEventLogs({ abi: launchTokenAbi, logs, eventName: 'ContractURIUpdated' }).length, 1)
  t.equal(await token.read.contractURI(), 'ipfs://sloop')
})

t.test('a launch reverts if its terms differ from the current defaults when it is mined', async (t) => {
  const create = (terms: typeof TERMS) => pad.simulate.create([makeLaunch('A', 'A', { terms })], { account: creator })
  await t.resolves(create(TERMS))
  for (const other of [{ targetQuote: TERMS.targetQuote - 1n }, { protocolFeeBps: 99 }, { creatorFeeBps: 51 }])
    await rejectsWith(t, create({ ...TERMS, ...other }), 'TermsChanged')

  // The owner changes them in the block of the launch, and before it.
  const launch = makeLaunch('Late', 'LATE')
  await chain.testClient.setAutomine(false)
  const nonceOf = (address: typeof owner) => chain.publicClient.getTransactionCount({ address })
  const set = { account: owner, nonce: await nonceOf(owner), gas: 100_000n, ...fee(20n) }
  const changed = await pad.write.setDefaults([10n ** 24n, 900, 100], set)
  const sent = { account: creator, nonce: await nonceOf(creator), gas: 1_000_000n, ...fee(10n) }
  const launched = await pad.write.create([launch], sent)
  await chain.testClient.mine({ blocks: 1 })
  await chain.testClient.setAutomine(true)
  const [first, second] = await Promise.all(
    [changed, launched].map((hash) => chain.publicClient.getTransactionReceipt({ hash })),
  )
  t.match([first!.status, second!.status], ['success', 'reverted'])
  t.equal(first!.blockNumber, second!.blockNumber)
  await mine(pad.write.setDefaults([TERMS.targetQuote, 100, 50], { account: owner }))
})

t.test('a launch that is mined after its deadline reverts', async (t) => {
  const { timestamp } = await chain.publicClient.getBlock()
  const create = (deadline: bigint) => pad.simulate.create([makeLaunch('A', 'A', { deadline })], { account: creator })
  await t.resolves(create(timestamp + 600n))
  await rejectsWith(t, create(timestamp - 1n), 'Expired')
})

t.test('creator and salt determine the address: a reorg keeps it, and no other wallet can take it', async (t) => {
  const launch = makeLaunch('Ketch', 'KTCH')
  const expected = await pad.read.tokenAddress([creator, launch.salt])
  t.equal(expected.toLowerCase(), predictToken(pad.address, creator, launch.salt))
  const create = async (account: typeof creator, choice = launch) => {
    const { logs } = await mine(pad.write.create([choice], { account }))
    return parseEventLogs({ abi: launchpadAbi, logs, eventName: 'CurveCreate' })[0]!.args.token
  }
  t.not(await create(stranger), expected, 'the salt of another wallet leads elsewhere')
  const snapshot = await chain.testClient.snapshot()
  t.equal(await create(creator), expected)
  await rejectsWith(t, pad.simulate.create([launch], { account: creator }), 'SaltUsed')
  await rejectsWith(t, pad.simulate.create([{ ...launch, name: 'Other' }], { account: creator }), 'SaltUsed')
  await chain.testClient.revert({ id: snapshot })
  await create(creator, makeLaunch('Another', 'OTHR'))
  t.equal(await create(creator), expected, 'though another launch came first')
})

t.test('only the owner changes defaults, within bounds and for later launches only', async (t) => {
  const before = (await launch(creator)).token
  const target = 3n * 10n ** 18n
  await rejectsWith(t, pad.simulate.setDefaults([target, 1, 1], { account: stranger }), 'OwnableUnauthorizedAccount')
  await rejectsWith(t, pad.simulate.setDefaults([target, 1000, 1], { account: owner }), 'FeeTooHigh')
  await rejectsWith(t, pad.simulate.setDefaults([10n ** 15n - 1n, 1, 1], { account: owner }), 'TargetOutOfRange')
  await rejectsWith(t, pad.simulate.setDefaults([10n ** 24n + 1n, 1, 1], { account: owner }), 'TargetOutOfRange')
  await mine(pad.write.setDefaults([target, 700, 300], { account: owner }))
  const after = (await launch(creator)).token
  t.match(await pad.read.curves([before]), { targetQuote: 6n * 10n ** 18n, protocolFeeBps: 100, creatorFeeBps: 50 })
  t.match(await pad.read.curves([after]), { targetQuote: target, protocolFeeBps: 700, creatorFeeBps: 300 })
})

t.test('ownership moves in two steps, and only the owner sets the fee recipient', async (t) => {
  await rejectsWith(t, pad.simulate.setFeeRecipient([stranger], { account: stranger }), 'OwnableUnauthorizedAccount')
  await rejectsWith(t, pad.simulate.setFeeRecipient([zeroAddress], { account: owner }), 'InvalidRecipient')
  await mine(pad.write.transferOwnership([stranger], { account: owner }))
  t.equal(await pad.read.owner(), owner)
  await mine(pad.write.acceptOwnership({ account: stranger }))
  t.equal(await pad.read.owner(), stranger)
})
