/** The beginning of the URL of a recipient of e-mail; its address follows, sealed. */
export const MAILTO = 'mailto:'

/** The sealed address of a recipient; null for the URL of a webhook. */
export const recipientOf = (url: string): string | null =>
  url.startsWith(MAILTO) ? url.slice(MAILTO.length) : null
