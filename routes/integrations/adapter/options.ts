/** The client that a set of the four routes serves. */
export interface AdapterOptions {
  /** Prefix of the operation ids. */
  reader: 'dexScreener' | 'geckoTerminal'
  title: string
  withDecimals: boolean
}
