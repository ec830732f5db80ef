import { readdir, readFile } from 'node:fs/promises'
import { type Abi, type AbiParameter, toFunctionSelector } from 'viem'

const HEADER = '// Generated from chain/abi by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk'
const folder = new URL('../../chain/abi/', import.meta.url)

/** Functions that the builders of the SDK call, by file of chain/abi. */
const CALLED: Record<string, readonly string[]> = {
  launchpad: [
    'create',
    'buy',
    'sell',
    'graduate',
    'claimCreatorFee',
    'setFeeShares',
    'transferFeeRight',
    'withdrawHeldFees',
    'defaults',
    'tokenAddress',
    'feeOwner',
    'feeShares',
  ],
  'launch-token': ['setContractURI', 'launchpad'],
  erc20: ['approve', 'allowance', 'balanceOf'],
  'uniswap-v2-router02': ['swapExactETHForTokens', 'swapExactTokensForETH'],
  'fee-staking': ['stake', 'requestUnstake', 'withdraw', 'claim', 'fund'],
  raises: [
    ...['createRaise', 'register', 'commit', 'finalize', 'cancel', 'claim', 'refund', 'reclaimTokens', 'dissolve'],
    ...['propose', 'proposeDissolution', 'vote', 'exit', 'execute', 'cancelProposal', 'rules'],
  ],
}

/** Contracts whose errors a wallet can meet. */
const RAISING = ['launchpad', 'launch-token', 'fee-staking', 'raises'] as const

/** The typed ABIs of the SDK: those of the service, in one file. */
export async function writeAbis(): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort()
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))
  return [HEADER, ...texts.map((text) => text.slice(text.indexOf('export const')))].join('\n')
}

/** Selectors and parameter types: of called functions as one constant each, of custom errors as one table. */
export async function writeContracts(): Promise<string> {
  const functions = await Promise.all(
    Object.entries(CALLED).map(async ([file, names]) => {
      const abi = await readAbi(file)
      return names.map((name) => writeFunction(file, name, abi))
    }),
  )
  const abis = await Promise.all(RAISING.map(readAbi))
  return [
    HEADER,
    "import type { ContractFunction } from './abi-codec.ts'",
    '',
    functions.flat().join('\n'),
    '',
    '/** Custom errors by selector: the name, and names and types of the parameters. */',
    'export const contractErrors = {',
    ...writeErrors(abis.flat()),
    '} as const satisfies Record<string, readonly string[]>',
    '',
  ].join('\n')
}

async function readAbi(file: string): Promise<Abi[number][]> {
  const module = (await import(new URL(`${file}.ts`, folder).href)) as Record<string, Abi>
  const [abi] = Object.values(module)
  if (!abi) throw new Error(`chain/abi/${file}.ts exports no ABI`)
  return [...abi]
}

function writeFunction(file: string, name: string, abi: readonly Abi[number][]): string {
  const found = abi.filter((item) => item.type === 'function' && item.name === name)
  const [item] = found
  if (item?.type !== 'function' || found.length > 1) throw new Error(`${file} has no single function ${name}`)
  const parts = [`'${toFunctionSelector(item)}'`, ...item.inputs.map(writeType)]
  return `export const ${constantOf(file, name)} = [${parts.join(', ')}] as const satisfies ContractFunction`
}

/** launchpad and buy: LAUNCHPAD_BUY. */
const constantOf = (file: string, name: string): string =>
  `${file}_${name}`
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase()

function writeType(parameter: AbiParameter): string {
  if (!('components' in parameter)) return `'${parameter.type}'`
  if (parameter.type !== 'tuple') throw new Error(`${parameter.type} is not supported`)
  return `[${parameter.components.map(writeType).join(', ')}]`
}

function writeErrors(items: readonly Abi[number][]): string[] {
  const lines = items.flatMap((item) => {
    if (item.type !== 'error') return []
    const selector = toFunctionSelector(`${item.name}(${item.inputs.map(({ type }) => type).join(',')})`)
    const parts = [item.name, ...item.inputs.map(({ name, type }) => `${name} ${type}`)]
    return [`  '${selector}': [${parts.map((part) => `'${part}'`).join(', ')}],`]
  })
  return [...new Set(lines)].sort()
}
