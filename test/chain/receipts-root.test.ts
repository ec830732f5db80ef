import t from 'tap'
import type { Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { digestReceipts, hashList, type RpcBlockReceipt } from '../../chain/logs/receipts-root.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { Node } from '../support/chain-fixture.ts'

t.test('the bloom and root of 140 receipts of all types equal the block header’s', async (t) => {
  const anvil = await startAnvil()
  t.teardown(() => anvil.stop())
  const node = new Node(anvil.url)
  const mnemonic = 'test test test test test test test test test test test junk'
  const [account, other] = [mnemonicToAccount(mnemonic), mnemonicToAccount(mnemonic, { addressIndex: 1 })]
  const from = account.address
  const gas = '0x186a0'
  // Logs with data; where there is none the call fails.
  const code = '0x3615600c5760013660006000a1005b60006000fd'
  const logger = '0x00000000000000000000000000000000000106e6'
  await node.call('anvil_setCode', logger, code)
  await node.call('evm_setAutomine', false)
  const kinds = [
    { gasPrice: '0x77359400' },
    { gasPrice: '0x77359400', type: '0x1', accessList: [{ address: logger, storageKeys: [] }] },
    { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' },
  ]
  const authorization = await other.signAuthorization!({ chainId: 31337, nonce: 0, contractAddress: logger })
  for (let at = 0; at < 140; at++) {
    if (at === 0) {
      const raw = await account.signTransaction({
        ...{ type: 'eip7702', chainId: 31337, nonce: 0, to: logger, gas: 200_000n, data: '0x01' },
        ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n, authorizationList: [authorization] },
      })
      await node.call('eth_sendRawTransaction', raw)
      continue
    }
    const data = at % 5 === 0 ? '0x' : `0x${'ab'.repeat(at)}`
    const nonce = `0x${at.toString(16)}`
    await node.call('eth_sendTransaction', { from, to: logger, gas, nonce, data, ...kinds[at % 3] })
  }
  await node.call('evm_mine')
  const block = await node.call<{ logsBloom: Hex; receiptsRoot: Hex; transactions: Hex[] }>(
    'eth_getBlockByNumber',
    'latest',
    false,
  )
  t.equal(block.transactions.length, 140)
  const receipts = await node.call<RpcBlockReceipt[]>('eth_getBlockReceipts', 'latest')
  t.same(new Set(receipts.map(({ type }) => type)), new Set(['0x0', '0x1', '0x2', '0x4']))
  t.same(new Set(receipts.map(({ status }) => status)), new Set(['0x0', '0x1']))
  t.same(digestReceipts(receipts), { logsBloom: block.logsBloom, receiptsRoot: block.receiptsRoot })
})

t.test('the root of few and of many receipts equals the block header’s', async (t) => {
  const anvil = await startAnvil()
  t.teardown(() => anvil.stop())
  const node = new Node(anvil.url)
  await node.call('evm_setAutomine', false)
  const [from] = await node.call<Hex[]>('eth_accounts')
  // Keys of one byte, of two from 128 and of three from 256; a single entry has a path of two digits.
  for (const count of [1, 2, 16, 17, 128, 129, 257]) {
    for (let sent = 0; sent < count; sent++)
      await node.call('eth_sendTransaction', { from, to: from, gas: '0x5208', gasPrice: '0x77359400' })
    await node.call('evm_mine')
    const { receiptsRoot } = await node.call<{ receiptsRoot: Hex }>('eth_getBlockByNumber', 'latest', false)
    const receipts = await node.call<RpcBlockReceipt[]>('eth_getBlockReceipts', 'latest')
    t.equal(receipts.length, count)
    t.equal(digestReceipts(receipts).receiptsRoot, receiptsRoot, `${count} receipts`)
  }
})

t.test('a block without receipts has the root of the empty trie', (t) => {
  t.equal(hashList([]), '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
  t.end()
})
