import t from 'tap'
import { ConfigError, loadConfig } from '../config/config.ts'

const problemsOf = (DEPLOYMENTS: string): readonly string[] => {
  try {
    loadConfig({ DEPLOYMENTS })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}
const check = (...entries: unknown[]) => problemsOf(JSON.stringify(entries))

t.test('problems of DEPLOYMENTS name the entry and its field', async (t) => {
  const [address, other] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]
  const launchpad = { kind: 'launchpad', address, startBlock: 7 }
  t.match(check(launchpad, { kind: 'launchpd', address: other, startblock: 7 }), [
    'DEPLOYMENTS[1].startBlock is missing; expected the block of its creation, an integer',
    'DEPLOYMENTS[1].startblock is unknown; expected no such field',
    /^DEPLOYMENTS\[1\]\.kind is "launchpd"; expected one of launchpad, /,
  ])
  t.same(check(launchpad, 'x'), ['DEPLOYMENTS[1] is "x"; expected an object of kind, address, startBlock'])
  t.same(check({ ...launchpad, address: '0x12' }), ['DEPLOYMENTS[0].address is "0x12"; expected 0x and 40 hex digits'])
  t.match(problemsOf('{'), [/^DEPLOYMENTS is "\{"; expected a JSON array of /])
})

t.test('DEPLOYMENTS names a contract once, but for exchanges that serve several kinds of launchpads', async (t) => {
  const entry = { kind: 'launchpad', address: `0x${'ab'.repeat(20)}`, startBlock: 7 }
  const twice = 'DEPLOYMENTS[1].address is also that of [0], with another kind or startBlock; expected one entry for it'
  t.same(check(entry, { ...entry, startBlock: 8 }), [twice])
  t.same(check(entry, { ...entry, address: `0x${'AB'.repeat(20)}`, kind: 'staking' }), [twice])
  t.same(check(entry, entry), [])
  t.same(check({ ...entry, kind: 'uniswap-router' }, { ...entry, kind: 'uniswap-v2-router' }), [])
})
