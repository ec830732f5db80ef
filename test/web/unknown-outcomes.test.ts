import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { announceWallet, connectBrowserWallet, findViolations, openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const [owner, creator, visitor] = [account(0), account(1), account(2)]
const [HOUR, DAY] = [3_600, 86_400]

t.test('after a transaction of unknown outcome, another one can be sent', { skip }, async (t) => {
  const [chain, browser] = await Promise.all([startChain(t), openBrowser(t)])
  const { contracts } = chain
  const service = await startService(t, { env: { ...chain.env, MAX_LAG_BLOCKS: '100000' } })
  const token = createdToken(await chain.send(creator, calls.create(contracts, 'Pier Cat', 'PIER', parseEther('1'))))
  await chain.send(visitor, calls.buy(contracts, token, visitor.address, parseEther('0.1')))
  await chain.send(visitor, calls.approve(token, contracts.feeStaking))
  const stake = (from: typeof owner, functionName: string, args: unknown[]) =>
    chain.send(from, { to: contracts.feeStaking, abi: feeStakingAbi, functionName, args })
  await stake(owner, 'createPool', [token, token, BigInt(DAY), BigInt(7 * DAY)])
  await stake(visitor, 'stake', [1n, parseEther('10')])
  await chain.send(creator, calls.approve(token, contracts.feeStaking))
  await stake(creator, 'fund', [1n, parseEther('1000')])
  await chain.send(creator, calls.approve(token, contracts.raises))
  const { timestamp } = await chain.client.getBlock()
  const terms = {
    ...{ token, registrationRequired: false, quorumBps: 4_000, votingDelay: HOUR, votingPeriod: HOUR },
    ...{ registrationStart: 0n, startAt: 0n, endAt: timestamp + BigInt(DAY), tokenAmount: parseEther('1000') },
    ...{ goalMin: parseEther('4'), goalMax: parseEther('10'), walletMin: 0n, walletMax: 0n },
    ...{ title: 'The pier', metadataURI: '' },
  }
  await chain.send(creator, { to: contracts.raises, abi: raisesAbi, functionName: 'createRaise', args: [terms] })
  await until(
    () => service.request('GET', '/raises'),
    ({ body }) => body.data.items.length === 1,
    'the raise is indexed',
  )

  const entered = await visit(browser)
  const { page } = entered
  const request = (method: string, params: unknown[]) => chain.rpc(method, ...params)
  await announceWallet(entered, { name: 'Pier Wallet', address: visitor.address, request })
  // The test moves the page's timers forward instead of waiting for them.
  await page.clock.install()
  await page.goto(`${service.url}/app/staking`)
  await connectBrowserWallet(page, 'Pier Wallet')
  const button = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
  const becomesEnabled = (name: string) =>
    until(
      () => button(name).isEnabled(),
      (isEnabled) => isEnabled,
      `${name} is enabled`,
    )
  const message = page.getByRole('alert').filter({ hasText: 'was sent and may still be mined' })
  /** Sends with a button while the chain makes no blocks, until the page no longer waits. */
  const sendInVain = async (name: string, check: () => Promise<unknown> = async () => {}) => {
    await chain.rpc('evm_setAutomine', false)
    await button(name).click()
    await page.getByText('Waiting for the block…').waitFor()
    await page.clock.fastForward(125_000)
    await message.waitFor()
    await check()
    await chain.rpc('evm_mine')
    await chain.rpc('evm_setAutomine', true)
  }
  /** Whether an amount that was sent has to be typed again, below the message. */
  const retype = async (t: Test, label: RegExp, name: string) => {
    const field = page.getByRole('textbox', { name: label })
    t.equal(await field.inputValue(), '', 'the amount is gone')
    t.ok(await button(name).isDisabled(), 'and nothing is sent twice by another click')
    await field.fill('1')
    await becomesEnabled(name)
    t.ok(await message.isVisible())
    t.same(await findViolations(page), [])
  }

  const lookAgain = button('Look again')

  await t.test('a transaction that was not mined in time is found again', async (t) => {
    await page.getByRole('textbox', { name: /^Amount of/ }).fill('1')
    await sendInVain('Unstake', async () => {
      await lookAgain.click()
      await page.getByText('Waiting for the block…').waitFor()
      await page.clock.fastForward(16_000)
      await message.waitFor()
    })
    await lookAgain.click()
    await page.getByText('Done.').waitFor()
    t.equal(await message.count(), 0)
  })

  await t.test('an amount to unstake is typed again', async (t) => {
    await page.getByRole('textbox', { name: /^Amount of/ }).fill('2')
    await sendInVain('Unstake')
    await retype(t, /^Amount of/, 'Unstake')
    await button('Unstake').click()
    await page.getByText('Done.').waitFor()
    t.equal(await message.count(), 0)
  })

  await t.test('rewards can be claimed again', async (t) => {
    await sendInVain('Claim', () => becomesEnabled('Claim'))
    t.ok(await message.isVisible())
  })

  await t.test('a commitment is typed again', async (t) => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Raises' }).click()
    await page.getByRole('link', { name: 'The pier' }).click()
    await page.getByRole('textbox', { name: /^Amount in/ }).fill('1')
    await sendInVain('Commit')
    await retype(t, /^Amount in/, 'Commit')
    await button('Commit').click()
    await page.getByText('Committed.').waitFor()
    t.equal(await message.count(), 0)
  })

  const field = (name: string) => page.getByRole('textbox', { name })
  const isOpen = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const fillLaunch = async (t: Test, name: string) => {
    await page.getByRole('link', { name: 'Launch', exact: true }).click()
    await field('Name').fill(name)
    await field('Symbol').fill('TWICE')
    await field('X').fill('https://x.com/twice')
    await sendInVain('Launch')
    t.ok(await field('Name').isDisabled())
    t.same(await findViolations(page), [])
  }
  const launched = async (name: string) => {
    const { body } = await service.request('GET', `/profiles/${visitor.address}/created`)
    return body.data.items.filter((one: { name: string }) => one.name === name)
  }

  await t.test('a launch is found again, with its links', async (t) => {
    await fillLaunch(t, 'Found Cat')
    await lookAgain.click()
    await isOpen('Found Cat')
    t.match(await launched('Found Cat'), [{ links: { twitter: 'https://x.com/twice' } }])
  })

  await t.test('a form that is sent again launches no second token', async (t) => {
    await fillLaunch(t, 'Twice Cat')
    await button('Change the form').click()
    await field('Description').fill('Again.')
    await button('Launch').click()
    await isOpen('Twice Cat')
    t.equal((await launched('Twice Cat')).length, 1)
  })
})
