import pg from 'pg'

interface Size {
  name: string
  rows: number
  heap: number
  indexes: number
}

/** Prints every non-empty table, with its partitions, the largest first: its rows, and bytes per row in heap and indexes. */
export async function printSizes(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class
        where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
          and relname not like 'kysely%' order by 1`,
    )
    const sizes: Size[] = []
    for (const { name } of tables) {
      // No reindex before: random inserts leave index pages half empty in production, too.
      const { rows } = await client.query<{ rows: string; heap: string; indexes: string }>(
        `select (select count(*) from "${name}") as rows, sum(pg_table_size(relid)) as heap,
          sum(pg_indexes_size(relid)) as indexes
        from (
          select '"${name}"'::regclass as relid union select relid from pg_partition_tree('"${name}"')
        ) parts`,
      )
      const [size] = rows
      if (size && Number(size.rows) > 0)
        sizes.push({ name, rows: Number(size.rows), heap: Number(size.heap), indexes: Number(size.indexes) })
    }
    sizes.sort((a, b) => b.heap + b.indexes - a.heap - a.indexes)
    console.log(
      `  ${'table'.padEnd(24)}${'rows'.padStart(10)}${'heap B/row'.padStart(13)}${'index B/row'.padStart(13)}`,
    )
    for (const { name, rows, heap, indexes } of sizes) {
      const each = (bytes: number) => (bytes / rows).toFixed(0).padStart(13)
      console.log(`  ${name.padEnd(24)}${String(rows).padStart(10)}${each(heap)}${each(indexes)}`)
    }
  } finally {
    await client.end()
  }
}
