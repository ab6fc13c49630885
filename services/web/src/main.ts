/** The console as a process. */
import { ConfigError, readWebSecret, runService } from '@cupel/service-kit'
import { startWeb } from './start-web.js'

runService('web', async (frame) => {
  const apiUrl = frame.config.CUPEL_API_URL
  if (apiUrl === undefined) throw new ConfigError('CUPEL_API_URL is required.')
  const secret = await readWebSecret(frame.config)
  return await startWeb({ ...frame, api: { url: () => apiUrl, secret } })
})
