/**
 * The rows to ask for after a page that was too large; 0 after a page of one row. Few steps reach one row, because several failures in a row
 * pause a provider.
 */
export const smallerPage = (rows: number): number => (rows === 1 ? 0 : Math.max(1, Math.floor(rows / 4)))
