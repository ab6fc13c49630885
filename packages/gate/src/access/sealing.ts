/** Seals personal data, as @cupel/personal-data does it; absent if an installation has no keys for it. */
export interface Sealing {
  of(accountId: string): Promise<{ seal(text: string): string }>
}

/** Seals texts of the account; returns them unchanged without `sealing`. */
export async function sealFor(
  sealing: Sealing | undefined,
  accountId: string,
): Promise<(text: string) => string> {
  if (sealing === undefined) return (text) => text
  const seal = await sealing.of(accountId)
  return (text) => seal.seal(text)
}
