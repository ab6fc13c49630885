/** Attacks on data and access outside the API of an installation. */
import { cupel } from '../command.js'
import type { Attack } from './attack.js'
import { requestOf, sendRaw } from './raw-http.js'

const LOOPBACK = /^https?:\/\/(?:127\.|\[::1\])/

/** A setting that would open everything, and the command that must refuse it. */
function openSetting(setting: string, value: string): Attack {
  return {
    name: `${setting}=${value}`,
    threat: 'exposure',
    place: 'installation',
    async run({ installation }) {
      const { exitCode, stderr } = await cupel(installation.home, ['status'], { [setting]: value })
      return {
        limit: 'refused, by its name',
        measured: `exit code ${exitCode}`,
        held: exitCode !== 0 && stderr.includes(setting),
      }
    },
  }
}

export const exposure: readonly Attack[] = [
  {
    name: 'metrics through the port of the API',
    threat: 'exposure',
    async run({ baseUrl, attacker, installation }) {
      const { host } = new URL(baseUrl)
      const { status } = await sendRaw(baseUrl, {
        bytes: requestOf('GET', '/metrics', { host, key: attacker.key }),
      })
      const urls = installation.ready.metrics_urls
      return {
        limit: '404, and metrics only on loopback',
        measured: `${status}; ${urls.filter((url) => LOOPBACK.test(url)).length} of ${urls.length} on loopback`,
        held: status === 404 && urls.every((url) => LOOPBACK.test(url)),
      }
    },
  },
  openSetting('CUPEL_WEBHOOK_ALLOW', '0.0.0.0/0'),
  openSetting('CUPEL_WEBHOOK_ALLOW', '::/0'),
  openSetting('CUPEL_TRUSTED_PROXIES', '0.0.0.0/0'),
  openSetting('CUPEL_TRUSTED_PROXIES', '::/0'),
]
