import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Hex, numberToHex } from 'viem'
import { openEmbeddedChain } from '../../../dev/embedded-chain.ts'
import { callNode } from '../../../dev/json-rpc.ts'
import { createMemoryLog } from './market-chain.ts'

export interface Block {
  number: Hex
  hash: Hex
  timestamp: Hex
}

export const getBlock = (url: string, at: number | 'latest' = 'latest') =>
  callNode<Block>(url, 'eth_getBlockByNumber', [at === 'latest' ? at : numberToHex(at), false])

export async function createFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The embedded chain of a folder, and a way to put a block on it. */
export async function openChain(t: Test, dataDir: string, { market = false } = {}) {
  const log = createMemoryLog()
  const chain = await openEmbeddedChain({ dataDir, chainId: 31337, market }, log)
  t.teardown(() => chain.close())
  await chain.completed
  const url = chain.rpcUrls[0] as string
  const accounts = await callNode<Hex[]>(url, 'eth_accounts')
  const send = () =>
    callNode<{ blockNumber: Hex; blockHash: Hex }>(url, 'eth_sendTransactionSync', [
      { from: accounts[4], to: accounts[5], value: '0x1', gas: '0x5208' },
    ])
  return { ...chain, log, url, send }
}
