import t from 'tap'
import { createPublicClient, createWalletClient, http } from 'viem'
import { demonstrationRules } from '../../dev/deploy.ts'
import { createApi } from '../../sdk/src/api/index.ts'
import { readBalances, readGasPrice, readPosition } from '../../sdk/src/helpers/index.ts'
import * as sdk from '../../sdk/src/index.ts'
import { account, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService } from '../acceptance/support/service.ts'
import { TERMS } from '../contracts/fixtures/launches.ts'

const chain = await startChain(t)
const databaseUrl = await createDatabase(t)
const service = await startService(t, {
  env: { ...chain.env, MAX_LAG_BLOCKS: '100000' },
  ...(databaseUrl && { databaseUrl }),
})
const client = sdk.createClient({ baseUrl: service.url })
const config = await sdk.getConfig(client)
const creator = account(2)
const wallet = createWalletClient({ account: creator, transport: http(chain.url) })

t.test('a launch has the address that its salt determines, and the terms that its creator agrees to', async (t) => {
  const { launchpad } = chain.contracts
  const place = { launchpad, creator: creator.address, salt: sdk.createSalt() }
  const expected = await sdk.readTokenAddress(client, place)
  const terms = await sdk.readLaunchTerms(client, launchpad)
  t.same(terms, TERMS)
  const options = { name: 'Known', symbol: 'KNOWN', salt: place.salt }
  const { token } = await sdk.launch(client, wallet, { ...options, terms })
  t.match(token, { address: expected, targetQuote: TERMS.targetQuote.toString(), creatorFeeBps: 50 })
  t.equal(await sdk.readTokenAddress(client, place), expected)
  t.equal(await sdk.readLaunchpad(client, token.address as sdk.Address), launchpad.toLowerCase())

  const revertsWith = async (transaction: sdk.UnsignedTransaction, name: string) => {
    const error = await sdk.transact(client, wallet, transaction).catch((error: unknown) => error)
    t.match(error, { name: 'RevertError', revert: { name }, message: /^[A-Z].*\.$/ })
  }
  await revertsWith(sdk.buildLaunch(config, { ...options, terms }), 'SaltUsed')
  const changed = { ...terms, creatorFeeBps: 49 }
  await revertsWith(sdk.buildLaunch(config, { name: 'Plain', symbol: 'PLAIN', terms: changed }), 'TermsChanged')
  const shares = [{ recipient: creator.address, bps: 1 }]
  await revertsWith(sdk.buildFeeShares(config, { token: token.address, shares }), 'InvalidFeeShares')
})

t.test('the right to creator fees is read with its split, which ends when the right is transferred', async (t) => {
  const { launchpad } = chain.contracts
  const terms = await sdk.readLaunchTerms(client, launchpad)
  const { token } = await sdk.launch(client, wallet, { name: 'Split', symbol: 'SPLIT', terms })
  const owner = creator.address.toLowerCase()
  const read = () => sdk.readFeeRight(client, token.address)
  t.same(await read(), { launchpad, owner, shares: [] })
  const shares = [3, 4, 5].map((index, place) => ({
    recipient: account(index).address.toLowerCase() as sdk.FeeRight['owner'],
    bps: [6_000, 3_999, 1][place] as number,
  }))
  await sdk.transact(client, wallet, sdk.buildFeeShares(config, { token: token.address, shares }))
  t.same(await read(), { launchpad, owner, shares })
  const to = account(6).address
  await sdk.transact(client, wallet, sdk.buildFeeRightTransfer(config, { token: token.address, to }))
  t.same(await read(), { launchpad, owner: to.toLowerCase(), shares: [] })
})

t.test('the rules of raises are read', async (t) => {
  t.same(await sdk.readRaiseRules(client, chain.contracts.raises), demonstrationRules)
})

t.test('a launch that the contract would reject uploads nothing', async (t) => {
  const image = new Blob(['a picture'], { type: 'image/png' })
  const steps: string[] = []
  const onStep = ({ name }: sdk.Step) => void steps.push(name)
  for (const [name, symbol, message] of [
    ['', 'EMPTY', /^The name has 0 bytes/],
    ['ä'.repeat(33), 'LONG', /^The name has 66 bytes of UTF-8; 1 to 64 are allowed/],
    ['Long', 'SEVENTEEN LETTERS', /^The symbol has 17 bytes/],
  ] as const)
    await t.rejects(sdk.launch(client, wallet, { name, symbol, image, onStep }), { name: 'RangeError', message })
  t.same(steps, [])
})

