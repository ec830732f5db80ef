/** Formats a number for people. The formatter is created when first used: the first one of a process takes 15 ms. */
function createFormat(options: Intl.NumberFormatOptions): (value: number) => string {
  let format: Intl.NumberFormat | undefined
  return (value) => {
    format ??= new Intl.NumberFormat('en-US', options)
    return format.format(value)
  }
}

/** Three digits and a unit, such as 1.23M. */
export const formatCompact = createFormat({ notation: 'compact', maximumSignificantDigits: 3 })
/** Two decimals. */
export const formatMoney = createFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 })
/** No decimals. */
export const formatWhole = createFormat({ maximumFractionDigits: 0 })
