import { setTimeout as delay } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Address } from 'viem'

export interface Verification {
  address: Address
  /** The compiler's name of the contract, such as "contracts/src/Launchpad.sol:Launchpad". */
  contractName: string
  /** Standard JSON input. */
  input: string
  /** "v0.8.37+commit.…". */
  compilerVersion: string
  /** Encoded constructor arguments, without 0x. */
  constructorArguments: string
}

interface Explorer {
  /** Etherscan's API, version 2, or one that is compatible. */
  url: string
  key: string
  chainId: number
  /** Milliseconds between status requests; default 5,000. */
  pollMs?: number
}

const Answer = Type.Object({ status: Type.String(), message: Type.String(), result: Type.String() })
const TIMEOUT_MS = 30_000
const ATTEMPTS = 24

/** Resolves to 'verified' or 'already verified'. Throws with the explorer's own message. */
export async function verifySource(explorer: Explorer, verification: Verification): Promise<string> {
  const { address, contractName, input, compilerVersion, constructorArguments } = verification
  const { pollMs = 5_000 } = explorer
  const submit = () =>
    send(explorer, 'POST', {
      action: 'verifysourcecode',
      codeformat: 'solidity-standard-json-input',
      contractaddress: address,
      contractname: contractName,
      compilerversion: compilerVersion,
      sourceCode: input,
      // The API's own spelling.
      constructorArguements: constructorArguments,
    })
  let submitted = await submit()
  // The explorer may not have indexed a new contract yet.
  for (let attempt = 1; attempt < ATTEMPTS && /unable to locate|not found/i.test(submitted.result); attempt++) {
    await delay(pollMs)
    submitted = await submit()
  }
  if (isVerified(submitted.result)) return 'already verified'
  if (submitted.status !== '1') throw new Error(submitted.result || submitted.message)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await delay(pollMs)
    const { result } = await send(explorer, 'GET', { action: 'checkverifystatus', guid: submitted.result })
    if (isVerified(result)) return 'verified'
    if (!/pending|in queue|progress/i.test(result)) throw new Error(result)
  }
  throw new Error('The explorer has not finished; look at its page of the contract later')
}

const isVerified = (result: string) => /already verified|pass - verified/i.test(result)

async function send({ url, key, chainId }: Explorer, method: 'GET' | 'POST', fields: Record<string, string>) {
  const target = new URL(url)
  target.searchParams.set('chainid', String(chainId))
  const form = new URLSearchParams({ apikey: key, module: 'contract', ...fields })
  if (method === 'GET') for (const [name, value] of form) target.searchParams.set(name, value)
  const response = await fetch(target, {
    method,
    ...(method === 'POST' && { body: form }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok || !Value.Check(Answer, answer))
    throw new Error(`The explorer answered with status ${response.status}`)
  return answer
}