t.test('a launch whose texts the service would reject after it sends nothing', async (t) => {
  const steps: string[] = []
  const options = { name: 'Linked', symbol: 'LINK', onStep: ({ name }: sdk.Step) => void steps.push(name) }
  const rejected: [given: Partial<sdk.LaunchFlowOptions>, message: RegExp][] = [
    [{ links: { twitter: 'nope' } }, /^body\.twitter must be /],
    [{ links: { telegram: 'http://t.me/x' } }, /^body\.telegram must be /],
    [{ links: { discord: `https://discord.gg/${'a'.repeat(65)}` } }, /^body\.discord must be /],
    [{ links: { website: 'nope' } }, /^body\.external_link must be /],
    [{ description: 'a'.repeat(1_001) }, /^body\.description must /],
    [{ image: 'http://a.example/picture.png' }, /^body\.image must be /],
  ]
  for (const [given, message] of rejected)
    await t.rejects(sdk.launch(client, wallet, { ...options, ...given }), { status: 400, message, txHash: undefined })
  t.same(steps, [])

  const [image, banner] = ['ipfs://bafkqaaa', `https://a.example/${'a'.repeat(500)}`]
  const { token: pictured } = await sdk.launch(client, wallet, { ...options, image, banner })
  t.match(pictured, { imageUrl: null, bannerUrl: null })
  const document = await fetch(service.url + new URL(pictured.metadataUri).pathname)
  t.match(await document.json(), { image, banner_image: banner })
  steps.length = 0

  const empty = { description: '', image: '', links: { website: '', telegram: '' } }
  const { token } = await sdk.launch(client, wallet, { ...options, ...empty })
  t.match(token, { symbol: 'LINK', description: null, links: { website: null, telegram: null } })
})

t.test('the metadata of a launch have its links, so that they are found without the sync', async (t) => {
  const links = {
    website: 'https://cat.example.org',
    twitter: 'https://x.com/cat',
    telegram: 'https://t.me/cat',
    discord: 'https://discord.gg/cat',
  }
  const { token } = await sdk.launch(client, wallet, { name: 'Cat', symbol: 'CAT', links })
  t.same(token.links, links)
  const { website, ...communities } = links
  const document = await (await fetch(service.url + new URL(token.metadataUri).pathname)).json()
  t.same(document, { name: 'Cat', symbol: 'CAT', external_link: website, ...communities })
})

t.test('flat calls sync transactions, and balances and positions are those of the chain', async (t) => {
  const api = createApi({ baseUrl: service.url })
  const trader = createWalletClient({ account: account(7), transport: http(chain.url) })
  const { address } = account(7)
  const options = { name: 'Flat', symbol: 'FLAT', initialBuy: 10n ** 17n }
  const { token, trades } = await sdk.launch(api, trader, options)
  const bought = BigInt(trades[0]?.tokenAmount ?? 0)
  t.ok(bought > 0n)
  const node = createPublicClient({ transport: http(chain.url) })
  const { native, tokens } = await readBalances(api, address, [token.address.toUpperCase().replace('0X', '0x')])
  t.same(tokens, { [token.address]: bought })
  t.equal(native, await node.getBalance({ address }))
  t.ok((await readGasPrice(api)) > 0n)
  await t.rejects(readBalances(api, address, [address]), { name: 'NodeError', message: /no balance of 0x/ })
  const many = Array.from({ length: 60 }, () => token.address)
  t.equal((await readBalances(api, address, many)).tokens[token.address], bought, 'more than one request takes')

  const position = await readPosition(api, token.address, { wallet: address })
  t.equal(position?.holding.balance, String(bought))
  const price = 0.1 / (Number(bought) / 1e18)
  t.ok(Math.abs((position?.averageEntry?.native ?? 0) / price - 1) < 1e-9)
  t.equal(await readPosition(api, token.address, { wallet: account(8).address }), null)

  const sold = { token: token.address, side: 'sell', amount: bought / 2n } as const
  const { txHash } = await sdk.trade(api, trader, sold)
  await t.rejects(sdk.sync(api, api.syncSell.with(), txHash), { name: 'AlreadyIndexedError' })
  const sides: string[] = []
  for await (const { side } of api.tokens.trades.all(token.address, { limit: 1 })) sides.push(side)
  t.same(sides, ['sell', 'buy'])
})
