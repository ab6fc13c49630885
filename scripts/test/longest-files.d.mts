/** Paths relative to the checkout. */
export const longest: readonly string[]
