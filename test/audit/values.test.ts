import t from 'tap'
import { type Abi, toEventSelector } from 'viem'
import { Findings, SilentContractError, type Value } from '../../audit/findings.ts'
import { auditedLaunchpads } from '../../audit/launchpads/index.ts'
import { LotAudit, type LotTrade } from '../../audit/lots.ts'
import { configuredTopics, createdTopics } from '../../audit/topics.ts'
import { TrendAudit } from '../../audit/trend.ts'
import { truncateText, validateArgs } from '../../audit/validate-args.ts'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { launchpadKinds } from '../../launchpads/kinds.ts'

/** Findings, with the lines that they report. */
function record() {
  const lines: string[] = []
  return { lines, findings: new Findings((line) => lines.push(line)) }
}

t.test('every launchpad that is followed has an oracle', async (t) => {
  const deployments = Object.values(launchpadKinds).map(({ deployment }) => deployment)
  t.strictSame(Object.keys(auditedLaunchpads).toSorted(), deployments.toSorted(), 'add it to audit/launchpads/index.ts')
})

t.test('values differ if their texts do, floats from a billionth on', async (t) => {
  const cases: [subject: string, stored: Value | undefined, expected: Value, isSame: boolean][] = [
    ['price', null, null, true],
    ['price', undefined, null, true],
    ['price', 0, null, false],
    ['price', null, 0, false],
    ['symbol', 'null', null, false],
    ['symbol', null, 'null', false],
    ['amount', '12', 12n, true],
    ['amount', '12', 13n, false],
    ['flag', true, true, true],
    ['flag', true, false, false],
    ['count', 1_000_000_000_000, 1_000_000_000_001, false],
    ['price', 0.1, 0.1 * (1 + 9e-10), true],
    ['price', 0.1, 0.1 * (1 - 9e-10), true],
    ['price', 0.1, 0.1 * (1 + 2e-9), false],
    ['price', -0.1, -0.1 * (1 + 9e-10), true],
    ['price', 1, 1.0000000009, true],
    ['price', 1.0000000009, 1, true],
    ['price', 1, 1.000000002, false],
    ['price', '0.1', 0.10000000001, false],
    ['price', 0.1, '0.10000000001', false],
    ['token 0x trend', 5, 5.0000000009, true],
    ['token 0x trend', 5, 5.000000002, false],
    ['token 0x trend', 5.000000002, 5, false],
    ['token 0x trend', 0, 9e-10, true],
    ['token 0x trend', 0, 1e-9, true],
    ['token 0x price', 0, 9e-10, false],
    ['token 0x trend', Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, true],
  ]
  for (const [subject, stored, expected, isSame] of cases) {
    const { lines, findings } = record()
    findings.compare(subject, stored, expected)
    const shown = (value: Value | undefined) => value ?? 'nothing'
    const line = `${subject}: stored ${shown(stored)}, should be ${shown(expected)}`
    t.strictSame(lines, isSame ? [] : [line], `${subject} ${stored} ${expected}`)
    t.strictSame([findings.compared, findings.differences], [1, isSame ? 0 : 1])
  }
})

t.test('rows are compared by the expected columns, and a missing row is one difference', async (t) => {
  const { lines, findings } = record()
  findings.compareMaps(
    'row',
    new Map([
      ['both', { a: 1, b: 2, unknown: 9 }],
      ['stored', { a: 1 }],
    ]),
    new Map([
      ['both', { a: 1, b: 3 }],
      ['expected', { a: 1n, b: 2 }],
    ]),
  )
  t.strictSame(lines, [
    'row both b: stored 2, should be 3',
    'row stored: stored, but should not be: {"a":1}',
    'row expected: missing; should be {"a":"1","b":2}',
  ])
  t.strictSame([findings.compared, findings.differences], [4, 3])
  findings.compareRows('row', undefined, undefined)
  t.strictSame([findings.compared, findings.differences], [5, 3])
})

t.test('a contract that lacks a function is a difference, any other failure is thrown', async (t) => {
  const { lines, findings } = record()
  await findings.attempt('token', async () => {
    throw new SilentContractError('has no such function')
  })
  await findings.attempt('token', async () => {})
  t.strictSame([lines, findings.compared], [['token: has no such function'], 0])
  await t.rejects(
    findings.attempt('token', async () => {
      throw new Error('no node')
    }),
    { message: 'no node' },
  )
})

