/** The end of a line about a finding. */
export const sinceText = (since: string | null): string =>
  since === null ? ' Nothing says since when.' : ` It was not so before ${since}.`
