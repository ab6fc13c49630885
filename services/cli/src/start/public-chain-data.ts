/** `--public-chain-data`: names every endpoint that will be asked, then lets the services ask them. */
import { loadConfig } from '@cupel/service-kit'
import type { CliContext } from '../context.js'

/** The context as it was, with public endpoints allowed. */
export async function withPublicChainData(context: CliContext): Promise<CliContext> {
  const { describePublicChainData } = await import('@cupel/scorer')
  context.note(
    'These public endpoints will learn the addresses you screen, but for chains your own providers cover:',
  )
  for (const endpoint of await describePublicChainData()) context.note(`  ${endpoint}`)
  const environment = { ...context.environment, CUPEL_CHAIN_DATA_PUBLIC: 'true' }
  return { ...context, environment, config: () => loadConfig(environment) }
}