t.test('arguments out of bounds make an event invalid', async (t) => {
  const max = 2n ** 128n - 1n
  const cases: [args: Record<string, unknown>, isValid: boolean][] = [
    [{ amount: max }, true],
    [{ amount: max + 1n }, false],
    [{ raiseId: max * max }, true],
    [{ proposalId: max * max }, true],
    [{ poolId: max * max }, true],
    [{ registeredCount: 2n ** 32n - 1n }, true],
    [{ registeredCount: 2n ** 32n }, false],
    [{ participantCount: 2n ** 32n }, false],
    [{ rewardRate: max * 10n ** 36n }, true],
    [{ rewardRate: (max + 1n) * 10n ** 36n - 1n }, true],
    [{ rewardPerToken: (max + 1n) * 10n ** 36n }, false],
    [{ support: 2 }, true],
    [{ support: 3 }, false],
    [{ status: 7 }, true],
    [{ status: 8 }, false],
    [{ params: { tokenAmount: max } }, true],
    [{ params: { tokenAmount: max + 1n } }, false],
    [{ protocolFeeBps: 4_000, creatorFeeBps: 6_000 }, true],
    [{ protocolFeeBps: 4_000, creatorFeeBps: 6_001 }, false],
    [{ quorumBps: 10_000 }, true],
    [{ quorumBps: 10_001 }, false],
    [{ recipients: [], bps: [] }, true],
    [{ recipients: ['0x1', '0x2'], bps: [4_000, 6_000] }, true],
    [{ recipients: ['0x1', '0x2'], bps: [4_000, 6_001] }, false],
    [{ recipients: ['0x1', '0x2'], bps: [4_000, 5_999] }, false],
    [{ recipients: ['0x1'], bps: [4_000, 6_000] }, false],
    [{ bps: [10_000] }, false],
    [{ recipients: Array(10).fill('0x1'), bps: Array(10).fill(1_000) }, true],
    [{ recipients: Array(11).fill('0x1'), bps: [...Array(10).fill(1_000), 0] }, false],
    [{ title: 'text', recipient: '0x1' }, true],
  ]
  for (const [args, isValid] of cases) {
    const shown = JSON.stringify(args, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
    t.strictSame(validateArgs(args), isValid ? args : undefined, shown)
  }
})

t.test('times are capped at the end of the year 9999', async (t) => {
  const end = BigInt(Date.UTC(9_999, 11, 31, 23, 59, 59) / 1_000)
  t.strictSame(validateArgs({ startAt: 5n, endAt: end + 1n, voteEnd: 2n ** 64n - 1n, amount: end + 1n }), {
    ...{ startAt: 5n, endAt: end, voteEnd: end, amount: end + 1n },
  })
  t.strictSame(validateArgs({ params: { endAt: end + 1n } }), { params: { endAt: end } })
  t.strictSame(validateArgs({ support: 1 }), { support: 1 }, 'a number stays one')
})

t.test('texts are truncated, and a URI that is too long is empty', async (t) => {
  t.equal(truncateText('name', 'n'.repeat(129)), 'n'.repeat(128))
  t.equal(truncateText('symbol', 's'.repeat(33)), 's'.repeat(32))
  t.equal(truncateText('title', 't'.repeat(200)), 't'.repeat(200))
  t.equal(truncateText('symbol', `${'s'.repeat(31)}\u{1f600}`), 's'.repeat(31), 'no half of a character')
  t.equal(truncateText('symbol', `${'s'.repeat(30)}\u{1f600}`), `${'s'.repeat(30)}\u{1f600}`)
  t.equal(truncateText('symbol', `${'s'.repeat(30)}  s`), 's'.repeat(30), 'no space at the end')
  t.equal(truncateText('other', 'o'.repeat(500)), 'o'.repeat(500))
  t.equal(truncateText('other', ''), '')
  for (const name of ['contractURI', 'metadataURI', 'descriptionURI']) {
    t.equal(truncateText(name, 'u'.repeat(2_048)), 'u'.repeat(2_048))
    t.equal(truncateText(name, 'u'.repeat(2_049)), '')
  }
})

t.test('the trend halves in 180 minutes', async (t) => {
  const trend = (...trades: [minutes: number, volume: bigint][]) => {
    const audit = new TrendAudit()
    for (const [minutes, volume] of trades) audit.add(minutes * 60, volume)
    return audit.expect()
  }
  const near = (value: Value | undefined, expected: number) =>
    t.ok(Math.abs(Number(value) - expected) < 1e-9, `${value}`)
  t.strictSame(trend(), { trend: Number.NEGATIVE_INFINITY, trend_sum: 0n, trend_exponent: 0 })
  t.strictSame(trend([0, 0n]), { trend: Number.NEGATIVE_INFINITY, trend_sum: 0n, trend_exponent: 0 })
  t.match(trend([0, 1n]), { trend_sum: 1n, trend_exponent: 0 })
  t.match(trend([180, 1n]), { trend_sum: 1n, trend_exponent: 1 })
  t.match(trend([0, 3n]), { trend_sum: 3n, trend_exponent: 0 })
  t.match(trend([180, 1n], [0, 1n]), { trend_sum: 3n, trend_exponent: 0 })
  t.match(trend([360, 1n], [180, 2n]), { trend_sum: 1n, trend_exponent: 3 })
  near(trend([0, 10n ** 18n]).trend, 0)
  near(trend([180, 10n ** 18n]).trend, 1)
  near(trend([90, 10n ** 18n]).trend, 0.5)
  near(trend([179, 10n ** 30n]).trend, 12 * Math.log2(10) + 179 / 180)
  t.strictSame(trend([90, 1n]).trend_sum, BigInt(Math.floor(Math.SQRT2 * 2 ** 40)))
  const summed = new TrendAudit()
  summed.add(0, 1n)
  summed.addSum(2n ** 40n, -40)
  summed.addSum(2n ** 40n, -39)
  t.match(summed.expect(), { trend_sum: 1n, trend_exponent: 2 })
})

t.test('the audit takes every event of the ABIs that has a meaning', async (t) => {
  const topicsOf = (abi: Abi) =>
    abi.flatMap((item) =>
      item.type === 'event' && !item.name.startsWith('Ownership') ? [toEventSelector(item) as string] : [],
    )
  const missing = [...topicsOf(feeStakingAbi), ...topicsOf(raisesAbi)].filter(
    (topic) => !(configuredTopics as string[]).includes(topic),
  )
  t.strictSame(missing, [])
  t.equal(new Set([...configuredTopics, ...createdTopics]).size, configuredTopics.length + 9)
})

const ann = '0xann'
const trade = (side: string, tokens: bigint, quote: bigint, more: Partial<LotTrade> = {}): LotTrade => ({
  ...{ block_number: 100, log_index: 1, trader: ann, trader_known: true, side, value_usd: null },
  ...{ token_amount: String(tokens), quote_amount: String(quote), realized: null, realized_usd: null },
  ...{ value_native: null, realized_native: null, ...more },
})

t.test('a sale realizes its proceeds less the average cost', async (t) => {
  const lines = (trades: LotTrade[], archived: Record<string, Value>[] = []) => {
    const { lines, findings } = record()
    const lots = new LotAudit(findings, '0xtoken', archived)
    for (const one of trades) lots.add(one)
    return lines.map((line) => line.replace('trade 100/1 ', ''))
  }
  const bought = trade('buy', 100n, 40n, { value_usd: '8.00000000' })
  const sold = (realized: bigint, usd: string, more = {}) => ({
    ...trade('sell', 50n, 30n, { value_usd: '6.00000000' }),
    ...{ realized: String(realized), realized_usd: usd, ...more },
  })
  t.strictSame(lines([bought, sold(10n, '2.00000000')]), [])
  t.strictSame(lines([bought, sold(11n, '2.00000001')]), [
    'realized: stored 11, should be 10',
    'realized_usd: stored 2.00000001, should be 2.00000000',
  ])
  t.strictSame(lines([{ ...bought, realized: '0' }]), ['realized: stored 0, should be nothing'], 'a buy has none')
  t.strictSame(lines([bought, bought, sold(10n, '2.00000000'), sold(10n, '2.00000000')]), [], 'the rest keeps its cost')
  t.strictSame(
    lines([bought, sold(10n, '2.00000000', { trader: '0xbob', realized: '0', realized_usd: '0.00000000' })]),
    [],
  )
  const all = trade('sell', 100n, 30n, { value_usd: '6.00000000', realized: '-10', realized_usd: '-2.00000000' })
  t.strictSame(lines([bought, all, sold(0n, '0.00000000')]), [], 'without a lot there is no profit')
  const more = trade('sell', 200n, 100n, { value_usd: '20.00000000', realized: '10', realized_usd: '2.00000000' })
  t.strictSame(lines([bought, more]), [], 'only the part of the lot counts')
  const nothing = trade('sell', 0n, 5n, { realized: '0', realized_usd: '0.00000000' })
  t.strictSame(lines([bought, nothing]), [])
  const byUnknown = trade('sell', 50n, 30n, { trader_known: false })
  t.strictSame(lines([bought, byUnknown, sold(10n, '2.00000000')]), [], 'an unknown seller reduces no lot')
})

t.test('archived trades count by the lot that they left', async (t) => {
  const { lines, findings } = record()
  const archived = {
    ...{ wallet: ann, lot_tokens: '100', lot_cost: '40', lot_cost_usd: '8.00000000' },
    ...{ lot_realized: '7', lot_realized_usd: '1.00000000', stop: 100 },
  }
  const lots = new LotAudit(findings, '0xtoken', [archived])
  const sale = trade('sell', 50n, 30n, { value_usd: '6.00000000', realized: '10', realized_usd: '2.00000000' })
  lots.add({ ...sale, block_number: 99, realized: 'is not compared' })
  lots.add(sale)
  t.strictSame(lines, [])
  lots.add(sale)
  lots.add(sale)
  t.match(lines, [/realized: stored 10, should be 0/, /realized_usd/])
})
