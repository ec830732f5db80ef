// Writes the tables of known chains; with --check it fails if one of them is stale.
import { runGenerator } from './write-generated.ts'

await runGenerator({
  command: 'generate:chains',
  source: "viem's chains and @uniswap/sdk-core",
  make: async () => (await import('./describe-chains.ts')).describeChains(),
})
