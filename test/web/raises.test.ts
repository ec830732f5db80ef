import type { Page } from 'playwright-core'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { announceWallet, findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const [creator, committer, other] = [account(1), account(2), account(3)]
const HOUR = 3_600
const DAY = 24 * HOUR
const WIDTHS = [360, 390, 820, 1440]
/** More than a page of the list has. */
const WITHDRAWN = 21

t.test('all of the life of a raise can be lived in the client', { skip }, async (t) => {
  const [chain, browser] = await Promise.all([startChain(t), openBrowser(t)])
  const { contracts } = chain
  const service = await startService(t, { env: { ...chain.env, MAX_LAG_BLOCKS: '100000' } })
  const token = createdToken(await chain.send(creator, calls.create(contracts, 'Pier Cat', 'PIER', parseEther('1'))))
  await chain.send(creator, calls.approve(token, contracts.raises))
  type Account = typeof creator
  const send = (from: Account, functionName: string, args: unknown[], value = 0n) =>
    chain.send(from, { to: contracts.raises, abi: raisesAbi, functionName, args, value })
  const passTime = async (seconds: number) => {
    await chain.rpc('evm_increaseTime', seconds)
    await chain.rpc('evm_mine')
  }
  const open = async (title: string) => {
    const { timestamp } = await chain.client.getBlock()
    await send(creator, 'createRaise', [
      {
        ...{ token, registrationRequired: false, quorumBps: 4_000, votingDelay: HOUR, votingPeriod: HOUR },
        ...{ registrationStart: 0n, startAt: 0n, endAt: timestamp + BigInt(DAY), tokenAmount: parseEther('1000') },
        ...{ goalMin: parseEther('4'), goalMax: parseEther('10'), walletMin: 0n, walletMax: 0n },
        ...{ title, metadataURI: '' },
      },
    ])
  }
  const raise = async (number: number) =>
    (await service.request('GET', `/raises/${contracts.raises}-${number}`)).body.data
  const isIndexed = (
    number: number,
    isThere: (raise: Awaited<ReturnType<typeof service.request>>['body']['data']) => boolean,
    what: string,
  ) =>
    until(
      () => raise(number),
      (now) => now !== null && isThere(now),
      what,
    )

  /** A page of a wallet that has not signed in. */
  const enter = async ({ address }: Account, number: number): Promise<Page> => {
    const visitor = await visit(browser)
    const request = (method: string, params: unknown[]) => chain.rpc(method, ...params)
    await announceWallet(visitor, { name: 'Pier Wallet', address, request })
    await visitor.page.goto(`${service.url}/app/raises/${contracts.raises.toLowerCase()}-${number}`)
    await visitor.page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).click()
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Pier Wallet' }).click()
    await visitor.page.getByRole('banner').getByRole('button', { name: /^0x/ }).waitFor()
    return visitor.page
  }
  const part = (page: Page) => page.getByRole('region', { name: 'Take part' })
  const escrow = (page: Page, text: string) =>
    page.locator('main dl > div').filter({ hasText: 'In escrow' }).getByText(text, { exact: true }).waitFor()
  const succeeded = (page: Page, what: string) =>
    page.getByRole('region', { name: 'Your transactions' }).getByText(`${what} succeeded.`).waitFor()
  const fits = async (t: Test, page: Page) => {
    t.same(await findViolations(page), [])
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      t.same(await findLayoutFaults(page), [], `${width} px`)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  await open('Called off')
  await open('Too small')
  await open('The pier')
  await send(committer, 'commit', [2n], parseEther('1'))
  await send(committer, 'commit', [3n], parseEther('2'))
  await send(other, 'commit', [3n], parseEther('6'))
  await isIndexed(3, ({ participantCount }) => participantCount === 2, 'the commitments are indexed')

  await t.test('the creator edits the texts of a raise, and nobody else is offered to', async (t) => {
    const stranger = await enter(committer, 3)
    await part(stranger).getByRole('button', { name: 'Commit', exact: true }).waitFor()
    t.equal(await stranger.getByRole('button', { name: 'Edit the details' }).count(), 0)
    await stranger.context().close()
    const page = await enter(creator, 3)
    const header = page.locator('main header')
    const field = (name: string) => header.getByRole('textbox', { name })
    const edit = () => header.getByRole('button', { name: 'Edit the details' }).click()
    const save = async () => {
      await header.getByRole('button', { name: 'Save' }).click()
      await header.getByRole('button', { name: 'Edit the details' }).waitFor()
    }
    const rejection = (error: string) => ({
      ...{ status: 400, contentType: 'application/json', headers: { 'x-error-reason': 'INVALID_INPUT' } },
      body: JSON.stringify({ success: false, data: null, error }),
    })
    await edit()
    await field('Telegram').fill('https://example.org')
    await header.getByText('The Telegram link must be').waitFor()
    await fits(t, page)
    await field('Telegram').fill('@pier')
    await field('Description').fill('A longer pier')
    await page.route('**/raises/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill(rejection('body.links.telegram is reserved'))
        : route.continue(),
    )
    await header.getByRole('button', { name: 'Save' }).click()
    await header.getByText('Is reserved.').waitFor()
    t.equal(await field('Telegram').getAttribute('aria-invalid'), 'true', 'the field that the service rejected')
    t.equal(await header.getByRole('alert').count(), 0, 'which is said once')
    await page.unroute('**/raises/*')
    const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: '#c33' } })
    const file = { name: 'pier.png', mimeType: 'image/png', buffer: await picture.png().toBuffer() }
    await page.getByLabel('Image of the raise').setInputFiles(file)
    await save()
    await header.getByText('A longer pier').waitFor()
    const source = /\/uploads\/[0-9a-f]{64}\.webp$/
    t.match(await header.locator('img').getAttribute('src'), source)
    t.match(await raise(3), { description: 'A longer pier', links: { telegram: 'https://t.me/pier', website: null } })
    await edit()
    t.match(await header.getByRole('img', { name: 'Preview' }).getAttribute('src'), source, 'the present image')
    await header.getByRole('button', { name: 'Remove the image' }).click()
    await save()
    await header.locator('img').waitFor({ state: 'detached' })
    t.match(await raise(3), { description: 'A longer pier', imageUrl: null })
    await page.context().close()
  })

  await t.test('the creator calls an open raise off', async (t) => {
    const page = await enter(creator, 1)
    await part(page).getByRole('button', { name: 'Call the raise off' }).click()
    await fits(t, page)
    await part(page).getByRole('button', { name: 'Call it off for good' }).click()
    await page.getByText('Cancelled', { exact: true }).waitFor()
    await part(page).getByRole('button', { name: 'Call the raise off' }).waitFor({ state: 'hidden' })
    t.equal(await part(page).getByText('Commitments can be taken back').count(), 0, 'nobody committed')
    await page.context().close()
    const stranger = await enter(committer, 2)
    await part(stranger).getByRole('button', { name: 'Commit', exact: true }).waitFor()
    t.equal(await part(stranger).getByRole('button', { name: 'Call the raise off' }).count(), 0)
    await stranger.context().close()
  })

  await passTime(2 * DAY)
  await isIndexed(2, ({ status }) => status === 'failed', 'the raise failed')

  await t.test('a failed raise gives its tokens back, and its commitments to those who sign in', async (t) => {
    const page = await enter(creator, 2)
    await part(page).getByText('Finalizing a failed raise returns its tokens to the creator.').waitFor()
    await part(page).getByRole('button', { name: 'Finalize the raise' }).click()
    await part(page).getByRole('button', { name: 'Finalize the raise' }).waitFor({ state: 'hidden' })
    await succeeded(page, 'Finalization of the raise')
    await escrow(page, '1 ETH')
    const refunded = await enter(committer, 2)
    t.equal(
      await part(refunded)
        .getByRole('button', { name: /^Take back/ })
        .count(),
      0,
    )
    await part(refunded).getByRole('button', { name: 'Sign in to see your commitment' }).click()
    await part(refunded).getByRole('button', { name: 'Take back 1 ETH' }).click()
    await succeeded(refunded, 'Refund')
    await escrow(refunded, '0 ETH')
    await escrow(page, '0 ETH')
    await refunded.context().close()
    await page.context().close()
  })

  await send(creator, 'finalize', [3n])
  await send(other, 'propose', [3n, parseEther('1'), other.address, 'Build the pier', ''])
  await passTime(HOUR)
  await send(other, 'vote', [1n, 1])
  // To the end of the vote, and of the time in which others can leave before the payment.
  await passTime(2 * HOUR)
  for (let number = 0; number < WITHDRAWN; number++) {
    await send(creator, 'propose', [3n, 1n, creator.address, `Noise ${number}`, ''])
    await send(creator, 'cancelProposal', [BigInt(number + 2)])
  }
  await isIndexed(3, ({ proposalCount }) => proposalCount === WITHDRAWN + 1, 'the proposals are indexed')

  await t.test(
    'a proposal that passed is shown before many that were withdrawn, and a committer signs in to leave',
    async (t) => {
      const page = await enter(committer, 3)
      const proposals = page.getByRole('region', { name: /^Proposals/ })
      await proposals.getByRole('heading', { level: 3, name: 'Build the pier' }).waitFor()
      t.equal(await proposals.getByRole('heading', { level: 3 }).first().textContent(), 'Build the pier')
      t.equal(await proposals.getByRole('heading', { level: 3 }).count(), WITHDRAWN)
      await proposals.getByRole('button', { name: 'Show more' }).click()
      await proposals.getByRole('heading', { level: 3, name: 'Noise 0', exact: true }).waitFor()
      await proposals.getByRole('button', { name: 'Execute' }).waitFor()
      await proposals.getByRole('button', { name: 'Sign in to leave with your share' }).click()
      await proposals.getByRole('button', { name: 'Leave with 2 ETH' }).waitFor()
      await fits(t, page)
      await part(page)
        .getByRole('button', { name: /^Claim 250 PIER/ })
        .click()
      await succeeded(page, 'Claim of tokens')
      await page
        .getByRole('region', { name: 'Commitments', exact: true })
        .getByRole('row', { name: /Claimed/ })
        .waitFor()
      await page.context().close()
    },
  )

  await t.test('a proposal says what is missing', async () => {
    const page = await enter(creator, 3)
    const proposals = page.getByRole('region', { name: /^Proposals/ })
    await proposals.getByRole('button', { name: 'Propose', exact: true }).click()
    await proposals.getByRole('textbox', { name: 'Recipient' }).fill('0x123')
    await proposals.getByText('Enter the address of a wallet: 0x and 40 digits.').waitFor()
    await proposals.getByRole('button', { name: 'Propose the release' }).click()
    await proposals.getByText('A title is required.').waitFor()
    await proposals.getByText('How much is released?').waitFor()
    await page.context().close()
  })

  await t.test('the creator proposes a dissolution, and withdraws it', async (t) => {
    const page = await enter(creator, 3)
    const proposals = page.getByRole('region', { name: /^Proposals/ })
    await proposals.getByRole('button', { name: 'Propose', exact: true }).click()
    await proposals.getByRole('combobox', { name: 'Purpose' }).selectOption('dissolve')
    await proposals.getByRole('textbox', { name: 'Title' }).fill('Give it back')
    await fits(t, page)
    await proposals.getByRole('button', { name: 'Propose the dissolution' }).click()
    const item = proposals.getByRole('listitem').filter({ hasText: 'Give it back' })
    await item.getByText('Dissolve the raise and refund the rest').waitFor()
    await item.getByRole('button', { name: 'Withdraw the proposal' }).click()
    await item.getByRole('button', { name: 'Withdraw it for good' }).click()
    await item.getByText('Cancelled', { exact: true }).waitFor()
    await page.context().close()
  })

  await t.test('a raise that released nothing for half a year is dissolved by anyone, and pays all back', async (t) => {
    const early = await enter(other, 3)
    await part(early).getByRole('button', { name: 'Sign in to see your commitment' }).waitFor()
    t.equal(await part(early).getByRole('button', { name: 'Dissolve the raise' }).count(), 0)
    await early.context().close()
    await passTime(181 * DAY)
    await send(other, 'claim', [3n])
    const asOf = BigInt((await chain.client.getBlock()).timestamp)
    await isIndexed(3, (now) => Date.parse(now.asOf) >= Number(asOf) * 1_000, 'the time has passed')

    const page = await enter(committer, 3)
    await part(page).getByRole('button', { name: 'Dissolve the raise' }).click()
    await part(page).getByRole('button', { name: 'Dissolve it for good' }).click()
    await part(page).getByText('The raise was dissolved.').waitFor()
    await escrow(page, '8 ETH')
    await part(page)
      .getByRole('button', { name: /^Take back 2 ETH/ })
      .click()
    await escrow(page, '6 ETH')
    const sending = part(page).getByRole('button', { name: 'Send 250 PIER to the creator' })
    await part(page).getByText('Management', { exact: true }).waitFor()
    t.notOk(await sending.isVisible(), 'which is of no use to others')
    await part(page).getByText('Management', { exact: true }).click()
    await sending.waitFor()
    await part(page).getByText('Refunds returned 250 PIER, which belong to the creator.').waitFor()
    await fits(t, page)
    await chain.send(other, calls.approve(token, contracts.raises))
    await send(other, 'refund', [3n])
    await escrow(page, '0 ETH')
    await fits(t, page)
    await page.context().close()

    const owner = await enter(creator, 3)
    await part(owner)
      .getByRole('button', { name: /^Reclaim 1.* PIER$/ })
      .click()
    await isIndexed(3, ({ tokensReclaimable }) => tokensReclaimable === '0', 'the creator has the tokens')
    await owner.context().close()
  })
})
