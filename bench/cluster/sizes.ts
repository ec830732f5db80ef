import type pg from 'pg'

export interface TableSize {
  name: string
  rows: number
  /** Heap and indexes, on all nodes. */
  bytes: number
}

/** Every table with rows, with its partitions, the largest first. */
export async function readSizes(client: pg.Client): Promise<TableSize[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
        and relname not like 'kysely%' and relname not like 'citus%' order by 1`,
  )
  const { rows: extension } = await client.query(`select 1 from pg_extension where extname = 'citus'`)
  const sizeOf =
    extension.length === 0
      ? 'pg_total_relation_size(relid)'
      : `case when exists (select from pg_dist_partition where logicalrelid = relid)
          then citus_total_relation_size(relid) else pg_total_relation_size(relid) end`
  const sizes: TableSize[] = []
  for (const { name } of tables) {
    const { rows: counted } = await client.query<{ rows: string }>(`select count(*) as rows from "${name}"`)
    const { rows: measured } = await client.query<{ bytes: string }>(
      `select coalesce(sum(${sizeOf}), 0) as bytes from (
        select '"${name}"'::regclass as relid union select relid from pg_partition_tree('"${name}"')) parts`,
    )
    const [rows, bytes] = [Number(counted[0]?.rows), Number(measured[0]?.bytes)]
    if (rows > 0) sizes.push({ name, rows, bytes })
  }
  return sizes.sort((a, b) => b.bytes - a.bytes)
}
