/**
 * Gas of the transactions that pay with the native coin: what docs/gas.md measures, and a margin of at least a quarter. A purchase
 * that also graduates the token takes 2.8 million; its wallet has to leave more.
 */
export const gasOf = { buy: 130_000n, launch: 600_000n, commit: 120_000n, fund: 120_000n } as const
