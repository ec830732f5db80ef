import { randomBytes } from 'node:crypto'
import { SiweMessage } from 'siwe'
import { getAddress } from 'viem'
import type { Config } from '../../config/config.ts'
import { AppError } from '../../errors.ts'
import type { Cache } from '../../lib/cache/cache.ts'

/** Validity of an issued message. */
const LIFETIME_SECONDS = 300
const NONCE_LINE = /\nNonce: ([A-Za-z0-9]{8,64})\n/

interface Issued {
  wallet: string
  message: string
}

const nonceKey = (nonce: string) => `nonce:${nonce}`

/** Issues an EIP-4361 message for a wallet to sign, and stores it under its nonce. */
export async function issueMessage(
  cache: Cache,
  { siweDomain, publicUrl, chainId }: Pick<Config, 'siweDomain' | 'publicUrl' | 'chainId'>,
  wallet: string,
): Promise<{ nonce: string; message: string }> {
  const nonce = randomBytes(16).toString('hex')
  const now = Date.now()
  const message = new SiweMessage({
    domain: siweDomain,
    address: getAddress(wallet),
    statement: 'Sign in with this wallet. It costs nothing and moves no funds.',
    uri: publicUrl,
    version: '1',
    chainId,
    nonce,
    issuedAt: new Date(now).toISOString(),
    expirationTime: new Date(now + LIFETIME_SECONDS * 1000).toISOString(),
  }).prepareMessage()
  const issued: Issued = { wallet, message }
  await cache.set(nonceKey(nonce), JSON.stringify(issued), LIFETIME_SECONDS)
  return { nonce, message }
}

/**
 * Consumes the nonce of a presented message, even if the login fails, and compares the message with the issued one.
 * Equality implies domain, chain, wallet and expiry, so no caller input is parsed. Throws MESSAGE_MISMATCH or NONCE_USED.
 */
export async function redeemMessage(cache: Cache, message: string): Promise<Issued> {
  const nonce = NONCE_LINE.exec(message)?.[1]
  if (nonce === undefined) throw new AppError('MESSAGE_MISMATCH')
  const stored = await cache.getAndDelete(nonceKey(nonce))
  if (stored === null) throw new AppError('NONCE_USED')
  const issued = JSON.parse(stored) as Issued
  if (issued.message !== message) throw new AppError('MESSAGE_MISMATCH')
  return issued
}
