/**
 * Changes with every change of the bytes that the renderer makes of a report, so that a stored copy of an earlier PDF is known as one.
 * A test compares the bytes with the digests in renders.json.
 */
export const RENDERER_VERSION = '4'

/** A document names the renderer in its information, so that another one knows what it cannot compare. */
export const PRODUCER = `Cupel renderer ${RENDERER_VERSION}`
