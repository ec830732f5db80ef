import t from 'tap'
import { createWalletClient, http, parseEther } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const TRANSFER = { to: account(5).address, data: '0x', value: 1n } as const

t.test('a page that stays open shows the present state', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off', FINALITY: '3' } })
  const client = sdk.createClient({ baseUrl: service.url })
  const signerOf = (index: number) =>
    createWalletClient({ account: account(index), transport: http(`${service.url}/rpc`) })
  const creator = signerOf(3)
  const buyer = signerOf(4)
  const { token } = await sdk.launch(client, creator, { name: 'Fresh Fish', symbol: 'FRESH' })
  const buy = () => sdk.trade(client, buyer, { token: token.address, side: 'buy', amount: parseEther('0.01') })
  const browser = await openBrowser(t)

  await t.test('a launch and its trades become final without another event', async (t) => {
    const { page, context } = await visit(browser)
    await page.goto(`${service.url}/app/token/${token.address}`)
    await page.getByTitle('State of the live connection').filter({ hasText: 'Live' }).waitFor()
    await buy()
    const trades = page.getByRole('region', { name: 'Trades', exact: true })
    await trades.getByText('not final yet').waitFor()
    await page.getByText('Faint candles contain trades that are not final yet.').waitFor()
    await page.getByText('Unconfirmed').waitFor()
    // Blocks without an event of the service.
    for (let block = 0; block < 4; block++) await sdk.transact(client, buyer, TRANSFER)
    await page.getByText('All shown trades are final.').waitFor()
    t.equal(await trades.getByText('not final yet').count(), 0)
    t.equal(await page.getByText('Unconfirmed').count(), 0)
    await context.close()
  })
})
