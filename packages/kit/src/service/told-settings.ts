/** The settings whose values may be shown: those that cannot hold a secret. For all others only "set" or "not set" is shown. */
import { z } from 'zod'
import { settings } from './config.js'

export interface ToldSetting {
  readonly name: string
  readonly isSet: boolean
  /** Null if it is not set, or may hold a secret. For a URL only its protocol and host. */
  readonly value: string | null
}

/** Texts that hold names, places and ranges. A new setting is shown only after it is added here. */
const TOLD_TEXTS = new Set([
  ...['CUPEL_HOME', 'CUPEL_HOST', 'CUPEL_WEB_HOST', 'CUPEL_METRICS_HOST', 'CUPEL_TOPIC_PREFIX'],
  ...['CUPEL_TOPIC_OVERRIDES', 'CUPEL_KAFKA_BROKERS', 'CUPEL_KAFKA_TLS_SERVER_NAME'],
  ...['CUPEL_TRUSTED_PROXIES', 'CUPEL_WEBHOOK_ALLOW', 'CUPEL_DISK_WATERMARK', 'CUPEL_CASE_SECOND_PERSON'],
  ...['CUPEL_CHECKPOINT_FOLDER', 'CUPEL_S3_REGION', 'CUPEL_MAIL_HOST'],
])

const PLACES = /^(?:https?|postgres(?:ql)?):$/

export function isToldSetting(name: string): boolean {
  const setting = (settings as Readonly<Record<string, z.ZodType>>)[name]
  if (setting === undefined) return false
  return TOLD_TEXTS.has(name) || name.endsWith('_FILE') || isNumberOrChoice(setting)
}

/** In the order of the operator's reference. */
export function toldSettings(environment: Readonly<Record<string, string | undefined>>): ToldSetting[] {
  return Object.keys(settings).map((name) => {
    const text = environment[name] ?? ''
    if (text === '') return { name, isSet: false, value: null }
    const value = isToldSetting(name) ? text : name.endsWith('_URL') ? placeOf(text) : null
    return { name, isSet: true, value }
  })
}

function isNumberOrChoice(setting: z.ZodType): boolean {
  const [given, read] = (['input', 'output'] as const).map((io) =>
    z.toJSONSchema(setting, { io, unrepresentable: 'any' }),
  )
  return given!.enum !== undefined || read!.type === 'integer' || read!.type === 'number'
}

function placeOf(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, host } = new URL(text)
  return PLACES.test(protocol) ? `${protocol}//${host}` : null
}
