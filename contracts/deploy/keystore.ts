// Web3 Secret Storage, version 3: the key file of geth, Foundry's cast wallet and others.
import { createDecipheriv, pbkdf2, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { bytesToHex, type Hex, keccak256 } from 'viem'
import { OptionError } from './options.ts'

const HexText = (minimum: number, maximum: number) =>
  Type.String({ pattern: `^(0x)?([0-9a-fA-F]{2}){${minimum},${maximum}}$` })

const Keystore = Type.Object({
  version: Type.Literal(3),
  crypto: Type.Object({
    cipher: Type.Literal('aes-128-ctr'),
    ciphertext: HexText(32, 32),
    cipherparams: Type.Object({ iv: HexText(16, 16) }),
    mac: HexText(32, 32),
    kdf: Type.String(),
    kdfparams: Type.Object({}, { additionalProperties: true }),
  }),
})

const Scrypt = Type.Object({
  dklen: Type.Integer({ minimum: 32, maximum: 64 }),
  n: Type.Integer({ minimum: 2, maximum: 2 ** 22 }),
  p: Type.Integer({ minimum: 1, maximum: 64 }),
  r: Type.Integer({ minimum: 1, maximum: 64 }),
  salt: HexText(1, 64),
})

const Pbkdf2 = Type.Object({
  dklen: Type.Integer({ minimum: 32, maximum: 64 }),
  c: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
  prf: Type.Literal('hmac-sha256'),
  salt: HexText(1, 64),
})

const bytes = (text: string) => Buffer.from(text.replace(/^0x/, ''), 'hex')

function parse<T extends TSchema>(schema: T, value: unknown, what: string): Static<T> {
  if (Value.Check(schema, value)) return value
  const [first] = Value.Errors(schema, value)
  throw new OptionError(`The keystore’s ${what} cannot be used: ${first?.path || '/'} ${first?.message}`)
}

/** Decrypts the private key. Throws OptionError. */
export async function decryptKeystore(text: string, password: string): Promise<Hex> {
  const { crypto } = parse(Keystore, parseJson(text), 'content')
  const derived = await deriveKey(crypto.kdf, crypto.kdfparams, Buffer.from(password.normalize('NFC')))
  const ciphertext = bytes(crypto.ciphertext)
  const mac = bytes(keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])))
  if (!timingSafeEqual(mac, bytes(crypto.mac))) throw new OptionError('The password of the keystore is wrong')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), bytes(crypto.cipherparams.iv))
  return bytesToHex(Buffer.concat([decipher.update(ciphertext), decipher.final()]))
}

function parseJson(text: string): unknown {
  try {
    // Some programs write "Crypto".
    const { Crypto, ...rest } = JSON.parse(text)
    return Crypto === undefined ? rest : { ...rest, crypto: Crypto }
  } catch {
    throw new OptionError('The keystore is not JSON')
  }
}

async function deriveKey(kdf: string, params: unknown, password: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key))
  if (kdf === 'scrypt') {
    const { n, p, r, dklen, salt } = parse(Scrypt, params, 'scrypt parameters')
    const options: ScryptOptions = { N: n, p, r, maxmem: 128 * r * (n + p + 2) + 1_048_576 }
    try {
      scrypt(password, bytes(salt), dklen, options, done)
    } catch (cause) {
      // OpenSSL requires n below 2^(16 r), as the definition of scrypt does.
      throw new OptionError(`The keystore’s scrypt parameters cannot be used: n ${n}, r ${r}, p ${p}`, { cause })
    }
  } else if (kdf === 'pbkdf2') {
    const { c, dklen, salt } = parse(Pbkdf2, params, 'pbkdf2 parameters')
    pbkdf2(password, bytes(salt), c, dklen, 'sha256', done)
  } else throw new OptionError(`The keystore uses ${kdf}; expected scrypt or pbkdf2`)
  return promise
}
