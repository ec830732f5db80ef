import t from 'tap'
import { type Abi, type Address, getAddress, parseEther } from 'viem'
import { flapPortalAbi } from '../../contracts/artifacts/abi/flap-portal.ts'
import { type Receipt, startChain } from '../support/chain-fixture.ts'
import { venueEvents } from '../support/launchpads/abi.ts'
import { deployFlap, deployPancakeV3, FLAP_TERMS, pancakePool } from '../support/launchpads/flap.ts'
import { type NamedLog, nameLogs } from '../support/launchpads/logs.ts'

const SUPPLY = parseEther('1000000000')
const ceilDiv = (value: bigint, divisor: bigint) => (value + divisor - 1n) / divisor
const argsOf = (logs: readonly NamedLog[], title: string) => logs.find((log) => log.title === title)!.args

t.test('a curve of Flap reports its terms and what is sold, and opens a pool of PancakeSwap V3', async (t) => {
  const host = await startChain(t)
  const [, creator, alice] = host.accounts as Address[]
  const flap = await deployFlap(host, { pools: await deployPancakeV3(host) })
  const weth = host.deployed.weth as Address
  const events: Abi = [...venueEvents, ...flapPortalAbi]
  const name = (receipt: Receipt, token: Address, pool?: Address) =>
    nameLogs(receipt, events, {
      ...{ token, portal: flap.address, weth, ...(pool && { pool }) },
    })
  const { token, receipt } = await flap.createToken(creator!, { migrator: 'v3', taxBps: 300n, value: parseEther('1') })
  const launch = name(receipt, token)
  t.same(
    launch.map(({ title }) => title),
    [
      ...['token Transfer', 'portal TokenCreated', 'portal TokenCurveSetV2', 'portal TokenDexSupplyThreshSet'],
      ...['portal TokenVersionSet', 'portal TokenQuoteSet', 'portal TokenMigratorSet', 'portal TokenDexPreferenceSet'],
      ...['portal FlapTokenTaxSet', 'token Transfer', 'portal FlapTokenCirculatingSupplyChanged', 'portal TokenBought'],
      ...['portal TaxV2OnBondingCurvePaid', 'portal FlapTokenProgressChanged'],
    ],
  )
  const { r, h, k, threshold } = FLAP_TERMS
  const bought = argsOf(launch, 'portal TokenBought') as Record<string, bigint>
  t.match(bought, { eth: parseEther('1'), fee: parseEther('0.01') })
  const left = SUPPLY + h - bought.amount!
  t.equal(left, ceilDiv(k * 10n ** 18n, r + parseEther('0.96')), 'the fee and the tax do not reach the curve')
  t.equal(bought.postPrice, (((k * 10n ** 18n) / left) * 10n ** 18n) / left)

  const last = await flap.buy(alice!, token, parseEther('100'))
  const pool = pancakePool(flap.pools, token, weth)
  const ended = name(last, token, pool)
  t.equal(argsOf(ended, 'portal FlapTokenCirculatingSupplyChanged').newSupply, threshold)
  t.equal(ended.at(-1)!.title, 'portal LaunchedToDEX')
  t.match(argsOf(ended, 'portal LaunchedToDEX'), {
    token: getAddress(token),
    pool: getAddress(pool),
    amount: SUPPLY - threshold,
    eth: parseEther('5'),
  })
})
