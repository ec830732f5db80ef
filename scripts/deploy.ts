// Puts the contracts on a chain. See docs/deploying.md.
import { deployOptions } from '../contracts/deploy/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run deploy',
  about: `Puts the launchpad's contracts on a chain and sets them up. Without --yes it sends nothing: it checks the options against the
chain and prints the plan with its cost. It can be stopped at any time: with the same options it continues, and creates nothing
twice. Results are in deployments/<chain id>/: .env for the service, state.json, and the sources for explorers.`,
  options: deployOptions,
  notes: `Environment:
  RPC_URL             node of the chain
  DEPLOYER_KEY        private key of the deployer; else --keystore, else it is asked for
  ETHERSCAN_API_KEY   verifies the source code at the explorer; optional
  ETHERSCAN_API_URL   the explorer's API; default https://api.etherscan.io/v2/api`,
  exitCodes: '0 complete, or the plan is printed; 1 stopped, run it again to continue; 2 the options do not fit.',
  run: async (values) => (await import('./commands/deploy.ts')).deploy(values),
})
