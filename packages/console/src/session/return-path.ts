/** The page to go to after the sign-in. It comes from an address that anybody can write. */

const HERE = 'http://console.invalid'
const MAX_LENGTH = 2_000

/** A path of this console with its query; `/` for anything that would lead elsewhere, or back to the sign-in. */
export function returnPath(given: string | null | undefined): string {
  if (given === null || given === undefined || given.length > MAX_LENGTH) return '/'
  // A browser reads a backslash as a slash, and drops tabs and line breaks.
  if (!given.startsWith('/') || /[\\\p{Cc}]/u.test(given)) return '/'
  if (!URL.canParse(given, HERE)) return '/'
  const url = new URL(given, HERE)
  if (url.origin !== HERE || url.pathname.startsWith('//') || url.pathname.startsWith('/sign-')) return '/'
  return url.pathname + url.search
}

export function signInPath(target: string): string {
  const back = returnPath(target)
  return back === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(back)}`
}
