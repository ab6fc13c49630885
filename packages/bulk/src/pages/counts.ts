/** Numbers in words. */

const grouping = new Intl.NumberFormat('en-US')

export const countText = (count: number): string => grouping.format(count)

/** `1 address`, `2 addresses`. */
export function plural(count: number, one: string, many: string): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}
