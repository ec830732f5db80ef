// Saves up to a tenth of a cold read (`npm run bench:reads -- --only cold`): no array and no dictionary for each row.
import pg from 'pg'

/** A column of a statement's rows. */
type Column = Pick<pg.FieldDef, 'name' | 'dataTypeID'>
/** The texts of a row as PostgreSQL sends them. */
type Texts = readonly (string | null)[]
type ToObject = (texts: Texts) => unknown

interface Shape {
  columns: readonly Column[]
  toObject: ToObject
}

/** The key is the name of a prepared statement. */
const shapes = new Map<string, Shape>()

/**
 * A query whose rows become objects when they arrive. pg would make each from a dictionary, and look up the name of each
 * column by its characters: for wide rows that takes longer than parsing them. Uses the methods that pg's client calls on
 * any query object.
 */
export class RowObjects<Row> extends pg.Query {
  readonly objects: Row[] = []
  /** The first error of parsing a row. Thrown where it arrives, it would end the process. */
  failure: unknown
  declare readonly text: string
  declare name: string | undefined
  readonly #statement: string
  readonly #types: pg.CustomTypesConfig
  #toObject: ToObject | undefined

  /** statement: a name of the SQL text. types: of the client that runs it. */
  constructor({ text, values, name }: pg.QueryConfig, statement: string, types: pg.CustomTypesConfig) {
    // Not from an object, whose property descriptors pg would copy.
    super(text, values)
    this.name = name
    this.#statement = statement
    this.#types = types
  }

  handleRowDescription({ fields }: { fields: readonly Column[] }): void {
    this.#toObject = findShape(this.#statement, fields, this.#types).toObject
  }

  handleDataRow({ fields }: { fields: Texts }): void {
    try {
      this.objects.push(this.#toObject!(fields) as Row)
    } catch (error) {
      this.failure ??= error
    }
  }
}

function findShape(statement: string, columns: readonly Column[], types: pg.CustomTypesConfig): Shape {
  const known = shapes.get(statement)
  if (known && isSame(known.columns, columns)) return known
  const shape = { columns, toObject: compile(columns, types) }
  shapes.set(statement, shape)
  return shape
}

const isSame = (some: readonly Column[], others: readonly Column[]): boolean =>
  some.length === others.length &&
  some.every(({ name, dataTypeID }, at) => name === others[at]!.name && dataTypeID === others[at]!.dataTypeID)

/** A function with all columns in one literal: storing them one by one takes three times as long. */
function compile(columns: readonly Column[], types: pg.CustomTypesConfig): ToObject {
  const unparsed = types.getTypeParser(pg.types.builtins.TEXT)
  const parsers = columns.map(({ dataTypeID }) => types.getTypeParser(dataTypeID))
  const properties = columns.map(({ name }, at) => {
    const text = `texts[${at}]`
    const value = parsers[at] === unparsed ? text : `${text} === null ? null : parsers[${at}](${text})`
    return `${JSON.stringify(name)}: ${value}`
  })
  return new Function('parsers', `return (texts) => ({ ${properties.join(', ')} })`)(parsers) as ToObject
}
