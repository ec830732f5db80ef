import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isDemoAccount } from '../chain/demo-accounts.ts'
import type { Config } from '../config/config.ts'
import { DEVELOPMENT_JWT_KEYS } from '../config/environment.ts'
import { findListenProblem, listListeners } from '../lib/http/listen-problem.ts'
import { type Finding, fail, pass, reasonOf, toFinding, warn } from './finding.ts'

/** Random secrets of 32 characters have more different ones, with overwhelming probability. */
const MIN_DISTINCT = 10

/** Checks what the configuration accepts but an operator hardly wants. */
export async function checkSettings(config: Config): Promise<Finding[]> {
  return [
    ...checkKeys(config),
    ...checkWallets(config),
    ...(await checkPublicUrl(config)),
    ...checkProxies(config),
    ...(await checkListeners(config)),
    ...describeMisspelled(config.misspelled),
  ]
}

function checkKeys({ jwt, production }: Config): Finding[] {
  const weak = jwt.keys.filter(({ secret }) => new Set(secret).size < MIN_DISTINCT).map(({ kid }) => kid)
  if (weak.length > 0)
    return [fail('JWT_KEYS', `the secret of ${weak.join(', ')} is not random`, 'Create one with: openssl rand -hex 32')]
  if (!production && jwt.keys.some(({ secret }) => DEVELOPMENT_JWT_KEYS.endsWith(`:${secret}`)))
    return [
      warn(
        'JWT_KEYS',
        'the key of development: who knows it signs in as any wallet',
        'Set your own before others sign in',
      ),
    ]
  return [pass('JWT_KEYS', `${jwt.keys.length} keys`)]
}

function checkWallets({ adminWallets, labsWallets, production }: Config): Finding[] {
  if (!production) return []
  const findings: Finding[] = []
  for (const [name, wallets] of [
    ['ADMIN_WALLETS', adminWallets],
    ['LABS_WALLETS', labsWallets],
  ] as const) {
    const known = wallets.filter(isDemoAccount)
    if (known.length > 0)
      findings.push(
        fail(
          name,
          `${known.join(', ')} is an account of the public demonstration mnemonic`,
          'Remove it: anyone can sign in as it',
        ),
      )
  }
  if (adminWallets.length === 0)
    findings.push(warn('ADMIN_WALLETS', 'not set', 'Name your wallet, to hide tokens and comments'))
  return findings
}

async function checkPublicUrl({ publicUrl, siweDomain, production }: Config): Promise<Finding[]> {
  const { protocol, hostname, host, pathname } = new URL(publicUrl)
  const findings: Finding[] = []
  const isLocal = /^(localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(hostname)
  if (production && isLocal)
    findings.push(
      fail(
        'PUBLIC_URL',
        `${publicUrl} is only reachable from this machine or network`,
        'Set it to the URL that users open',
      ),
    )
  else if (production && protocol === 'http:')
    findings.push(
      fail(
        'PUBLIC_URL',
        `${publicUrl} is not encrypted`,
        'Use https, with a proxy that terminates TLS: wallets refuse to sign in over http',
      ),
    )
  if (production && !isLocal && isIP(hostname.replace(/^\[|\]$/g, '')) === 0) findings.push(await checkName(hostname))
  if (pathname !== '/')
    findings.push(
      warn('PUBLIC_URL', `${publicUrl} has a path`, 'The proxy must remove it: the service answers at / and /api'),
    )
  if (siweDomain !== host)
    findings.push(
      warn(
        'SIWE_DOMAIN',
        `${siweDomain} differs from the host of PUBLIC_URL, ${host}`,
        'Wallets warn of a domain that is not that of the page: use the domain of the web client',
      ),
    )
  return findings.length > 0 ? findings : [pass('PUBLIC_URL', publicUrl)]
}

const checkName = (hostname: string): Promise<Finding> =>
  lookup(hostname).then(
    ({ address }) => pass('PUBLIC_URL', `${hostname} is ${address}`),
    (error: unknown) =>
      warn(
        'PUBLIC_URL',
        `the name ${hostname} is not known: ${reasonOf(error)}`,
        'Create its DNS record, or correct the URL',
      ),
  )

function checkProxies({ trustProxy, publicUrl, production }: Config): Finding[] {
  const all = trustProxy.filter((cidr) => cidr.endsWith('/0'))
  if (all.length > 0)
    return [
      fail(
        'TRUST_PROXY',
        `${all.join(', ')} trusts every address, so that clients choose the address by which they are limited`,
        'Name the addresses of your proxies only',
      ),
    ]
  if (trustProxy.length > 0) return [pass('TRUST_PROXY', trustProxy.join(', '))]
  return production && publicUrl.startsWith('https:')
    ? [
        warn(
          'TRUST_PROXY',
          'not set, but PUBLIC_URL is https, which a proxy must serve',
          'Name the addresses of the proxy: all clients have its address otherwise, and share one quota',
        ),
      ]
    : [pass('TRUST_PROXY', 'not set; clients connect directly')]
}

/** Checks the same as the start does before it opens anything. */
async function checkListeners(config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const listener of listListeners(config)) {
    const problem = await findListenProblem(listener)
    const { variable, port, host } = listener
    findings.push(
      problem ? toFinding(problem) : pass(variable, port === 0 ? 'any free port' : `${port} at ${host} is free`),
    )
  }
  return findings
}

export const describeMisspelled = (misspelled: Config['misspelled']): Finding[] =>
  misspelled.map(({ name, nearest }) =>
    warn(name, 'the service has no variable of this name', `Correct it if ${nearest} is meant, else ignore this`),
  )
