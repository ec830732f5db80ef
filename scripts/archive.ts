// Moves old partitions to Parquet, and back. See indexer/archive/archive.ts.
import { flag, text } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run archive',
  about: `Moves old partitions of trades and candles to Parquet files, and takes them out of the database; or brings one back. Rows are
dropped after every file was read back and compared with the table, row by row. A run that was interrupted is continued by the next
one. The service can run meanwhile. Lists and charts then end where the database does; totals, profits and prices stay.`,
  options: {
    before: text('<date>', 'archive the partitions that are entirely older, such as 2026-01-01 (UTC)'),
    to: text('<place>', 'a folder, or s3://bucket/prefix; required with --before'),
    restore: text('<partition>', 'bring a partition back, such as trades_from_0'),
    from: text('<place>', 'where its files are now; default where they were written'),
    list: flag('list the partitions, and which of them are archived'),
    'dry-run': flag('with --before: list what would be archived, and write nothing'),
  },
  notes: `Environment: DATABASE_URL or DATA_DIR, as for the service; S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY of
uploads hold for every bucket. An embedded database belongs to one process: stop the service first.`,
  exitCodes: '0 complete, 1 an archive does not agree with what was written, 2 the command could not run.',
  run: async (values) => (await import('./commands/archive.ts')).runArchive(values),
})
