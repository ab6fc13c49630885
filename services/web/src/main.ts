/** The console as a process. */
import { ConfigError, readWebSecret, requireVerifiedPeers, runService, urlPeer } from '@cupel/kit/service'
import { startWeb } from './start-web.js'

runService('web', async (frame) => {
  const apiUrl = frame.config.CUPEL_API_URL
  if (apiUrl === undefined) throw new ConfigError('CUPEL_API_URL is required.')
  const api = { name: 'The API', setting: 'CUPEL_API_URL', exception: 'CUPEL_API_INSECURE' } as const
  requireVerifiedPeers([urlPeer(apiUrl, api)], frame.config, (sentence) => frame.logger.warn({}, sentence))
  const secret = await readWebSecret(frame.config)
  return await startWeb({ ...frame, api: { url: () => apiUrl, secret } })
})
