/** The zero address. Where an asset is named, it means the native coin. */
export const NATIVE = `0x${'0'.repeat(40)}`

export const DEAD_ADDRESS = '0x000000000000000000000000000000000000dead'

/** Burn addresses: no private key is known for either. */
export const BURN_ADDRESSES: readonly string[] = [NATIVE, DEAD_ADDRESS]
