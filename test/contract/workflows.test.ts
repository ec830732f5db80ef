import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { type Hex, parseEther, zeroAddress } from 'viem'
import { parse } from 'yaml'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { account, type Call, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService } from '../acceptance/support/service.ts'
import { signIn } from '../acceptance/support/sign-in.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const WORKFLOWS = join(ROOT, 'workflows/stories.arazzo.yaml')
const [owner, ann, bob, eve] = [account(0), account(1), account(2), account(3)]

t.test('the Arazzo workflows pass on a running service, at both mounts', async (t) => {
  const chain = await startChain(t)
  const { contracts } = chain
  const databaseUrl = await createDatabase(t)
  const service = await startService(t, { env: chain.env, ...(databaseUrl && { databaseUrl }) })
  const run = new Set<string>()
  const play = async (mount: string, names: string[], input: Record<string, string>) => {
    for (const name of names) run.add(name)
    const { passed, output, steps } = await respect(t, service.url + mount, names, input)
    t.ok(passed, `at '${mount}': ${names.join(', ')}`, { output })
    return steps
  }

  for (const mount of ['', '/api']) {
    const wallet = ann.address.toLowerCase()
    const token = await signIn(service, mount, { wallet: ann.address, account: ann })
    const steps = await play(mount, ['request-message'], { wallet })
    const message = readAnswer(steps).message as string
    const create = await chain.send(ann, calls.create(contracts, 'Story', mount ? 'TWO' : 'ONE', 0n))
    const address = createdToken(create)
    const buy = await chain.send(ann, calls.buy(contracts, address, ann.address, parseEther('1')))
    const sell = await chain.send(ann, calls.sell(contracts, address, ann.address, parseEther('1000')))
    const onStaking = (functionName: string, ...args: unknown[]): Call => ({
      ...{ to: contracts.feeStaking, abi: feeStakingAbi, functionName, args },
    })
    await chain.send(owner, onStaking('createPool', address, zeroAddress, 3_600n, 86_400n))
    await chain.send(ann, calls.approve(address, contracts.feeStaking))
    const stake = await chain.send(ann, onStaking('stake', mount ? 2n : 1n, parseEther('10')))
    await chain.send(ann, calls.approve(address, contracts.raises))
    const onRaises = (functionName: string, args: unknown[], value?: bigint): Call => ({
      ...{ to: contracts.raises, abi: raisesAbi, functionName, args },
      ...(value !== undefined && { value }),
    })
    const { timestamp } = await chain.client.getBlock()
    const raise = await chain.send(ann, onRaises('createRaise', [openRaise(address, timestamp)]))
    const commit = await chain.send(eve, onRaises('commit', [mount ? 2n : 1n], parseEther('1')))
    // One run of the command, which takes longer to start than to work.
    const stories = ['sign-in', 'launch', 'trade', 'read-token', 'comment-and-like', 'follow', 'portfolio']
    await play(mount, [...stories, 'stake', 'raise', 'sign-out'], {
      ...{ token, wallet, message, signature: await ann.signMessage({ message }) },
      ...{ address, creator: bob.address.toLowerCase(), createHash: create.transactionHash },
      ...{ buyHash: buy.transactionHash, sellHash: sell.transactionHash, stakeHash: stake.transactionHash },
      ...{ raiseHash: raise.transactionHash, commitHash: commit.transactionHash },
      committerToken: await signIn(service, mount, { wallet: eve.address, account: eve }),
      committer: eve.address.toLowerCase(),
    })
  }

  const { workflows } = parse(await readFile(WORKFLOWS, 'utf8')) as { workflows: { workflowId: string }[] }
  t.strictSame(workflows.map(({ workflowId }) => workflowId).sort(), [...run].sort(), 'every workflow is run')
  const lie = await respect(t, service.url, ['portfolio'], { wallet: 'nobody' })
  t.notOk(lie.passed, 'a workflow whose criteria do not hold fails')
})

/** A raise that opens at once, for a day. */
const openRaise = (token: Hex, now: bigint) => ({
  ...{ token, registrationRequired: false, registrationStart: 0n, startAt: 0n, endAt: now + 86_400n },
  ...{ quorumBps: 2_000, votingDelay: 3_600, votingPeriod: 86_400, tokenAmount: parseEther('1000') },
  ...{ goalMin: parseEther('1'), goalMax: parseEther('4'), walletMin: 0n, walletMax: 0n },
  ...{ title: 'A raise', metadataURI: '' },
})

/** The data of the first answer in what the runner wrote down. */
function readAnswer(steps: string): Record<string, unknown> {
  const { files } = JSON.parse(steps) as { files: Record<string, { executedWorkflows: Executed[] }> }
  const answer = Object.values(files)[0]?.executedWorkflows[0]?.executedSteps[0]?.response
  if (!answer) throw new Error(`The runner wrote of no answer: ${steps}`)
  return answer.body.data
}

interface Executed {
  executedSteps: { response?: { body: { data: Record<string, unknown> } } }[]
}

/** Runs workflows as anybody would; `steps` is what the runner writes down of requests and answers, as JSON. */
async function respect(
  t: Test,
  server: string,
  workflows: string[],
  input: Record<string, string>,
): Promise<{ passed: boolean; output: string; steps: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-respect-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const log = join(folder, 'steps.json')
  const child = spawn(
    process.execPath,
    [
      ...['node_modules/@redocly/cli/bin/cli.js', 'respect', WORKFLOWS, '--server', `api=${server}`],
      ...['--json-output', log, '--no-secrets-masking', '--input', JSON.stringify(input)],
      ...workflows.flatMap((name) => ['--workflow', name]),
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...{ PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { passed: code === 0, output, steps: await readFile(log, 'utf8').catch(() => '') }
}
