/**
 * Changes with every change of the bytes that the renderer makes of a report. A stored copy of an earlier PDF is recognised by it.
 * A test compares the bytes with the digests in renders.json.
 */
export const RENDERER_VERSION = '19'

/** A document names the renderer in its information, so that another version knows what it cannot compare. */
export const PRODUCER = `Cupel renderer ${RENDERER_VERSION}`
