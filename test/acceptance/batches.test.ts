import t from 'tap'
import { type Abi, encodeFunctionData, type Hex, parseEther, serializeErc6492Signature, zeroHash } from 'viem'
import { account, type Call, calls, createdToken, startChain, type TestChain } from './support/chain.ts'
import { createDatabase, startService } from './support/service.ts'
import { signIn } from './support/sign-in.ts'

const owners = [account(4), account(5)] as const

/** Smart accounts whose executor is a batcher: one transaction can hold the trades of all of them. */
async function deployAccounts(chain: TestChain) {
  const batcher = await chain.deploy('Batcher')
  const factory = await chain.deploy('SmartAccountFactory')
  const wallets: Hex[] = []
  for (const owner of owners) {
    const args = [owner.address, batcher.address, zeroHash]
    const wallet = (await chain.client.readContract({ ...factory, functionName: 'addressOf', args })) as Hex
    wallets.push(wallet)
    await chain.rpc('anvil_setBalance', wallet, `0x${parseEther('100').toString(16)}`)
  }
  const create = (index: number): Call => ({
    to: factory.address,
    abi: factory.abi,
    functionName: 'create',
    args: [owners[index]?.address, batcher.address, zeroHash],
  })
  return { batcher, wallets, create }
}

const encode = ({ to, abi, functionName, args, value = 0n }: Call, account: Hex) => ({
  account,
  target: to,
  value,
  data: encodeFunctionData({ abi: abi as Abi, functionName, args }),
})

t.test('a transaction with trades of several accounts on several tokens is indexed completely', async (t) => {
  const chain = await startChain(t)
  const { contracts } = chain
  const databaseUrl = await createDatabase(t)
  const service = await startService(t, { env: chain.env, ...(databaseUrl && { databaseUrl }) })
  const { batcher, wallets, create } = await deployAccounts(chain)
  const [first, second] = wallets as [Hex, Hex]

  // The second account signs in before it is deployed, the first one after.
  await chain.send(account(0), create(0))
  const tokens = {
    first: await signIn(service, '', { wallet: first, account: owners[0] }),
    second: await signIn(service, '', {
      wallet: second,
      account: {
        ...owners[1],
        signMessage: async ({ message }: { message: string }) =>
          serializeErc6492Signature({
            address: create(1).to,
            data: encode(create(1), second).data,
            signature: await owners[1].signMessage({ message }),
          }),
      },
    }),
  }
  await chain.send(account(0), create(1))

  const one = createdToken(await chain.send(account(1), calls.create(contracts, 'One', 'TWIN')))
  const two = createdToken(await chain.send(account(1), calls.create(contracts, 'Two', 'TWIN')))
  const batch = await chain.send(account(9), {
    to: batcher.address,
    abi: batcher.abi,
    functionName: 'run',
    args: [
      [
        encode(calls.buy(contracts, one, first, parseEther('0.1')), first),
        encode(calls.buy(contracts, two, first, parseEther('0.2')), first),
        encode(calls.buy(contracts, one, second, parseEther('0.3')), second),
        encode(calls.sell(contracts, one, second, parseEther('1000')), second),
      ],
    ],
  })
  t.equal(batch.status, 'success')

  const body = { txHash: batch.transactionHash }
  const post = (path: string, token: string) => service.request('POST', path, { token, body })
  const bought = await post('/buy', tokens.first)
  t.strictSame(
    bought.body.data.trades.map(({ token, quoteAmount }: Record<string, string>) => [token, quoteAmount]),
    [
      [two, parseEther('0.2').toString()],
      [one, parseEther('0.1').toString()],
    ],
    'the first account gets its own two trades, newest first',
  )
  const sold = await post('/sell', tokens.second)
  t.strictSame(
    sold.body.data.trades.map(({ side, trader }: Record<string, string>) => [side, trader]),
    [['sell', second.toLowerCase()]],
  )
  t.equal((await post('/buy', tokens.second)).status, 200, 'and the second its part of the same transaction')
  t.equal((await post('/sell', tokens.first)).status, 403, 'who sold nothing in it cannot claim a sale')

  const sender = await signIn(service, '', { wallet: account(9).address, account: account(9) })
  t.equal((await post('/buy', sender)).status, 403, 'who only sent the transaction has no part in it')

  const all = await service.request('GET', `/transactions?txHash=${batch.transactionHash}`)
  t.equal(all.body.data.items.length, 4)
  t.equal(new Set(all.body.data.items.map(({ logIndex }: { logIndex: number }) => logIndex)).size, 4)
  const twins = await service.request('GET', '/search?q=TWIN')
  const copycats = twins.body.data.tokens.map(({ address, symbolTakenBefore }: Record<string, unknown>) => [
    address,
    symbolTakenBefore,
  ])
  t.strictSame(
    new Map(copycats),
    new Map<unknown, unknown>([
      [one, false],
      [two, true],
    ]),
    'the later twin is flagged',
  )
})

t.test('of a hundred parallel syncs of one hash one succeeds, and the trade counts once', async (t) => {
  const chain = await startChain(t)
  const databaseUrl = await createDatabase(t)
  // All but three wait in the queue, for longer than the default on a busy machine.
  const env = { ...chain.env, DATABASE_LOCK_TIMEOUT_MS: '60000' }
  const service = await startService(t, { env, ...(databaseUrl && { databaseUrl }) })
  const creator = account(1)
  const jwt = await signIn(service, '', { wallet: creator.address, account: creator })
  const receipt = await chain.send(creator, calls.create(chain.contracts, 'Once', 'ONCE', parseEther('0.5')))
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      service.request('POST', index % 2 ? '/buy' : '/api/buy', {
        token: jwt,
        body: { txHash: receipt.transactionHash },
      }),
    ),
  )
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  t.strictSame([count(200), count(409)], [1, 99])
  const { body } = await service.request('GET', `/tokens/${createdToken(receipt)}/trades`)
  t.equal(body.data.items.length, 1)
})
