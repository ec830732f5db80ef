import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/schema.ts'

export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** Every node of a statement's plan, by explain analyze. A partition, or its index, has the name of the whole. */
export async function explain(db: Kysely<Database>, statement: RawBuilder<unknown>): Promise<PlanNode[]> {
  type Answer = { 'QUERY PLAN': [{ Plan: PlanNode }] }
  const { rows } = await sql<Answer>`explain (analyze, format json) ${statement}`.execute(db)
  const { rows: parts } = await sql<{ name: string; whole: string }>`
    select c.relname as name, p.relname as whole
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent`.execute(db)
  const wholes = new Map(parts.map(({ name, whole }) => [name, whole]))
  const rename = (name: string | undefined) => wholes.get(name ?? '') ?? name
  const flatten = (node: PlanNode): PlanNode[] => {
    const names = { 'Relation Name': rename(node['Relation Name']), 'Index Name': rename(node['Index Name']) }
    return [{ ...node, ...(names as PlanNode) }, ...(node.Plans ?? []).flatMap(flatten)]
  }
  return flatten((rows[0] as Answer)['QUERY PLAN'][0].Plan)
}

/** The nodes that read one of these tables from end to end. */
export const scansOf = (nodes: readonly PlanNode[], tables: readonly string[]): PlanNode[] =>
  nodes.filter((node) => node['Node Type'] === 'Seq Scan' && tables.includes(node['Relation Name'] ?? ''))

export const uses = (nodes: readonly PlanNode[], index: string): boolean =>
  nodes.some((node) => node['Index Name'] === index)

/** How many rows of a table were looked at, those that a filter removed included. */
export const countRead = (nodes: readonly PlanNode[], table: string): number =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce((total, node) => {
      const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
      return total + rows * (node['Actual Loops'] ?? 1)
    }, 0)

/** Pages of 8 kB that a statement reads, from memory or disk. */
export async function explainBuffers(db: Kysely<Database>, statement: RawBuilder<unknown>): Promise<number> {
  type Answer = { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] }
  const { rows } = await sql<Answer>`explain (analyze, buffers, format json) ${statement}`.execute(db)
  const { Plan: plan } = (rows[0] as Answer)['QUERY PLAN'][0]
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}
