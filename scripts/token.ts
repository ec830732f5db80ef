/*
 * Signs in to a running service with a key and prints the token, for Swagger UI, curl and the like.
 */
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { createClient, signIn } from '../sdk/src/index.ts'

const HELP = `Usage: npm run --silent token -- [--base URL] [--account N]

Signs in and prints the token, which is good for a day.

  --base URL    the service; default http://localhost:3000
  --account N   which account of the demonstration's mnemonic, from 0; default 1, a trader of the embedded chain's market

PRIVATE_KEY     a key to sign with instead of such an account

Exit codes: 0 signed in, 2 could not.`

const DEMONSTRATION = 'test test test test test test test test test test test junk'

try {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      base: { type: 'string', default: 'http://localhost:3000' },
      account: { type: 'string', default: '1' },
    },
  })
  if (values.help) console.log(HELP)
  else console.log(await signIn(createClient({ baseUrl: values.base }), findSigner(values.account)))
} catch (error) {
  console.error(error instanceof Error ? describe(error) : error)
  process.exitCode = 2
}

function findSigner(index: string) {
  const { PRIVATE_KEY } = process.env
  if (PRIVATE_KEY) return privateKeyToAccount(PRIVATE_KEY as Hex)
  if (!/^\d{1,4}$/.test(index)) throw new Error(`--account wants a number, and got ${index}`)
  return mnemonicToAccount(DEMONSTRATION, { addressIndex: Number(index) })
}

/** That nobody listens is told by the cause alone. */
function describe({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
