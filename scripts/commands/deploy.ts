import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Address, createPublicClient, createWalletClient, defineChain, formatEther, http } from 'viem'
import { describeChain, isKnownChain } from '../../config/chain.ts'
import { checkEvm } from '../../contracts/deploy/check-evm.ts'
import { type Clients, waitForReceipt, waitUntilSettled } from '../../contracts/deploy/clients.ts'
import {
  type Deployed,
  findSetupCalls,
  findUnaccepted,
  listSetup,
  SETUP_GAS,
  type Terms,
} from '../../contracts/deploy/configure.ts'
import { addressAt, type CreationRecords, createContracts } from '../../contracts/deploy/create-contracts.ts'
import {
  type Addresses,
  artifactNames,
  type ContractName,
  type CreationInputs,
  contractNames,
  creationGas,
  encodeCreation,
} from '../../contracts/deploy/creations.ts'
import { type Existing, ExistingContractError, findExisting } from '../../contracts/deploy/find-existing.ts'
import { type DeployValues, OptionError, type Options, readOptions } from '../../contracts/deploy/options.ts'
import { planGraduation } from '../../contracts/deploy/plan-graduation.ts'
import { readDeployer, requirePrivate } from '../../contracts/deploy/read-key.ts'
import { listDeployments, renderEnvironment, writeVerifications } from '../../contracts/deploy/results.ts'
import { openState, writeDurably } from '../../contracts/deploy/state-file.ts'
import { verifySource } from '../../contracts/deploy/verify-source.ts'

const RECEIPT_MS = 600_000
const EXPLORER_API = 'https://api.etherscan.io/v2/api'

/** Whether a transaction may have been sent. */
let isSending = false

/** Resolves to the exit code: 1 if the deployment can go on with the same options. */
export async function deploy(values: DeployValues): Promise<number> {
  const options = readOptions(values)
  try {
    return await run(options)
  } catch (error) {
    return fail(error)
  }
}

