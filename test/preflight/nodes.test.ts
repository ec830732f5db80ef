import t from 'tap'
import { checkNodes } from '../../preflight/check-node.ts'
import { describe, type Finding } from '../../preflight/finding.ts'
import { startChain } from '../support/chain-fixture.ts'
import { failure, on, result, startHostileNode } from '../support/hostile/node.ts'
import { METHODS, shapes } from '../support/hostile/shapes.ts'

const { anvil, config, node } = await startChain(t)
await node.mine()
const hostile = await startHostileNode(t, anvil.url)
const listProblems = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== 'ok').map(describe)
const check = async (rpcUrls: string[]) => listProblems(await checkNodes({ ...config, rpcUrls, maxBlockAge: 0 }))

t.test('a method that a node rejects or answers invalidly is reported with its effect', async (t) => {
  const named: Record<string, RegExp> = {
    'HTTP 403 with JSON that is no JSON-RPC': /HTTP 403/,
    'an error that is a text': /error -32000/,
    'a page of HTML with status 200': /an invalid response/,
    'an object as the result': /an invalid response/,
  }
  for (const [name, reason] of Object.entries(named)) {
    for (const method of METHODS) {
      hostile.follow(on(method, shapes[name]!.make))
      const [first = ''] = await check([hostile.url])
      if (method === 'eth_chainId') t.match(first, /^FAIL {2}RPC_URL: node 1 does not respond/, name)
      else if (method === 'eth_getLogs') t.match(first, /^FAIL {2}RPC_URL: node 1 does not answer eth_getLogs\./, name)
      else {
        const level = method === 'eth_getBlockReceipts' ? 'WARN' : 'FAIL'
        t.match(first, new RegExp(`^${level} {2}RPC_URL: node 1 does not answer ${method} \\(.*without it`), name)
        t.match(first, reason, name)
      }
    }
  }
  hostile.follow(on('eth_getBlockReceipts', () => result(null)))
  t.match(await check([hostile.url]), [
    /^WARN {2}RPC_URL: node 1 does not answer eth_getBlockReceipts \(null\): everything works without it, but logs near/,
  ])
})

t.test('nodes of different chains in one list are reported', async (t) => {
  t.same(await check([anvil.url, hostile.url]).then(() => check([anvil.url, anvil.url])), [])
  const hash = `0x${'77'.repeat(32)}`
  hostile.follow(
    on('eth_getBlockByNumber', async (call, ask) => {
      const answer = await ask(call)
      return call.params[0] === '0x0' && 'result' in answer ? result({ ...(answer.result as object), hash }) : undefined
    }),
  )
  t.match(await check([anvil.url, hostile.url]), [
    /^FAIL {2}RPC_URL: node 2 is on another chain than node 1: their first blocks are 0x7777\w+ and 0x\w+\. Name nodes/,
  ])
  hostile.follow(on('eth_chainId', () => result('0x1')))
  t.match(await check([anvil.url, hostile.url]), [
    /^FAIL {2}CHAIN_ID: 31337 is set, but node 2 of RPC_URL is on chain 1\./,
  ])
  hostile.follow(on('eth_chainId', () => failure(-32_601, 'no such method')))
  t.match(await check([anvil.url, hostile.url]), [/^FAIL {2}RPC_URL: node 2 does not respond/])
})
