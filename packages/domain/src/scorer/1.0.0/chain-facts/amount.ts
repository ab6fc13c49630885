/** Digits after the point in every amount of a report. */
const REPORT_DECIMALS = 6

/** Base units as a decimal number of whole assets with exactly six digits after the point, rounded down. */
export function formatAmount(baseUnits: string, decimals: number): string {
  const units = BigInt(baseUnits)
  const scaled =
    decimals >= REPORT_DECIMALS
      ? units / 10n ** BigInt(decimals - REPORT_DECIMALS)
      : units * 10n ** BigInt(REPORT_DECIMALS - decimals)
  const digits = scaled.toString().padStart(REPORT_DECIMALS + 1, '0')
  return `${digits.slice(0, -REPORT_DECIMALS)}.${digits.slice(-REPORT_DECIMALS)}`
}
