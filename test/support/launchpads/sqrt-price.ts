/** Bits after the point of the factors, before they are rounded. */
const PRECISION = 1_024n

/** Whole square root, rounded down. */
function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** For each bit of a tick, what it divides the root of the price by, with 128 bits after the point: 1.0001^(2^bit / 2). */
const factors: bigint[] = []
for (let exact = squareRoot((10_000n << (2n * PRECISION)) / 10_001n), bit = 0; bit < 20; bit++) {
  const shift = PRECISION - 128n
  factors.push((exact + (1n << (shift - 1n))) >> shift)
  exact = (exact * exact) >> PRECISION
}

/** The root of the price that Uniswap V3 computes for a tick, to the last bit, with 96 bits after the point. */
export function sqrtPriceAtTick(tick: number): bigint {
  let ratio = 1n << 128n
  for (const [bit, factor] of factors.entries()) if ((Math.abs(tick) >> bit) & 1) ratio = (ratio * factor) >> 128n
  if (tick > 0) ratio = ((1n << 256n) - 1n) / ratio
  // Rounded up.
  return (ratio + 0xffffffffn) >> 32n
}
