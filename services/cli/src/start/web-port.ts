/** The port of the console in an installation on this machine. */
import type { Config } from '@cupel/kit/service'

/** The configured one; else the one after those of the API, or any free one where the API takes any. */
export function webPortOf(
  { CUPEL_WEB_PORT, CUPEL_PORT }: Pick<Config, 'CUPEL_WEB_PORT' | 'CUPEL_PORT'>,
  apiInstances: number,
): number {
  return CUPEL_WEB_PORT ?? (CUPEL_PORT === 0 ? 0 : CUPEL_PORT + apiInstances)
}
