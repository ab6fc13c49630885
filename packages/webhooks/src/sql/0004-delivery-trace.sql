-- The trace that a delivery continues (W3C Trace Context); null where none was made.
ALTER TABLE webhooks.delivery ADD COLUMN traceparent text;
