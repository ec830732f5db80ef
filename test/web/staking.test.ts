import t from 'tap'
import { parseEther } from 'viem'
import { account } from '../acceptance/support/chain.ts'
import { startService } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const WIDTHS = [360, 390, 820, 1440]
/** With more decimals than a rounded figure shows. */
const EXACT = '2.000000000000000123'
const DAY_MS = 86_400_000
const [CONTRACT, TOKEN, NATIVE] = ['1', '2', '0'].map((digit) => `0x${digit.repeat(40)}`)

t.test('a staking pool says what unstaking more does to pending tokens', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off' } })
  const browser = await openBrowser(t)
  const { page } = await visit(browser)
  const at = (time: number) => new Date(time).toISOString()
  const now = Date.now()
  const chainFields = { blockNumber: 1, txHash: `0x${'3'.repeat(64)}`, logIndex: 0, confirmed: true }
  const quote = { address: NATIVE, symbol: 'ETH', decimals: 18, isNative: true }
  const pool = {
    ...{ id: `${CONTRACT}-1`, contract: CONTRACT, number: '1', stakingToken: TOKEN, rewardToken: NATIVE, quote },
    ...{ cooldownSeconds: 259_200, periodSeconds: 604_800, totalStaked: String(parseEther('5')), totalStakedUsd: null },
    ...{ rewardRate: '0', rewardPerDay: '0', periodFinish: null, aprPct: null, totalFunded: '0', totalPaid: '0' },
    ...{ stakerCount: 1, createdAt: at(now), asOf: at(now), ...chainFields },
  }
  let position = {}
  let staked = String(parseEther(EXACT))
  const serve = (path: RegExp, item: () => object) =>
    page.route(path, (route) => route.fulfill({ json: { success: true, data: { items: [item()], nextCursor: null } } }))
  await serve(/\/staking\/pools(\?|$)/, () => pool)
  await serve(/\/staking\/positions(\?|$)/, () => ({
    ...{ ...pool, poolId: pool.id, wallet: account(1).address.toLowerCase(), staked },
    ...{ earned: '0', claimed: '0', ...position },
  }))
  await page.goto(`${service.url}/app`)
  await connectDemo(page, 'harbormaster')

  await t.test('all of the stake can be taken out, and a button that is off says why', async (t) => {
    await page.goto(`${service.url}/app/staking`)
    const field = page.getByRole('textbox', { name: /^Amount of/ })
    const isOff = (name: string) => page.getByRole('button', { name, exact: true }).isDisabled()
    await page.getByText(/^Staked 2 /).waitFor()
    await page.getByRole('button', { name: 'All of the stake' }).click()
    t.equal(await field.inputValue(), EXACT)
    t.notOk(await isOff('Unstake'))
    await field.fill('1000')
    t.ok(await isOff('Unstake'))
    await page.getByText(new RegExp(`^You can only stake this: at most ${EXACT} .* can be unstaked`)).waitFor()
  })

  for (const { what, pendingUnstake, withdrawableAt, says, isReady } of [
    { what: 'nothing is pending', pendingUnstake: '0', withdrawableAt: null, says: null, isReady: false },
    {
      what: 'tokens wait',
      pendingUnstake: String(parseEther('3')),
      withdrawableAt: at(now + DAY_MS),
      says: /^Unstaking more starts the wait of the pending 3 \S+ again\.$/,
      isReady: false,
    },
    {
      what: 'tokens can be withdrawn',
      pendingUnstake: String(parseEther('3')),
      withdrawableAt: at(now - DAY_MS),
      says: /^Withdraw first: unstaking more makes the 3 \S+ that you can withdraw now wait again\.$/,
      isReady: true,
    },
  ])
    await t.test(what, async (t) => {
      position = { pendingUnstake, withdrawableAt }
      staked = String(parseEther('2'))
      await page.goto(`${service.url}/app/staking`)
      await page
        .getByText(/^2 \S+$/)
        .first()
        .waitFor()
      if (says) await page.getByText(says).waitFor()
      else t.equal(await page.getByText(/nstaking more/).count(), 0)
      t.equal(await page.getByRole('button', { name: /^Withdraw 3/, disabled: false }).count(), isReady ? 1 : 0)
      t.same(await findViolations(page), [])
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        t.same(await findLayoutFaults(page), [], `${width} px`)
      }
    })
})
