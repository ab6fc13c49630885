/** Entity tags (RFC 9110, section 8.8.3), with which a caller asks only for what it does not have. */

/** Whether If-None-Match names the tag. The comparison is weak, as the RFC prescribes for this header. */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([named]) => named === tag)
}
