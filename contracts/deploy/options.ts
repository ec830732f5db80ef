import { type Address, formatEther, getAddress, isAddress, parseEther } from 'viem'
import { flag, integer, type Option, text, UsageError, type Values } from '../../lib/commands/options.ts'
import type { Given } from './find-existing.ts'

/** An option, a setting or a file that does not fit: the message names it. */
export class OptionError extends Error {
  override name = 'OptionError'
}

const readAddress = (given: string): Address => {
  if (!isAddress(given, { strict: false })) throw new UsageError('expected an address')
  // A mixed-case address has a checksum, which a typing error breaks.
  if (/[a-f]/.test(given) && /[A-F]/.test(given.slice(2)) && getAddress(given) !== given)
    throw new UsageError('its checksum is wrong')
  return given.toLowerCase() as Address
}

const address = (help: string): Option<Address | undefined> => ({
  value: '<address>',
  help,
  fallback: undefined,
  read: readAddress,
})

/** Limits of the contracts. */
const MAX_FEE_BPS = 1_000
const MAX_COOLDOWN = 90 * 86_400
const MAX_PERIOD = 365 * 86_400
const MAX_TIMELOCK = 30 * 86_400
const TARGETS = [parseEther('0.001'), parseEther('1000000')] as const

/** undefined: the wrapped coin; null: no pool. */
const stakingToken: Option<Address | null | undefined> = {
  ...address('token that is staked for a share of the fees; default the wrapped native coin; none: no pool'),
  read: (given) => (given === 'none' ? null : readAddress(given)),
}

const coins = (help: string, [least, most]: readonly [bigint, bigint]): Option<bigint | undefined> => ({
  value: '<coins>',
  help,
  fallback: undefined,
  read: (given) => {
    const amount = /^\d{1,7}(\.\d{1,18})?$/.test(given) ? parseEther(given) : -1n
    if (amount >= least && amount <= most) return amount
    throw new UsageError(`expected coins from ${formatEther(least)} to ${formatEther(most)}`)
  },
})

const currency: Option<string | undefined> = {
  value: '<symbol:name>',
  help: 'native coin of a chain that is not a known one, such as MON:Monad',
  fallback: undefined,
  read: (given) => {
    if (/^[\w.$+-]{1,16}(:[^\p{C}:'"]{1,64})?$/u.test(given)) return given
    throw new UsageError('expected symbol:name, such as MON:Monad; the coin of an EVM chain always has 18 decimals')
  },
}

/** The options of npm run deploy. */
export const deployOptions = {
  yes: flag('send the transactions'),
  owner: address('who decides in the end, such as a multisig; default the deployer'),
  'timelock-seconds': integer(
    '<n>',
    'delay of calls of the owner, by a timelock that owns the contracts; 0: none',
    { min: 0, max: MAX_TIMELOCK },
    172_800,
  ),
  treasury: address('receives the fees that stakers do not get; default the owner'),
  wrapped: address('the wrapped native coin; default the known one of the chain, else one is created'),
  factory: address('Uniswap V2 factory; default the known one, else one is created'),
  router: address('Uniswap V2 router; default the known one, else one is created'),
  'price-feed': address(
    "Chainlink's feed of the native coin in US dollars; without it, figures in US dollars are null",
  ),
  'staking-token': stakingToken,
  'staker-share-bps': integer('<n>', 'share of the fees for stakers, in basis points', { min: 0, max: 10_000 }, 3_000),
  'cooldown-seconds': integer('<n>', 'time from unstaking to withdrawal', { min: 0, max: MAX_COOLDOWN }, 86_400),
  'period-seconds': integer('<n>', 'time over which a funding is paid out', { min: 1, max: MAX_PERIOD }, 604_800),
  target: coins('native coin that completes a curve; default that of the contract, 6', TARGETS),
  'graduation-bounty': coins(
    'what the launchpad pays for a graduation, out of its fees; default the price of the gas now',
    [0n, parseEther('10000')],
  ),
  'protocol-fee-bps': integer('<n>', 'fee of a trade for the launchpad; default 100', { min: 0, max: MAX_FEE_BPS }),
  'creator-fee-bps': integer('<n>', "fee of a trade for the token's creator; default 50", { min: 0, max: MAX_FEE_BPS }),
  currency,
  keystore: text('<file>', 'encrypted key of the deployer (Web3 Secret Storage); asks for the password'),
  'password-file': text('<file>', 'file with the password of the keystore'),
  from: address('the deployer, to print a plan without its key'),
  folder: text('<path>', 'folder of the results; default deployments/<chain id>'),
}

export type DeployValues = Values<typeof deployOptions>
export type Options = ReturnType<typeof readOptions>

/** What the values of the options mean. Throws UsageError if they do not fit together. */
export function readOptions(values: DeployValues) {
  const given: Given = {}
  if (values.wrapped) given.weth = values.wrapped
  if (values.factory) given.uniswapFactory = values.factory
  if (values.router) given.uniswapRouter = values.router
  if (values['price-feed']) given.priceFeed = values['price-feed']
  return {
    send: values.yes,
    owner: values.owner,
    timelockSeconds: values['timelock-seconds'],
    treasury: values.treasury,
    from: values.from,
    given,
    stakingToken: values['staking-token'],
    stakerShareBps: values['staker-share-bps'],
    cooldownSeconds: values['cooldown-seconds'],
    periodSeconds: values['period-seconds'],
    graduationBounty: values['graduation-bounty'],
    defaults: readDefaults(values),
    currency: values.currency,
    keystore: values.keystore,
    passwordFile: values['password-file'],
    folder: values.folder,
  }
}

/** The terms of new launches; undefined: those of the contract stay. */
function readDefaults({
  target: targetQuote,
  'protocol-fee-bps': protocol,
  'creator-fee-bps': creator,
}: Pick<DeployValues, 'target' | 'protocol-fee-bps' | 'creator-fee-bps'>) {
  if (targetQuote === undefined && protocol === undefined && creator === undefined) return undefined
  const [protocolFeeBps, creatorFeeBps] = [protocol ?? 100, creator ?? 50]
  if (protocolFeeBps + creatorFeeBps > MAX_FEE_BPS)
    throw new UsageError(
      `--protocol-fee-bps and --creator-fee-bps are ${protocolFeeBps + creatorFeeBps} together; at most ${MAX_FEE_BPS}`,
    )
  return { targetQuote: targetQuote ?? parseEther('6'), protocolFeeBps, creatorFeeBps }
}
