// Measures the gas of each operation of the contracts on a fresh chain and writes docs/gas.md.
import { flag } from '../../lib/commands/options.ts'
import { runCommand } from '../../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run generate:gas',
  about: 'Measures the gas of each operation of the contracts and writes the table of docs/gas.md.',
  options: { check: flag('write nothing; exit 1 and name each operation that differs by more than 1 %') },
  exitCodes: '0 the table is written or current, 1 an operation differs (--check), 2 it could not run.',
  run: async ({ check }) => (await import('./measure-gas.ts')).updateGas(check),
})
