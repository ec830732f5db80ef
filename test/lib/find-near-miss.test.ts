import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { findNearMiss } from '../../lib/text/find-near-miss.ts'
import { ROOT } from '../groups/groups.ts'

t.test('a name in another style, or one edit away, is a near miss', async (t) => {
  const known = ['from', 'wallet', 'minQuote', 'minTrades.h1', 'minTrades.h6', 'side', 'to']
  const cases: [name: string, meant: string | undefined][] = [
    ['wallett', 'wallet'],
    ['walet', 'wallet'],
    ['wallat', 'wallet'],
    ['wlalet', 'wallet'],
    ['Wallet[0]', 'wallet'],
    ['min_quote', 'minQuote'],
    ['min-quote', 'minQuote'],
    ['MINTRADES.H6', 'minTrades.h6'],
    ['minTrades_h6', 'minTrades.h6'],
    ['form', 'from'],
    ['TO', 'to'],
    ['waalltt', undefined],
    ['sid', undefined],
    ['ts', undefined],
    ['', undefined],
  ]
  for (const [name, meant] of cases) t.equal(findNearMiss(name, known), meant, name)
})

t.test('parameters that other programs add are no near misses of any operation', async (t) => {
  const { paths } = parse(readFileSync(`${ROOT}openapi.yaml`, 'utf8')) as {
    paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>
  }
  const foreign =
    '_ t ts v cb r s si rnd rand random nocache cache cachebust bust time timestamp date utm_source utm_medium utm_campaign ' +
    'utm_term utm_content utm_id gclid gbraid wbraid fbclid msclkid twclid ttclid li_fat_id igshid mc_cid mc_eid _ga _gl _hsenc ref ' +
    'referrer source key apikey api_key access_token format callback pretty fields lang locale hl sid session nonce hash version'
  for (const [path, operations] of Object.entries(paths)) {
    const parameters = Object.values(operations).flatMap((operation) => operation.parameters ?? [])
    const known = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
    for (const name of foreign.split(' ')) t.equal(findNearMiss(name, known), undefined, `${path}?${name}`)
  }
})
