/** Certificates of servers that tests start. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Longer than `cupel doctor` warns of an end. */
const DAYS_IN_FORCE = 30

export interface CertificateOrder {
  /** Folder for the PEM files; existing files of these names are replaced. */
  readonly certFile: string
  readonly keyFile: string
  /** The common name; by default localhost. */
  readonly subject?: string
  /** Names and addresses of the certificate, as openssl writes them: `DNS:localhost,IP:127.0.0.1`. By default only the subject. */
  readonly names?: string
  /** Days until it ends. */
  readonly days?: number
}

/** Makes a self-signed certificate with a key on P-256 and returns both as PEM texts. Throws if openssl is missing or fails. */
export function makeCertificate({
  certFile,
  keyFile,
  subject = 'localhost',
  names,
  days = DAYS_IN_FORCE,
}: CertificateOrder): {
  readonly cert: string
  readonly key: string
} {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const extension = names === undefined ? [] : ['-addext', `subjectAltName=${names}`]
  const form = ['-days', String(days), '-subj', `/CN=${subject}`, ...extension]
  execFileSync('openssl', ['req', '-x509', ...curve, ...form, '-keyout', keyFile, '-out', certFile], {
    stdio: 'pipe',
  })
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}
