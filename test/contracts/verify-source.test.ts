import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { verifySource } from '../../contracts/deploy/verify-source.ts'

/** An explorer with the given results, which records what it is asked. */
async function startExplorer(t: Test, results: readonly { status: string; result: string }[]) {
  const requests: { method: string; fields: URLSearchParams }[] = []
  const left = [...results]
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const fields = new URLSearchParams([
      ...new URL(request.url ?? '/', 'http://x').searchParams,
      ...new URLSearchParams(body),
    ])
    requests.push({ method: request.method ?? '', fields })
    const next = left.shift()
    response.writeHead(next ? 200 : 500, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ message: next?.status === '1' ? 'OK' : 'NOTOK', ...next }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { requests, explorer: { url: `http://127.0.0.1:${port}/v2/api`, key: 'KEY', chainId: 143, pollMs: 5 } }
}

const verification = {
  address: `0x${'ab'.repeat(20)}`,
  contractName: 'contracts/src/Raises.sol:Raises',
  input: '{"language":"Solidity"}',
  compilerVersion: 'v0.8.37+commit.0',
  constructorArguments: '00ff',
} as const

t.test('a source is submitted until the explorer finds the contract, then its status is polled', async (t) => {
  const { requests, explorer } = await startExplorer(t, [
    { status: '0', result: 'Unable to locate ContractCode at 0xab' },
    { status: '1', result: 'guid-1' },
    { status: '0', result: 'Pending in queue' },
    { status: '1', result: 'Pass - Verified' },
  ])
  t.equal(await verifySource(explorer, verification), 'verified')
  t.same(
    requests.map(({ method, fields }) => [method, fields.get('action')]),
    [
      ['POST', 'verifysourcecode'],
      ['POST', 'verifysourcecode'],
      ['GET', 'checkverifystatus'],
      ['GET', 'checkverifystatus'],
    ],
  )
  t.match(Object.fromEntries(requests[1]?.fields ?? []), {
    chainid: '143',
    apikey: 'KEY',
    module: 'contract',
    codeformat: 'solidity-standard-json-input',
    contractaddress: verification.address,
    contractname: verification.contractName,
    compilerversion: verification.compilerVersion,
    sourceCode: verification.input,
    constructorArguements: '00ff',
  })
  t.equal(requests[2]?.fields.get('guid'), 'guid-1')
})

t.test('a verified contract is not submitted again, and a rejection is an error with its reason', async (t) => {
  const done = await startExplorer(t, [{ status: '0', result: 'Contract source code already verified' }])
  t.equal(await verifySource(done.explorer, verification), 'already verified')
  const refused = await startExplorer(t, [{ status: '0', result: 'Invalid API Key' }])
  await t.rejects(verifySource(refused.explorer, verification), { message: 'Invalid API Key' })
  const failed = await startExplorer(t, [
    { status: '1', result: 'guid-1' },
    { status: '0', result: 'Fail - Unable to verify' },
  ])
  await t.rejects(verifySource(failed.explorer, verification), { message: 'Fail - Unable to verify' })
  const broken = await startExplorer(t, [])
  await t.rejects(verifySource(broken.explorer, verification), { message: 'The explorer answered with status 500' })
})
