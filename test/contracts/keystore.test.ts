import { createCipheriv, randomBytes, scryptSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { hexToBytes, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { decryptKeystore } from '../../contracts/deploy/keystore.ts'
import { readDeployer } from '../../contracts/deploy/read-key.ts'

/** A keystore as wallets write it. */
function encrypt(key: `0x${string}`, password: string) {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(hexToBytes(key)), cipher.final()])
  return {
    version: 3,
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n: 1024, r: 8, p: 1, salt: salt.toString('hex') },
      mac: keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2),
    },
  }
}

// The test vector of the Web3 Secret Storage definition for PBKDF2. Its other one has scrypt parameters that OpenSSL rejects.
const vector = {
  version: 3,
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
}

t.test('the keystore of the Web3 Secret Storage definition is decrypted', async (t) => {
  const key = await decryptKeystore(JSON.stringify(vector), 'testpassword')
  t.equal(key, '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d')
})

t.test('an encrypted key is decrypted, even if the field is spelled Crypto', async (t) => {
  const key = generatePrivateKey()
  const keystore = encrypt(key, 'päss word')
  t.equal(await decryptKeystore(JSON.stringify(keystore), 'päss word'), key)
  const { crypto, ...rest } = keystore
  t.equal(await decryptKeystore(JSON.stringify({ ...rest, Crypto: crypto }), 'päss word'), key)
})

t.test('a wrong password and an unusable keystore are errors with their cause', async (t) => {
  const keystore = encrypt(generatePrivateKey(), 'right')
  await t.rejects(decryptKeystore(JSON.stringify(keystore), 'wrong'), {
    name: 'OptionError',
    message: 'The password of the keystore is wrong',
  })
  await t.rejects(decryptKeystore('{', ''), { message: 'The keystore is not JSON' })
  await t.rejects(decryptKeystore('{"version":1}', ''), { message: /^The keystore’s content cannot be used: / })
  const { crypto } = keystore
  const costly = { ...keystore, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, n: 2 ** 30 } } }
  await t.rejects(decryptKeystore(JSON.stringify(costly), 'right'), {
    message: /scrypt parameters cannot be used: \/n/,
  })
  const odd = { ...keystore, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, n: 262_144, r: 1 } } }
  await t.rejects(decryptKeystore(JSON.stringify(odd), 'right'), {
    message: /scrypt parameters cannot be used: n 262144, r 1/,
  })
  const other = { ...keystore, crypto: { ...crypto, kdf: 'argon2' } }
  await t.rejects(decryptKeystore(JSON.stringify(other), 'right'), {
    message: /uses argon2; expected scrypt or pbkdf2/,
  })
})

t.test('an option with an unusable file is an OptionError that names the option', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-keystore-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const [keystore, passwordFile] = [join(folder, 'key.json'), join(folder, 'password')]
  const read = () => readDeployer({ variable: undefined, keystore, passwordFile })
  await t.rejects(read(), { name: 'OptionError', message: `--keystore ${keystore} cannot be read` })
  const key = generatePrivateKey()
  await writeFile(keystore, JSON.stringify(encrypt(key, 'right')))
  await t.rejects(read(), { name: 'OptionError', message: `--password-file ${passwordFile} cannot be read` })
  await writeFile(passwordFile, 'wrong\n')
  await t.rejects(read(), { name: 'OptionError', message: `--keystore ${keystore} cannot be decrypted` })
  await writeFile(passwordFile, 'right\n')
  t.equal((await read()).address, privateKeyToAccount(key).address)
})
