/*
 * Signs in to a running service and prints the token, for Swagger UI and curl.
 */
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { DEMO_MNEMONIC } from '../chain/demo-accounts.ts'
import { createClient, signIn } from '../sdk/src/index.ts'

const HELP = `Usage: npm run --silent token -- [--base URL] [--account N]

Signs in and prints the token, which is valid for a day.

  --base URL    the service; default http://localhost:3000
  --account N   account of the demonstration's mnemonic, from 0; default 1, a trader of the embedded chain's market

Environment:
  PRIVATE_KEY   private key to sign with, instead of an account of the mnemonic

Exit codes: 0 signed in, 2 the sign-in failed.`

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
  if (!/^\d{1,4}$/.test(index)) throw new Error(`--account is ${index}; expected a number`)
  return mnemonicToAccount(DEMO_MNEMONIC, { addressIndex: Number(index) })
}

/** Appends the cause: a refused connection is only visible there. */
function describe({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
