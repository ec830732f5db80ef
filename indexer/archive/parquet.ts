import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects, type SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { ArchivedRow, ColumnType, Value } from './tables.ts'

/** How a column is stored. Amounts are text, because no number type of Parquet holds 78 digits; bytes are 0x text. */
const TYPES: Readonly<Record<string, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  bigint: { type: 'INT64' },
  integer: { type: 'INT32' },
  smallint: { type: 'INT32' },
  'double precision': { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  numeric: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bytea: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  '"char"': { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
}

const COMPRESSORS = { ZSTD: (input: Uint8Array) => zstdCompressSync(input) }
const DECOMPRESSORS = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }

/** A file of rows, written a group at a time. */
export class PartWriter {
  readonly #columns: readonly ColumnType[]
  readonly #bytes = new ByteWriter()
  readonly #writer: ParquetWriter

  constructor(columns: readonly ColumnType[]) {
    this.#columns = columns
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: toSchema(columns),
      codec: 'ZSTD',
      compressors: COMPRESSORS,
    })
  }

  /** Writes the rows as one group. */
  add(rows: readonly ArchivedRow[]): void {
    const columnData = this.#columns.map(({ name, type }) => ({
      name,
      data: rows.map((row) => toStored(type, row[name] ?? null)),
    }))
    this.#writer.write({ columnData, rowGroupSize: rows.length })
  }

  finish(): Buffer {
    this.#writer.finish()
    return Buffer.from(this.#bytes.getBuffer())
  }
}

function toSchema(columns: readonly ColumnType[]): SchemaElement[] {
  const leaves = columns.map(({ name, type, isRequired }): SchemaElement => {
    const stored = TYPES[type]
    if (!stored) throw new Error(`A column of type ${type} cannot be archived: ${name}`)
    return { name, ...stored, repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL' }
  })
  return [{ name: 'root', num_children: leaves.length }, ...leaves]
}

const toStored = (type: string, value: Value) => (type === 'bigint' && value !== null ? BigInt(Number(value)) : value)

/** The rows of a file, group by group. */
export async function* readPart(bytes: Buffer): AsyncGenerator<ArchivedRow[]> {
  const file = new Uint8Array(bytes).buffer
  const metadata = parquetMetadata(file)
  let rowStart = 0
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows)
    const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors: DECOMPRESSORS })
    yield rows.map(fromStored)
    rowStart = rowEnd
  }
}

function fromStored(row: Record<string, unknown>): ArchivedRow {
  for (const [name, value] of Object.entries(row)) if (typeof value === 'bigint') row[name] = Number(value)
  return row as ArchivedRow
}
