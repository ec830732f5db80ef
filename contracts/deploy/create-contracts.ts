import { type Address, getContractAddress, type Hex, type TransactionReceipt } from 'viem'
import { type Clients, waitForReceipt, waitUntilSettled } from './clients.ts'
import {
  type Addresses,
  artifactNames,
  type ContractName,
  type CreationInputs,
  contractNames,
  creationGas,
  encodeCreation,
} from './creations.ts'

/** A creation that was sent, or is about to be. Its address follows from account and nonce. */
export interface CreationRecord {
  nonce: number
  address: Address
  /** The newest block before the transaction was sent. */
  sentAfter: number
  txHash?: Hex
  /** Block of the creation. */
  block?: number
  /** Creation code and arguments. */
  data: Hex
}

export type CreationRecords = Partial<Record<ContractName, CreationRecord>>

/** Keeps records over a crash: `save` resolves when they are durable. */
export interface Journal {
  records: CreationRecords
  save(): Promise<void>
}

interface CreateOptions {
  clients: Clients
  /** The contracts to create. */
  names: readonly ContractName[]
  /** Addresses of contracts that exist already. */
  known: Partial<Addresses>
  inputs: CreationInputs
  journal: Journal
  /** Sends everything before anything is mined, with fixed gas limits; for a new account on a development chain. */
  pipelined?: boolean
  /** Called between sending and waiting for receipts, to mine on a node without automining. */
  afterSending?: () => Promise<void>
  onProgress?: (name: ContractName, record: CreationRecord, outcome: 'sent' | 'created' | 'found') => void
  receiptTimeoutMs?: number
}

/**
 * Creates the contracts in order and returns their records. A record in the journal is never created twice: its nonce is
 * reused until the chain has mined a transaction with it. Addresses are lower-case.
 */
export async function createContracts(options: CreateOptions): Promise<CreationRecords> {
  const { clients, names, known, inputs, journal, pipelined = false, onProgress = () => {} } = options
  const { publicClient, walletClient } = clients
  const timeoutMs = options.receiptTimeoutMs ?? 60_000
  const addresses: Partial<Addresses> = { ...known }
  const waiting: ContractName[] = []

  const finish = async (name: ContractName) => {
    const record = journal.records[name] as CreationRecord
    const receipt = await waitForReceipt(publicClient, record.txHash as Hex, timeoutMs)
    requireCreated(name, record, receipt)
    record.block = Number(receipt.blockNumber)
    await journal.save()
    onProgress(name, record, 'created')
  }

  for (const name of contractNames.filter((one) => names.includes(one))) {
    const earlier = pipelined ? undefined : await findCreated(clients, journal.records[name], timeoutMs)
    if (earlier?.isCreated) {
      addresses[name] = earlier.record.address
      await journal.save()
      onProgress(name, earlier.record, 'found')
      continue
    }
    const record = earlier?.record ?? (await nextRecord(clients, waiting.length === 0 ? undefined : waiting, journal))
    record.data = encodeCreation(name, addresses, inputs)
    journal.records[name] = record
    addresses[name] = record.address
    // Durable before it is sent: a crash in between must not lead to a second creation.
    await journal.save()
    const gas = pipelined ? creationGas[name] : await estimateGas(clients, name, record.data)
    const { account, chain = null } = walletClient
    record.txHash = await walletClient.sendTransaction({ account, chain, data: record.data, gas, nonce: record.nonce })
    await journal.save()
    onProgress(name, record, 'sent')
    if (pipelined) waiting.push(name)
    else await finish(name)
  }
  await options.afterSending?.()
  for (const name of waiting) await finish(name)
  return journal.records
}

/** The record of the next nonce; in a pipeline, that after the last one sent. */
async function nextRecord(
  { publicClient, walletClient }: Clients,
  waiting: readonly ContractName[] | undefined,
  { records }: Journal,
): Promise<CreationRecord> {
  const from = walletClient.account.address
  const last = records[waiting?.at(-1) as ContractName]
  const nonce = last ? last.nonce + 1 : await publicClient.getTransactionCount({ address: from, blockTag: 'pending' })
  const sentAfter = last ? last.sentAfter : Number(await publicClient.getBlockNumber({ cacheTime: 0 }))
  return { nonce, address: addressAt(from, nonce), sentAfter, data: '0x' }
}

/** Lower-case address of the contract that an account creates with a nonce. */
export const addressAt = (from: Address, nonce: number): Address =>
  getContractAddress({ from, nonce: BigInt(nonce) }).toLowerCase() as Address

/**
 * What became of a recorded creation:
 * - code at its address: created
 * - its nonce is not used yet: to be sent with the same nonce
 * - its nonce is used by a transaction that created nothing: undefined, a new creation is needed
 */
async function findCreated(clients: Clients, record: CreationRecord | undefined, timeoutMs: number) {
  if (!record) return undefined
  const { publicClient, walletClient } = clients
  // What is pending may be this creation.
  await waitUntilSettled(clients, timeoutMs)
  if (await hasCode(publicClient, record.address)) {
    if (record.block === undefined) record.block = await findBlock(publicClient, record)
    return { record, isCreated: true }
  }
  const used = await publicClient.getTransactionCount({ address: walletClient.account.address, blockTag: 'latest' })
  if (used > record.nonce) return undefined
  const { nonce, address, sentAfter, data } = record
  const unsent: CreationRecord = { nonce, address, sentAfter, data }
  return { record: unsent, isCreated: false }
}

/** The block of the creation; without its transaction hash, a block shortly before it. */
async function findBlock(
  publicClient: Clients['publicClient'],
  { txHash, sentAfter }: CreationRecord,
): Promise<number> {
  if (!txHash) return sentAfter
  return publicClient.getTransactionReceipt({ hash: txHash }).then(
    ({ blockNumber }) => Number(blockNumber),
    () => sentAfter,
  )
}

export async function hasCode(publicClient: Clients['publicClient'], address: Address): Promise<boolean> {
  const code = await publicClient.getCode({ address })
  return code !== undefined && code !== '0x'
}

/** The estimate with a margin: some nodes estimate calls of new contracts too low. */
async function estimateGas({ publicClient, walletClient }: Clients, name: ContractName, data: Hex): Promise<bigint> {
  try {
    return ((await publicClient.estimateGas({ account: walletClient.account, data })) * 12n) / 10n
  } catch (cause) {
    throw new Error(`The creation of ${artifactNames[name]} would fail`, { cause })
  }
}

function requireCreated(name: ContractName, { address }: CreationRecord, receipt: TransactionReceipt): void {
  const { status, contractAddress, transactionHash } = receipt
  if (status === 'success' && contractAddress?.toLowerCase() === address) return
  throw new Error(`The creation of ${artifactNames[name]} failed in transaction ${transactionHash}`)
}
