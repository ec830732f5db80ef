import { stringify } from 'yaml'

/** YAML with quotes for version 1.1, whose parsers would read an unquoted timestamp as a date. */
export const writeYaml = (document: unknown): string =>
  stringify(document, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })
