/**
 * Whether the service may send to a URL, judged from the addresses that its host name has at this moment. If one of them is not
 * globally reachable, the URL is refused: a name with addresses inside and outside has no honest use here.
 */
import { isIP, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { LATE, withinMs } from '../concurrency/index.js'
import type { AllowedRange } from './allowed-ranges.js'
import { createResolver, NameNotFound, type ResolveName } from './resolve-name.js'
import { judgeAddress } from './special-addresses.js'

export interface Target {
  /** Normalised, without user name, password and fragment. */
  readonly url: URL
  /** As in the certificate: a name without a full stop at the end, or an address without brackets. */
  readonly hostname: string
  readonly port: number
  readonly isEncrypted: boolean
  /** Whether a customer may see the target's answer: the target is outside the operator's network, or on a developer's machine. */
  readonly isShown: boolean
  /** Checked, at least one; the client connects to these addresses only. */
  readonly addresses: readonly string[]
}

export type JudgedUrl =
  | { readonly ok: true; readonly target: Target }
  | {
      readonly ok: false
      /** An `unresolved` URL may be accepted later without a change. */
      readonly kind: 'refused' | 'unresolved'
      /** One sentence for the customer. */
      readonly reason: string
    }

/** Judges a URL anew. Never rejects. */
export type Judge = (url: string) => Promise<JudgedUrl>

export interface JudgeOptions {
  /** Ranges that the operator opened. */
  readonly allow: readonly AllowedRange[]
  readonly resolve?: ResolveName
  /** Ports allowed outside the opened ranges. */
  readonly ports?: readonly number[]
  /** Addresses of this machine; by default those of its network interfaces. */
  readonly ownAddresses?: () => readonly string[]
}

export const MAX_URL_LENGTH = 2_048
const HTTPS_PORTS: readonly number[] = [443, 8443]
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }
/** A look-up that takes longer counts as unresolved. */
const RESOLVE_TIMEOUT_MS = 5_000
/** A host name with more addresses than this is refused. */
const MAX_ADDRESSES = 32

export function createJudge(options: JudgeOptions): Judge {
  const resolve = options.resolve ?? createResolver()
  const ports = options.ports ?? HTTPS_PORTS
  const ownAddresses = options.ownAddresses ?? interfaceAddresses

  return async (text) => {
    const url = readUrl(text)
    if (typeof url === 'string') return refused(url)
    const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const port = url.port === '' ? DEFAULT_PORTS[url.protocol]! : Number(url.port)
    let addresses: readonly string[]
    try {
      addresses = isIP(hostname) === 0 ? await resolveInTime(resolve, hostname) : [hostname]
    } catch (error) {
      if (error instanceof NameNotFound)
        return { ok: false, kind: 'unresolved', reason: 'The host name has no address.' }
      return { ok: false, kind: 'unresolved', reason: 'The host name cannot be resolved at the moment.' }
    }
    if (addresses.length === 0)
      return { ok: false, kind: 'unresolved', reason: 'The host name has no address.' }
    if (addresses.length > MAX_ADDRESSES) return refused('The host name has too many addresses.')
    const isOpened = (address: string): boolean => options.allow.some((range) => range.contains(address))
    const own = new Set(ownAddresses())
    for (const address of addresses) {
      if (isOpened(address)) continue
      const verdict = judgeAddress(address)
      // The refusal does not name the address: a customer must not learn how names resolve in the operator's network.
      if (!verdict.isGlobal || own.has(address))
        return refused('The host is, or resolves to, an address that is not globally reachable.')
    }
    if (!addresses.every(isOpened)) {
      if (url.protocol !== 'https:') return refused('The URL must use https.')
      if (!ports.includes(port)) return refused(`The port must be one of ${ports.join(', ')}.`)
    }
    const isShown = addresses.every((address) => !isOpened(address) || isLoopback(address))
    return {
      ok: true,
      target: { url, hostname, port, isEncrypted: url.protocol === 'https:', isShown, addresses },
    }
  }
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

function refused(reason: string): JudgedUrl {
  return { ok: false, kind: 'refused', reason }
}

/** Returns the URL, or a sentence that says why it is refused. */
function readUrl(text: string): URL | string {
  if (text.length > MAX_URL_LENGTH) return `The URL may have at most ${MAX_URL_LENGTH} characters.`
  // URL parsers disagree about these characters, and the URL that is checked must be the URL that is called.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\'))
    return 'The URL holds characters that must be percent-encoded.'
  if (!URL.canParse(text)) return 'This is not an absolute URL.'
  const url = new URL(text)
  if (!Object.hasOwn(DEFAULT_PORTS, url.protocol)) return 'The URL must use https.'
  if (!/^https?:\/\//i.test(text)) return 'This is not an absolute URL.'
  if (url.username !== '' || url.password !== '' || authorityOf(text).includes('@'))
    return 'The URL must not hold a user name or password.'
  if (url.hash !== '' || text.includes('#')) return 'The URL must not have a fragment.'
  if (url.port === '0') return 'The port must not be 0.'
  // Some parsers read 0127.0.0.1 as 87.0.0.1 and others as 127.0.0.1: only a spelling with one meaning is accepted.
  if (isIPv4(url.hostname) && authorityOf(text).replace(/:[0-9]*$/, '') !== url.hostname)
    return 'An IPv4 address must be written as four decimal numbers.'
  return url
}

function authorityOf(text: string): string {
  return text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)[0]!
}

async function resolveInTime(resolve: ResolveName, hostname: string): Promise<readonly string[]> {
  const addresses = await withinMs(RESOLVE_TIMEOUT_MS, resolve(hostname))
  if (addresses === LATE) throw new Error('The name servers did not answer in time')
  return addresses
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
}
