import { parseArgs } from 'node:util'
import { type Address, getAddress, isAddress, parseEther } from 'viem'
import type { Given } from './find-existing.ts'

export const HELP = `Usage: npm run deploy -- [options]

Puts the launchpad's contracts on a chain and sets them up. Without --yes it sends nothing: it checks the options against the
chain and prints the plan with its cost. It can be stopped at any time: with the same options it continues, and creates nothing
twice. Results are in deployments/<chain id>/: .env for the service, state.json, and the sources for explorers.

  --yes                       send the transactions
  --owner <address>           final owner, such as a multisig, offered the ownership as the last step; default the deployer
  --treasury <address>        receives the fees that stakers do not get; default the owner
  --wrapped <address>         the wrapped native coin; default the known one of the chain, else one is created
  --factory <address>         Uniswap V2 factory; default the known one, else one is created
  --router <address>          Uniswap V2 router; default the known one, else one is created
  --price-feed <address>      Chainlink's feed of the native coin in US dollars; without it, figures in US dollars are null
  --staking-token <address>   token that is staked for a share of the fees; default the wrapped native coin; none: no pool
  --staker-share-bps <n>      share of the fees for stakers, in basis points; default 3000
  --cooldown-seconds <n>      time from unstaking to withdrawal; default 86400
  --period-seconds <n>        time over which a funding is paid out; default 604800
  --target <coins>            native coin that completes a curve; default that of the contract, 6
  --protocol-fee-bps <n>      fee of a trade for the launchpad; default 100
  --creator-fee-bps <n>       fee of a trade for the token's creator; default 50
  --currency <symbol:name>    native coin of a chain that is not a known one, such as MON:Monad
  --keystore <file>           encrypted key of the deployer (Web3 Secret Storage); asks for the password
  --password-file <file>      file with the password of the keystore
  --from <address>            the deployer, to print a plan without its key
  --folder <path>             folder of the results; default deployments/<chain id>

Environment:
  RPC_URL             node of the chain
  DEPLOYER_KEY        private key of the deployer; else --keystore, else it is asked for
  ETHERSCAN_API_KEY   verifies the source code at the explorer; optional
  ETHERSCAN_API_URL   the explorer's API; default https://api.etherscan.io/v2/api

Exit codes: 0 complete, or the plan is printed; 1 stopped, run it again to continue; 2 the options do not fit.`

/** An invalid option: the message names it. */
export class OptionError extends Error {
  override name = 'OptionError'
}

const readAddress = (name: string, text: string): Address => {
  if (!isAddress(text, { strict: false })) throw new OptionError(`--${name} is ${text}; expected an address`)
  // A mixed-case address has a checksum, which a typing error breaks.
  if (/[a-f]/.test(text) && /[A-F]/.test(text.slice(2)) && getAddress(text) !== text)
    throw new OptionError(`--${name} is ${text}; its checksum is wrong`)
  return text.toLowerCase() as Address
}

const readWhole = (name: string, text: string, minimum: number, maximum: number): number => {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum && value <= maximum))
    throw new OptionError(`--${name} is ${text}; expected an integer from ${minimum} to ${maximum}`)
  return value
}

/** Limits of the contracts. */
const MAX_FEE_BPS = 1_000
const MAX_COOLDOWN = 90 * 86_400
const MAX_PERIOD = 365 * 86_400
const [MIN_TARGET, MAX_TARGET] = [parseEther('0.001'), parseEther('1000000')]

export type Options = ReturnType<typeof readOptions>

/** Parses and validates the arguments. Throws OptionError. */
export function readOptions(args: readonly string[]) {
  const values = parse(args)
  const address = (name: 'owner' | 'treasury' | 'wrapped' | 'factory' | 'router' | 'price-feed' | 'from') => {
    const text = values[name]
    return text === undefined ? undefined : readAddress(name, text)
  }
  const given: Given = {}
  const fields = {
    weth: 'wrapped',
    uniswapFactory: 'factory',
    uniswapRouter: 'router',
    priceFeed: 'price-feed',
  } as const
  for (const [field, name] of Object.entries(fields) as [keyof Given, (typeof fields)[keyof typeof fields]][]) {
    const found = address(name)
    if (found) given[field] = found
  }
  const token = values['staking-token']
  return {
    help: values.help,
    send: values.yes,
    owner: address('owner'),
    treasury: address('treasury'),
    from: address('from'),
    given,
    /** undefined: the wrapped coin; null: no pool. */
    stakingToken: token === undefined ? undefined : token === 'none' ? null : readAddress('staking-token', token),
    stakerShareBps: readWhole('staker-share-bps', values['staker-share-bps'], 0, 10_000),
    cooldownSeconds: readWhole('cooldown-seconds', values['cooldown-seconds'], 0, MAX_COOLDOWN),
    periodSeconds: readWhole('period-seconds', values['period-seconds'], 1, MAX_PERIOD),
    defaults: readDefaults(values),
    currency: readCurrency(values.currency),
    keystore: values.keystore,
    passwordFile: values['password-file'],
    folder: values.folder,
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        yes: { type: 'boolean', default: false },
        ...{ owner: text, treasury: text, wrapped: text, factory: text, router: text, 'price-feed': text, from: text },
        'staking-token': text,
        'staker-share-bps': { type: 'string', default: '3000' },
        'cooldown-seconds': { type: 'string', default: '86400' },
        'period-seconds': { type: 'string', default: '604800' },
        ...{ target: text, 'protocol-fee-bps': text, 'creator-fee-bps': text, currency: text },
        ...{ keystore: text, 'password-file': text, folder: text },
      },
    }).values
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error))
  }
}

/** The terms of new launches; undefined: those of the contract stay. */
function readDefaults(values: {
  target?: string | undefined
  'protocol-fee-bps'?: string | undefined
  'creator-fee-bps'?: string | undefined
}) {
  const { target, 'protocol-fee-bps': protocol, 'creator-fee-bps': creator } = values
  if (target === undefined && protocol === undefined && creator === undefined) return undefined
  const protocolFeeBps = readWhole('protocol-fee-bps', protocol ?? '100', 0, MAX_FEE_BPS)
  const creatorFeeBps = readWhole('creator-fee-bps', creator ?? '50', 0, MAX_FEE_BPS)
  if (protocolFeeBps + creatorFeeBps > MAX_FEE_BPS)
    throw new OptionError(
      `--protocol-fee-bps and --creator-fee-bps are ${protocolFeeBps + creatorFeeBps} together; at most ${MAX_FEE_BPS}`,
    )
  const targetQuote = /^\d{1,7}(\.\d{1,18})?$/.test(target ?? '6') ? parseEther(target ?? '6') : 0n
  if (targetQuote < MIN_TARGET || targetQuote > MAX_TARGET)
    throw new OptionError(`--target is ${target}; expected coins from 0.001 to 1000000`)
  return { targetQuote, protocolFeeBps, creatorFeeBps }
}

function readCurrency(text: string | undefined): string | undefined {
  if (text === undefined || /^[\w.$+-]{1,16}(:[^\p{C}:'"]{1,64})?$/u.test(text)) return text
  throw new OptionError(
    `--currency is ${text}; expected symbol:name, such as MON:Monad; the coin of an EVM chain always has 18 decimals`,
  )
}
