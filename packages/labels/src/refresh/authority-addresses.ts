/** The addresses at which authorities publish their own lists. A list found there is the authority's current list. */

/** Hosts by origin; their subdomains are included. */
const hostsByOrigin: Readonly<Record<string, readonly string[]>> = {
  'us-ofac': ['ofac.treas.gov', 'ofac.treasury.gov', 'www.treasury.gov'],
  'uk-ofsi': [
    'ofsistorage.blob.core.windows.net',
    'sanctionslist.fcdo.gov.uk',
    'assets.publishing.service.gov.uk',
  ],
  'eu-fsf': ['webgate.ec.europa.eu'],
  'un-sc': ['scsanctions.un.org'],
  'il-nbctf': ['nbctf.mod.gov.il'],
}

/** Origins of the authorities to which the host of the URL belongs. */
export function authoritiesAt(url: string): readonly string[] {
  const { hostname } = new URL(url)
  return Object.entries(hostsByOrigin)
    .filter(([, hosts]) => hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`)))
    .map(([origin]) => origin)
}
