import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Hex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { DEMO_CHAIN, DEMO_MNEMONIC, isDemoAccount } from '../../chain/demo-accounts.ts'
import { decryptKeystore } from './keystore.ts'
import { OptionError } from './options.ts'

interface KeySources {
  /** DEPLOYER_KEY. */
  variable: string | undefined
  keystore: string | undefined
  passwordFile: string | undefined
}

/** The deployer: from DEPLOYER_KEY, else a keystore file, else a prompt. Never from an argument, which others could see. */
export async function readDeployer({ variable, keystore, passwordFile }: KeySources): Promise<PrivateKeyAccount> {
  if (variable !== undefined && keystore !== undefined)
    throw new OptionError('DEPLOYER_KEY and --keystore are both given; give one of them')
  if (keystore !== undefined) {
    const text = await readGiven('--keystore', keystore)
    const password =
      passwordFile === undefined
        ? await ask('Password of the keystore: ', '--password-file')
        : (await readGiven('--password-file', passwordFile)).replace(/\r?\n$/, '')
    const key = await decryptKeystore(text, password).catch((cause: unknown) => {
      throw new OptionError(`--keystore ${keystore} cannot be decrypted`, { cause })
    })
    return toAccount(key, '--keystore')
  }
  const key = variable ?? (await ask('Private key of the deployer: ', 'DEPLOYER_KEY or --keystore'))
  return toAccount(key.trim(), 'DEPLOYER_KEY')
}

/** Reads the file of an option. */
async function readGiven(option: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new OptionError(`${option} ${path} cannot be read`, { cause })
  })
}

function toAccount(key: string, source: string): PrivateKeyAccount {
  const hex = key.startsWith('0x') ? key : `0x${key}`
  if (!/^0x[0-9a-fA-F]{64}$/.test(hex))
    throw new OptionError(`${source} is invalid (value not shown); expected 32 bytes in hexadecimal`)
  return privateKeyToAccount(hex as Hex)
}

/** Asks at the terminal, without an echo. */
async function ask(question: string, alternative: string): Promise<string> {
  if (!process.stdin.isTTY) throw new OptionError(`${alternative} is not set, and there is no terminal to ask at`)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  process.stderr.write(question)
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/**
 * Rejects accounts whose key everyone knows, outside of the development chain: bots empty them within seconds, and anyone
 * could change the contracts.
 */
export function requirePrivate(addresses: Readonly<Record<string, string>>, chainId: number): void {
  if (chainId === DEMO_CHAIN) return
  for (const [name, address] of Object.entries(addresses))
    if (isDemoAccount(address))
      throw new OptionError(
        `${name} is ${address}, an account of the public mnemonic “${DEMO_MNEMONIC}”: anyone can sign for it. ` +
          `Use an account of your own on chain ${chainId}.`,
      )
}
