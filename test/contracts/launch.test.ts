import t from 'tap'
import { parseEventLogs, parseSignature, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { contractLimits } from '../../chain/contract-limits.ts'
import { newCurve, totalSupply } from '../../chain/curve.ts'
import { never, rejectsWith, startTestChain } from './fixtures/chain.ts'

const chain = await startTestChain(t)
const { pad, accounts, mine, launch } = chain
const [owner, creator, stranger] = accounts

t.test('a launch mints the whole supply to the launchpad, then announces its curve', async (t) => {
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

t.test('the first buy is guarded by its minimum', async (t) => {
  const { token } = await launch(creator)
  const [tokenOut] = await pad.read.quoteBuy([token, 10n ** 18n])
  const options = { account: creator, value: 10n ** 18n }
  await rejectsWith(t, pad.simulate.create(['A', 'A', '', tokenOut + 1n], options), 'Slippage')
  await t.resolves(pad.simulate.create(['A', 'A', '', tokenOut], options))
  await rejectsWith(t, pad.simulate.create(['A', 'A', '', 1n], { account: creator }), 'Slippage')
})

t.test('name, symbol and URI are limited in bytes', async (t) => {
  const create = (name: string, symbol: string, uri: string) => pad.simulate.create([name, symbol, uri, 0n])
  await t.resolves(create('n'.repeat(64), 's'.repeat(16), 'u'.repeat(512)))
  await t.resolves(create('n', 's', ''))
  await rejectsWith(t, create('', 's', ''), 'NameLength', 'empty name')
  await rejectsWith(t, create('n'.repeat(contractLimits.nameBytes + 1), 's', ''), 'NameLength', 'long name')
  await rejectsWith(t, create('é'.repeat(33), 's', ''), 'NameLength', 'bytes count, not characters')
  await rejectsWith(t, create('n', '', ''), 'SymbolLength', 'empty symbol')
  await rejectsWith(t, create('n', 's'.repeat(contractLimits.symbolBytes + 1), ''), 'SymbolLength', 'long symbol')
  await rejectsWith(t, create('n', 's', 'u'.repeat(contractLimits.uriBytes + 1)), 'ContractURILength', 'long URI')
})

t.test('a permit stands in for an approval, with short and long names', async (t) => {
  const holder = privateKeyToAccount(generatePrivateKey())
  for (const name of ['Ketch', 'n'.repeat(31), 'é'.repeat(16), 'n'.repeat(64)]) {
    const { token: address } = await launch(creator, 0n, { name, symbol: 'KTCH', uri: '' })
    const token = chain.token(address)
    const [, domainName, version, chainId, verifyingContract] = await token.read.eip712Domain()
    t.equal(domainName, Buffer.byteLength(name) < 32 ? name : 'KTCH')
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
  }
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

t.test('new defaults hold for later launches only, within bounds, and by the owner alone', async (t) => {
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

t.test('ownership moves in two steps, and the fee recipient is the owner’s to set', async (t) => {
  await rejectsWith(t, pad.simulate.setFeeRecipient([stranger], { account: stranger }), 'OwnableUnauthorizedAccount')
  await rejectsWith(t, pad.simulate.setFeeRecipient([zeroAddress], { account: owner }), 'InvalidRecipient')
  await mine(pad.write.transferOwnership([stranger], { account: owner }))
  t.equal(await pad.read.owner(), owner)
  await mine(pad.write.acceptOwnership({ account: stranger }))
  t.equal(await pad.read.owner(), stranger)
})
