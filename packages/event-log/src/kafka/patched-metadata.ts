/** Imported for its effect: kafkajs requests metadata with the request of this client. */
import { replaceMetadata } from './kafkajs.js'
import { METADATA_KEY, metadataRequest } from './wire-metadata.js'

replaceMetadata((topics, { versions }) => metadataRequest(topics, versions?.[METADATA_KEY]?.maxVersion ?? 0))
