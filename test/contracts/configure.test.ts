import t from 'tap'
import { type Address, createPublicClient, decodeFunctionData, http } from 'viem'
import { feeSplitterAbi } from '../../chain/abi/fee-splitter.ts'
import { findSetupCalls, type Terms } from '../../contracts/deploy/configure.ts'
import { type DeployValues, deployOptions, readOptions } from '../../contracts/deploy/options.ts'
import { parseCommandLine } from '../../lib/commands/run-command.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startChain } from '../support/chain-fixture.ts'
import { makeStakingActions } from '../support/staking.ts'

t.test('an invalid option is rejected with its name', async (t) => {
  const command = { command: 'npm run deploy', about: '', options: deployOptions, exitCodes: '' }
  const read = (args: readonly string[]) => readOptions(parseCommandLine(command, args) as DeployValues)
  for (const [args, expected] of [
    [['--owner', 'me'], '--owner is me; expected an address'],
    [['--owner', '0xf39fd6e51aad88F6F4ce6aB8827279cffFb92266'], /^--owner is 0x\w+; its checksum is wrong/],
    [['--staker-share-bps', '10001'], /^--staker-share-bps is 10001; expected an integer from 0 to 10000/],
    [['--period-seconds', '0'], /^--period-seconds is 0; expected an integer from 1/],
    [['--protocol-fee-bps', '990'], /^--protocol-fee-bps and --creator-fee-bps are 1040 together/],
    [['--target', '0.0001'], /^--target is 0\.0001; expected coins from 0\.001/],
    [['--currency', 'a b'], /^--currency is a b; expected symbol:name/],
    [['--key', '0x1'], 'Unknown option --key'],
  ] as const)
    t.throws(() => read(args), { message: expected })
})

t.test('the splitter pays the first pool of the staking token with rewards in the native coin', async (t) => {
  const { node, deployed, accounts } = await startChain(t)
  const [owner, ann] = accounts as [Address, Address]
  const act = makeActions(deployed)
  const [one, two] = await node.run(act.launch(ann, 'ONE'), act.launch(ann, 'TWO'))
  const [token, other] = [launchedToken(one!), launchedToken(two!)]
  const client = createPublicClient({ transport: http(node.url), cacheTime: 0 })
  const contracts = { ...deployed, ownFactory: null }
  const terms: Terms = {
    owner,
    timelock: null,
    treasury: owner,
    stakingToken: token,
    stakerShareBps: 3_000,
    cooldownSeconds: 600,
    periodSeconds: 86_400,
  }
  /** What is still to be done with the staking contract and the splitter. */
  const find = async () => {
    const calls = await findSetupCalls(client, owner, contracts, terms)
    return calls.filter(({ to }) => to !== deployed.launchpad)
  }
  const { createPool } = makeStakingActions(deployed.feeStaking)
  t.match(await find(), [{ to: deployed.feeStaking, title: /^Staking: open a pool/ }], 'without a pool')
  await node.run(createPool(owner, other), createPool(owner, token, { reward: token }))
  await node.run(createPool(owner, token, { reward: other }))
  t.match(
    await find(),
    [{ to: deployed.feeStaking, title: /^Staking: open a pool/ }],
    'with pools of another token or another reward',
  )
  await node.run(createPool(owner, token), createPool(owner, token))
  const [call, ...others] = await find()
  t.strictSame(others, [])
  t.equal(call?.to, deployed.feeSplitter)
  const { functionName, args } = decodeFunctionData({ abi: feeSplitterAbi, data: call!.data })
  t.strictSame([functionName, args?.[1], args?.[2]], ['setTerms', 4n, 3_000n])
})
