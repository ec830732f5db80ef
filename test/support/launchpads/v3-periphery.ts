// The router and the quoter of Uniswap V3.
import { type Address, encodeDeployData, type Hex, parseAbi, zeroAddress } from 'viem'
import quoterArtifact from '../../../contracts/artifacts/QuoterV2.json' with { type: 'json' }
import routerArtifact from '../../../contracts/artifacts/SwapRouter02.json' with { type: 'json' }
import { deploy, type Host, type Venue } from './venue.ts'

const routerAbi = parseAbi(['constructor(address factoryV2, address factoryV3, address positionManager, address weth)'])
const quoterAbi = parseAbi(['constructor(address factory, address weth)'])

/** Both in DEPLOYMENTS. */
export async function deployV3Periphery(host: Host, { factory, weth }: Pick<Venue, 'factory' | 'weth'>) {
  const args = [zeroAddress, factory, zeroAddress, weth] as const
  const router = await deploy(
    host,
    encodeDeployData({ abi: routerAbi, bytecode: routerArtifact.bytecode as Hex, args }),
  )
  const quoter = await deploy(
    host,
    encodeDeployData({ abi: quoterAbi, bytecode: quoterArtifact.bytecode as Hex, args: [factory, weth] }),
  )
  const named = (kind: string, address: Address) => ({ kind, address, startBlock: 0 })
  return { router, quoter, deployments: [named('uniswap-v3-router', router), named('uniswap-v3-quoter', quoter)] }
}
