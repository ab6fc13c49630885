/** The name of the advisory lock that an import of a chain holds: one import per chain at a time. */
export const importLockOf = (chain: string): string => `cupel.ledger-import/${chain}`
