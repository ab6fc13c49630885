/** Addresses of e-mail: a subset of RFC 5321 without quotes, comments or literals, and without anything that could end a header or begin another address. */

const MAX_ADDRESS_LENGTH = 254
const MAX_LOCAL_LENGTH = 64
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/

/** The address of a URL `mailto:…`, its host in lower case; null if it is no such URL or has anything besides one address. */
export function readMailto(url: string): string | null {
  const address = /^mailto:([^\r\n]*)$/i.exec(url)?.[1]
  if (address === undefined || address.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(address)) return null
  const at = address.lastIndexOf('@')
  return at > MAX_LOCAL_LENGTH ? null : address.slice(0, at) + address.slice(at).toLowerCase()
}
