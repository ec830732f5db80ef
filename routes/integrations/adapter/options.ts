/** Which reader a set of the four routes is for. */
export interface AdapterOptions {
  /** Begins their operation ids. */
  reader: 'dexScreener' | 'geckoTerminal'
  title: string
  withDecimals: boolean
}
