import t from 'tap'
import { startService } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const MINUTE = 60_000
const [CONTRACT, TOKEN, NATIVE] = ['1', '2', '0'].map((digit) => `0x${digit.repeat(40)}`)

t.test('a wrong clock of the browser changes nothing', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off' } })
  const browser = await openBrowser(t)
  const at = (time: number) => new Date(time).toISOString()
  const start = Date.now()
  const quote = { address: NATIVE, symbol: 'ETH', decimals: 18, isNative: true }
  const pool = {
    ...{ id: `${CONTRACT}-1`, contract: CONTRACT, number: '1', stakingToken: TOKEN, rewardToken: NATIVE, quote },
    ...{ cooldownSeconds: 259_200, periodSeconds: 604_800, totalStaked: '0', totalStakedUsd: null, stakerCount: 0 },
    ...{ rewardRate: '0', rewardPerDay: '0', aprPct: null, totalFunded: '0', totalPaid: '0', confirmed: true },
    ...{ createdAt: at(start), asOf: at(start), blockNumber: 1, txHash: `0x${'3'.repeat(64)}`, logIndex: 0 },
  }

  // A sign-in is valid for 24 hours.
  for (const hours of [-2, 2, 48])
    await t.test(`${hours} hours`, async (t) => {
      const { page } = await visit(browser)
      await page.clock.install({ time: Date.now() + hours * 60 * MINUTE })
      await page.route(/\/staking\/pools(\?|$)/, (route) => {
        const periodFinish = at(Date.now() + 89.5 * MINUTE)
        const data = { items: [{ ...pool, periodFinish }], nextCursor: null }
        return route.fulfill({ json: { success: true, data } })
      })
      await page.goto(`${service.url}/app/staking`)
      await page.getByText('The funded rewards end in 1h 30m.').waitFor()

      // The contract rejects a launch whose deadline has passed.
      await connectDemo(page, 'harbormaster')
      await page.getByRole('link', { name: 'Launch', exact: true }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill(`Clock ${hours}`)
      await page.getByRole('textbox', { name: 'Symbol' }).fill('TICK')
      await page.getByRole('main').getByRole('button', { name: 'Launch' }).click()
      await page.getByRole('heading', { level: 1, name: `Clock ${hours}` }).waitFor()

      let nonces = 0
      page.on('request', (request) => {
        if (request.url().endsWith('/auth/nonce')) nonces += 1
      })
      await page.reload()
      await page.getByRole('link', { name: /^Notifications/ }).waitFor()
      t.equal(nonces, 0, 'still signed in after a reload')
    })
})
