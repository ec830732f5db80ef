// Signs in to a running service and prints the token, for Swagger UI and curl.
import { integer, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run --silent token',
  about: 'Signs in and prints the token, which is valid for a day.',
  options: {
    base: url('URL', 'the service', 'http', 'http://localhost:3000'),
    account: integer(
      'N',
      "account of the demonstration's mnemonic, from 0; the first are traders of the embedded chain's market",
      { min: 0, max: 9_999 },
      1,
    ),
  },
  notes: `Environment:
  PRIVATE_KEY   private key to sign with, instead of an account of the mnemonic`,
  exitCodes: '0 signed in, 2 the sign-in failed.',
  run: async ({ base, account }) => {
    const [{ mnemonicToAccount, privateKeyToAccount }, { DEMO_MNEMONIC }, { createClient, signIn }] = await Promise.all(
      [import('viem/accounts'), import('../chain/demo-accounts.ts'), import('../sdk/src/index.ts')],
    )
    const { PRIVATE_KEY } = process.env
    const signer = PRIVATE_KEY
      ? privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
      : mnemonicToAccount(DEMO_MNEMONIC, { addressIndex: account })
    console.log(await signIn(createClient({ baseUrl: base }), signer))
  },
})