async function run(options: Options): Promise<number> {
  const url = (process.env.RPC_URL ?? '').split(',')[0]?.trim() ?? ''
  if (!URL.canParse(url)) throw new OptionError('RPC_URL is not set; expected the URL of a node')
  const reader = createPublicClient({ transport: http(url, { timeout: 30_000 }) })
  const chainId = await reader.getChainId().catch((cause: unknown) => {
    throw new OptionError('RPC_URL: the node does not respond', { cause })
  })
  const expected = process.env.CHAIN_ID?.trim()
  if (expected && Number(expected) !== chainId)
    throw new OptionError(
      `CHAIN_ID is ${expected}, but the node of RPC_URL is on chain ${chainId}. Correct one of them`,
    )
  const symbol =
    options.currency?.split(':')[0] ??
    describeChain({ chainId, currency: undefined, explorerUrl: undefined }).nativeCurrency.symbol
  if (options.currency === undefined && !isKnownChain(chainId))
    throw new OptionError(
      `--currency is required: chain ${chainId} is not a known one; give its coin, such as MON:Monad`,
    )
  const chain = defineChain({
    id: chainId,
    name: `Chain ${chainId}`,
    nativeCurrency: { name: symbol, symbol, decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const publicClient = createPublicClient({ chain, transport: http(url, { timeout: 30_000 }), pollingInterval: 1_000 })
  const account = options.from !== undefined && !options.send ? options.from : await readAccount(options)
  const deployer = (typeof account === 'string' ? account : account.address).toLowerCase() as Address
  const [owner, treasury] = [options.owner ?? deployer, options.treasury ?? options.owner ?? deployer]
  requirePrivate({ 'The deployer': deployer, '--owner': owner, '--treasury': treasury }, chainId)

  const existing = await findExisting(publicClient, chainId, options.given)
  const genesis = await publicClient.getBlock({ blockNumber: 0n })
  const folder = options.folder ?? join('deployments', String(chainId))
  const journal = await openState(join(folder, 'state.json'), {
    chainId,
    genesisHash: genesis.hash,
    deployer,
    existing: { ...existing },
  })
  // Before the plan: its estimates would fail without a reason.
  await checkEvm(publicClient, chainId, contractNames)
  const plan = await makePlan({ publicClient, deployer, owner, treasury, options, existing, records: journal.records })
  await printPlan(publicClient, { chainId, symbol, deployer, plan, existing })
  if (!options.send) {
    console.log('\nNothing was sent. Run it again with --yes to send these transactions.')
    return 0
  }
  if (typeof account === 'string') throw new OptionError('--from is for a plan; with --yes give the key')
  const balance = await publicClient.getBalance({ address: deployer })
  if (balance < plan.cost)
    throw new OptionError(
      `${deployer} has ${formatEther(balance)} ${symbol}; the plan costs up to ${formatEther(plan.cost)}. Send it more coins.`,
    )
  const clients: Clients = { publicClient, walletClient: createWalletClient({ chain, account, transport: http(url) }) }
  isSending = true
  const records = await createContracts({
    clients,
    names: plan.names,
    known: plan.known,
    inputs: plan.inputs,
    journal,
    receiptTimeoutMs: RECEIPT_MS,
    onProgress: (name, record, outcome) =>
      console.log(`${outcome.padEnd(8)} ${artifactNames[name]} ${record.address} ${record.txHash ?? ''}`),
  })
  const addresses = collectAddresses(plan.known, records)
  const terms = makeTerms(options, addresses, { owner, treasury })
  const deployed = toDeployed(addresses, existing)
  await setUp(clients, deployer, deployed, terms)
  await writeResults({ folder, chainId, addresses, records, currency: options.currency })
  if (terms.timelock)
    console.log(
      `The timelock ${terms.timelock.address} owns the contracts: ${owner} schedules its calls, which anyone can execute ` +
        `after ${terms.timelock.delaySeconds} s`,
    )
  for (const { name, address } of await findUnaccepted(publicClient, deployed, owner))
    console.log(`${owner} must accept the ownership of ${name}: call acceptOwnership() of ${address} (data 0x79ba5097)`)
  await verifyAll(folder, chainId, records)
  return 0
}

function readAccount({ keystore, passwordFile }: Options) {
  return readDeployer({ variable: process.env.DEPLOYER_KEY?.trim() || undefined, keystore, passwordFile })
}

interface PlanArgs {
  publicClient: Clients['publicClient']
  deployer: Address
  owner: Address
  treasury: Address
  options: Options
  existing: Existing
  records: CreationRecords
}

/** What is to be created and set up, with its gas. Contracts of the journal count as created once they have a block. */
async function makePlan(args: PlanArgs) {
  const { publicClient, deployer, owner, treasury, options, existing, records } = args
  const known: Partial<Addresses> = {}
  for (const name of ['weth', 'uniswapFactory', 'uniswapRouter', 'priceFeed'] as const)
    if (existing[name] !== null) known[name] = existing[name]
  // A price feed is never created: its price would be its owner's invention.
  const isLeftOut = (name: ContractName) =>
    name === 'priceFeed' || (name === 'timelock' && options.timelockSeconds === 0) || known[name] !== undefined
  const names = contractNames.filter((name) => !isLeftOut(name))
  const fees = await publicClient
    .estimateFeesPerGas()
    .catch(async () => ({ maxFeePerGas: await publicClient.getGasPrice() }))
  const created = records.launchpad?.block === undefined ? undefined : records.launchpad.address
  const graduation = await planGraduation(publicClient, {
    bounty: options.graduationBounty,
    target: options.defaults?.targetQuote,
    maxFeePerGas: fees.maxFeePerGas,
    launchpad: created,
  })
  const inputs: CreationInputs = {
    graduationBounty: graduation.bounty,
    owner: deployer,
    finalOwner: owner,
    // Until the splitter is there.
    feeRecipient: treasury,
    treasury,
    pairInitCodeHash: existing.pairInitCodeHash,
    feedDescription: '',
    initialPrice: 0n,
  }
  const missing = names.filter((name) => records[name]?.block === undefined)
  const nonce = await publicClient.getTransactionCount({ address: deployer, blockTag: 'pending' })
  const predicted: Partial<Addresses> = { ...known }
  for (const name of names)
    predicted[name] = records[name]?.address ?? addressAt(deployer, nonce + missing.indexOf(name))
  const steps: { title: string; gas: bigint }[] = []
  for (const name of missing) {
    const gas = await publicClient
      .estimateGas({ account: deployer, data: encodeCreation(name, predicted, inputs) })
      .then((estimate) => (estimate * 12n) / 10n)
      .catch(() => creationGas[name])
    steps.push({ title: `Create ${artifactNames[name]}`, gas })
  }
  const terms = makeTerms(options, predicted, { owner, treasury })
  const setup =
    missing.length > 0
      ? listSetup(deployer, existing.uniswapFactory === null, terms)
      : (await findSetupCalls(publicClient, deployer, toDeployed(predicted, existing), terms)).map(({ title }) => title)
  steps.push(...setup.map((title) => ({ title, gas: SETUP_GAS })))
  const gas = steps.reduce((sum, step) => sum + step.gas, 0n)
  return { names, known, inputs, graduation, steps, gas, gasPrice: fees.maxFeePerGas, cost: gas * fees.maxFeePerGas }
}

function makeTerms(
  { stakingToken, stakerShareBps, cooldownSeconds, periodSeconds, defaults, timelockSeconds: delaySeconds }: Options,
  { weth, timelock: address }: Partial<Addresses>,
  { owner, treasury }: { owner: Address; treasury: Address },
): Terms {
  const token = stakingToken === undefined ? (weth ?? null) : stakingToken
  const timelock = address === undefined || delaySeconds === 0 ? null : { address, delaySeconds }
  return { owner, timelock, treasury, stakingToken: token, stakerShareBps, cooldownSeconds, periodSeconds, defaults }
}

interface PrintArgs {
  chainId: number
  symbol: string
  deployer: Address
  plan: Awaited<ReturnType<typeof makePlan>>
  existing: Existing
}

async function printPlan(
  publicClient: Clients['publicClient'],
  { chainId, symbol, deployer, plan, existing }: PrintArgs,
) {
  const balance = await publicClient.getBalance({ address: deployer })
  console.log(`Chain ${chainId}, deployer ${deployer} with ${formatEther(balance)} ${symbol}\n`)
  for (const name of ['weth', 'uniswapFactory', 'uniswapRouter', 'priceFeed'] as const)
    if (existing[name] !== null) console.log(`use      ${artifactNames[name].replace('Dev', '')} ${existing[name]}`)
  if (existing.priceFeed === null) console.log('without  a price feed: figures in US dollars will be null')
  const { bounty, minTarget } = plan.graduation
  console.log(
    `pay      ${formatEther(bounty)} ${symbol} for each graduation, out of the fees; targets begin at ${formatEther(minTarget)} ${symbol}`,
  )
  for (const { title, gas } of plan.steps) console.log(`send     ${title} (up to ${gas} gas)`)
  console.log(
    `\nUp to ${plan.gas} gas at ${Number(plan.gasPrice) / 1e9} gwei: ${formatEther(plan.cost)} ${symbol}. ` +
      'On a rollup, fees for its data on the base chain come on top.',
  )
}

function collectAddresses(known: Partial<Addresses>, records: CreationRecords): Partial<Addresses> {
  return { ...known, ...Object.fromEntries(Object.entries(records).map(([name, { address }]) => [name, address])) }
}

function toDeployed(addresses: Partial<Addresses>, existing: Existing): Deployed {
  const at = (name: ContractName) => {
    const address = addresses[name]
    if (!address) throw new Error(`${artifactNames[name]} was not created`)
    return address
  }
  return {
    launchpad: at('launchpad'),
    feeStaking: at('feeStaking'),
    feeSplitter: at('feeSplitter'),
    ownFactory: existing.uniswapFactory === null ? at('uniswapFactory') : null,
  }
}

/** Sends what is missing until nothing is. */
async function setUp(clients: Clients, deployer: Address, deployed: Deployed, terms: Terms): Promise<void> {
  const { publicClient, walletClient } = clients
  const { account, chain = null } = walletClient
  for (;;) {
    // A call of an interrupted run may be pending.
    await waitUntilSettled(clients, RECEIPT_MS)
    const calls = await findSetupCalls(publicClient, deployer, deployed, terms)
    if (calls.length === 0) return
    for (const { title, to, data } of calls) {
      const gas = ((await publicClient.estimateGas({ account, to, data })) * 13n) / 10n
      const hash = await walletClient.sendTransaction({ account, chain, to, data, gas })
      console.log(`sent     ${title} ${hash}`)
      const { status } = await waitForReceipt(publicClient, hash, RECEIPT_MS)
      if (status !== 'success') throw new Error(`${title}: transaction ${hash} reverted`)
    }
  }
}

interface Results {
  folder: string
  chainId: number
  addresses: Partial<Addresses>
  records: CreationRecords
  currency: string | undefined
}

/** Writes .env; in one that is there, only DEPLOYMENTS is replaced. */
async function writeResults({ folder, chainId, addresses, records, currency }: Results): Promise<void> {
  const deployments = listDeployments(addresses, records)
  const line = `DEPLOYMENTS='${JSON.stringify(deployments)}'`
  const path = join(folder, '.env')
  const before = await readFile(path, 'utf8').catch(() => undefined)
  const text =
    before === undefined
      ? renderEnvironment({ chainId, deployments, currency })
      : before.replace(/^DEPLOYMENTS=.*$/m, () => line)
  await writeDurably(path, text)
  const settings = [`CHAIN_ID=${chainId}`, ...(currency === undefined ? [] : [`NATIVE_CURRENCY='${currency}'`]), line]
  console.log(`\nThe contracts are set up. ${path} has the settings of the service:\n\n${settings.join('\n')}\n`)
}

async function verifyAll(folder: string, chainId: number, records: CreationRecords): Promise<void> {
  const verifications = await writeVerifications(folder, records)
  const key = process.env.ETHERSCAN_API_KEY?.trim()
  if (!key) return
  if (verifications.length === 0)
    console.error('Sources are not verified: the compiler is not installed (npm ci installs it)')
  const explorer = { url: process.env.ETHERSCAN_API_URL?.trim() || EXPLORER_API, key, chainId }
  for (const verification of verifications) {
    // A failure changes nothing on the chain: it is reported, and running the command again tries it again.
    const outcome = await verifySource(explorer, verification).catch(
      (error: unknown) => `not verified: ${messageOf(error)}`,
    )
    console.log(`${verification.contractName} ${verification.address}: ${outcome}`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
}

function fail(error: unknown): number {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${messageOf(error.cause)}` : ''
  console.error(`${messageOf(error)}${cause}`)
  if (error instanceof OptionError || error instanceof ExistingContractError) return 2
  console.error(isSending ? 'Run it again with the same options to continue.' : 'Nothing was sent by this run.')
  return 1
}
